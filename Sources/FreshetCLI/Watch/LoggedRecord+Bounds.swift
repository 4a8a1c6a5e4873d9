import FreshetCatalog
import FreshetStore

/// How much of a record of a log is told again: as much as fits into a line.
///
/// A line of a log is no longer than one of ours, but it can become longer: it may hold characters as
/// they are that we escape, and gets another number and cursor.
enum ReplayForm: CaseIterable {
  /// All of it.
  case whole
  /// As a record that is told live and is too long: no item that is too large, no diff, long texts cut.
  case tight
  /// What a reader needs to pass over it: the known members of the envelope, of the data what is short.
  case bare

  /// In a bare record a text of the envelope has at most so many bytes, and a value of the data as JSON.
  private static let bareBytes = 1024

  func of(_ record: JSONObject) -> JSONObject {
    switch self {
    case .whole: return record
    case .tight:
      var tight = record.withTextsCut(toBytes: ObjectWriter.tightTextBytes)
      if let data = record["data"]?.objectValue { tight["data"] = .object(Self.tight(data)) }
      return tight
    case .bare:
      var bare = JSONObject()
      for member in record.withTextsCut(toBytes: Self.bareBytes).members
      where EventSchema.envelopeKeys.contains(member.key) {
        if member.value.jsonBytes.count <= 8 * Self.bareBytes { bare[member.key] = member.value }
      }
      var data = JSONObject()
      for member in record["data"]?.objectValue?.members ?? [] where member.key.utf8.count <= 64 {
        if data.keys.count == 64 { break }
        let isShort = member.value.jsonBytes.count <= Self.bareBytes
        data[member.key] = isShort ? member.value : .null
      }
      bare["data"] = .object(data)
      return bare
    }
  }

  private static func tight(_ data: JSONObject) -> JSONObject {
    var tight = JSONObject()
    for member in data.withTextsCut(toBytes: ObjectWriter.tightTextBytes).members {
      switch (member.key, member.value) {
      case ("item", let item) where item.jsonBytes.count > ContentItem.sizeLimitBytes:
        tight["item"] = .null
      case ("diff", .object(let diff)):
        tight["diff"] = .null
        let rows = diff.members.reduce(0) { $0 + ($1.value.arrayValue?.count ?? 0) }
        tight["diff_rows"] = .number(JSONNumber(Int64(rows)))
      case ("state", .object(let state)):
        tight["state"] = .object(state.withTextsCut(toBytes: ObjectWriter.tightTextBytes))
      default: tight[member.key] = member.value
      }
    }
    return tight
  }
}

extension JSONObject {
  /// The object with its long texts cut, those of objects in it as they are.
  func withTextsCut(toBytes limit: Int) -> JSONObject {
    var cut = JSONObject()
    for member in members {
      cut[member.key] =
        member.value.stringValue.map { .string($0.cut(toBytes: limit)) }
        ?? member.value
    }
    return cut
  }
}
