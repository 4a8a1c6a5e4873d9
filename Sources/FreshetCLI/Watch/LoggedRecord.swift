import FreshetStore

/// One line of a log that `freshet` wrote.
struct LoggedRecord {
  private(set) var object: JSONObject
  let type: String
  /// The place that its cursor means.
  let cursor: Token?

  /// Reads a line; nil for one with nothing on it.
  /// - Throws: what is wrong with it.
  init?(_ line: LineSplitter.Line) throws(Problem) {
    guard var bytes = line.bytes else {
      throw Problem(code: "too_large", message: "the line is longer than 1 MiB")
    }
    // RFC 7464 puts one before each record.
    if bytes.first == 0x1E { bytes.removeFirst() }
    if bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return nil }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw Problem(code: "invalid_json", message: "broken JSON: \(error)")
    }
    guard let object = value.objectValue else {
      throw Problem(code: "not_an_object", message: "the line is no object, but \(value.kindName)")
    }
    guard let version = object["v"]?.numberValue, let type = object["type"]?.stringValue,
      object["seq"]?.numberValue != nil, object["ts"]?.stringValue != nil,
      object["data"]?.objectValue != nil
    else {
      throw Problem(
        code: "bad_record",
        message: "the line is no record of a stream: it needs v, seq, ts, type and data")
    }
    guard version.int64 == 1 else {
      throw Problem(
        code: "bad_record",
        message: "the record is of envelope version \(version.text), this knows version 1")
    }
    do {
      cursor = try object["cursor"]?.stringValue.map { text throws(Cursor.Fault) in
        try Cursor(parsing: text).token
      }
    } catch {
      throw Problem(code: "bad_cursor", message: "the record's cursor is damaged")
    }
    self.object = object
    self.type = type
  }

  var data: JSONObject { object["data"]?.objectValue ?? [:] }
  var view: String? { object["view"]?.stringValue }
  var id: String? { object["id"]?.stringValue }
  var revision: Int64? { object["rev"]?.numberValue?.int64 }
  var reason: String? { data["reason"]?.stringValue }

  /// Whether it tells of a change of an item.
  var isOfItem: Bool { type.hasPrefix("item.") }

  /// Whether it is part of a commit: then it has a place in it, or the commit's cursor.
  var isOfCommit: Bool {
    (isOfItem || type == "view.changed") && revision != nil
      && (object["i"] != nil || object["cursor"] != nil)
  }

  // MARK: Of stream.hello

  var store: String? { data["store"]?.stringValue }
  var epoch: Int? { data["epoch"]?.numberValue?.int64.flatMap { Int(exactly: $0) } }
  var oldest: Token? {
    // One that cannot be read is no place to begin at.
    data["oldest"]?.stringValue.flatMap { try? Cursor(parsing: $0).token }
  }

  // MARK: As it is told again

  mutating func setCursor(_ text: String?) { set("cursor", text) }

  mutating func setView(_ name: String?) { set("view", name) }

  /// Puts a member where the envelope has it.
  private mutating func set(_ key: String, _ text: String?) {
    let later = EventSchema.envelopeKeys.drop { $0 != key }.dropFirst()
    var text = text
    var anew = JSONObject()
    for member in object.members where member.key != key {
      if let value = text, later.contains(member.key) {
        anew[key] = .string(value)
        text = nil
      }
      anew[member.key] = member.value
    }
    object = anew
  }

  mutating func setInitial(_ isInitial: Bool) {
    var data = data
    data["initial"] = .bool(isInitial)
    object["data"] = .object(data)
  }

  /// The line people see.
  var text: String? {
    guard let id, isOfItem || type == "snapshot.item" else { return nil }
    let row = ItemText.row(id, data["item"]?.jsonBytes)
    guard isOfItem else { return row }
    return TextRow.line([String(type.dropFirst(5))]) + TextRow.separator + row
  }
}

extension WatchPlan {
  /// Whether a record of a log is one of this stream.
  func tells(_ record: LoggedRecord) -> Bool {
    guard
      filter.admits(type: record.type, view: record.view, id: record.id, data: record.data)
    else { return false }
    guard let name = record.view else { return true }
    if name == View.search.rawValue { return showsSearch }
    return views.contains { view in
      if view.view == .books, name == View.summary.rawValue { return true }
      guard view.view.rawValue == name else { return false }
      guard view.view == .detail, let id = view.name else { return true }
      let subject = record.id ?? record.data["state"]?.objectValue?["item"]?.stringValue
      return subject == nil || subject == id
    }
  }
}
