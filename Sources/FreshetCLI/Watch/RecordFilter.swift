import FreshetCatalog
import FreshetStore

/// Which records of a stream are told: those of some types, and those whose fields have values.
///
/// Records of the stream itself, `stream.*` and `snapshot.begin`, are always told.
struct RecordFilter: Sendable, Equatable {
  /// A field and the values one of which it must have.
  struct Term: Sendable, Equatable {
    /// The field as it was written.
    let key: String
    /// Where it lies in a record's data.
    let path: [String]
    var values: [String]

    init(key: String, values: [String]) {
      self.key = key
      self.values = values
      let parts = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      path = parts.first == "data" ? Array(parts.dropFirst()) : ["item"] + parts
    }
  }

  /// All must be met.
  private(set) var terms: [Term] = []
  /// One must be met; empty for all types.
  private(set) var types: [String] = []

  /// Everything passes.
  static let all = RecordFilter()

  /// Whether everything passes.
  var isAll: Bool { terms.isEmpty && types.isEmpty }

  /// Whether a record of this type may pass, whatever its fields are.
  func admits(type: String) -> Bool {
    if Self.isOfStream(type) || types.isEmpty { return true }
    return types.contains { Self.type($0, covers: type) }
  }

  /// Whether a record passes.
  /// - Parameter data: The record's data, looked at only when a field of it is asked for.
  func admits(
    type: String, view: String?, id: String?, data: @autoclosure () -> JSONObject
  ) -> Bool {
    guard admits(type: type) else { return false }
    if terms.isEmpty || Self.isOfStream(type) { return true }
    let data = JSONValue.object(data())
    return terms.allSatisfy { term in
      let value: JSONValue?
      switch term.key {
      case "view": value = view.map(JSONValue.string)
      case "id": value = id.map(JSONValue.string)
      default: value = Self.value(at: term.path, in: data)
      }
      guard let value, !value.isNull else { return false }
      return term.values.contains { Self.matches(value, $0) }
    }
  }

  private static func isOfStream(_ type: String) -> Bool {
    type.hasPrefix("stream.") || type == "snapshot.begin"
  }

  private static func type(_ pattern: String, covers type: String) -> Bool {
    pattern.hasSuffix("*") ? type.hasPrefix(pattern.dropLast()) : type == pattern
  }

  private static func value(at path: [String], in root: JSONValue) -> JSONValue? {
    path.reduce(root as JSONValue?) { value, key in value?.objectValue?[key] }
  }

  private static func matches(_ value: JSONValue, _ pattern: String) -> Bool {
    if pattern == "*" { return true }
    switch value {
    case .string(let text): return Wildcard.matches(pattern, text)
    case .number(let number):
      guard let wanted = try? JSONValue(parsing: Array(pattern.utf8)).numberValue else {
        return Wildcard.matches(pattern, number.text)
      }
      if let one = number.int64, let other = wanted.int64 { return one == other }
      return number.text == wanted.text || number.double == wanted.double
    case .bool(let flag): return pattern == (flag ? "true" : "false")
    case .array(let elements): return elements.contains { matches($0, pattern) }
    case .object, .null: return false
    }
  }
}

// MARK: As it is written on the command line

extension RecordFilter {
  /// Reads `--filter` and `--type`.
  /// - Throws: ``Stop/usage(_:)`` for a field or a type that no record has.
  init(_ invocation: Invocation) throws(Stop) {
    for text in invocation.values["filter"] ?? [] { try take(filter: text) }
    terms.sort { $0.key < $1.key }
    let known = EventSchema.types.map(\.type)
    for text in invocation.values["type"] ?? [] {
      guard known.contains(where: { Self.type(text, covers: $0) }) else {
        let near = NearestMatch.of(text, among: known).map { "; did you mean \($0)?" }
        throw .usage(
          "bad_option",
          "option --type needs a type of event such as item.added or item.*, not "
            + "“\(text.prefix(80))”" + (near ?? ""))
      }
      if !types.contains(text) { types.append(text) }
    }
    types.sort()
  }

  private mutating func take(filter text: String) throws(Stop) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw .usage(
        "bad_option",
        "option --filter needs KEY=VALUE such as kind=book, not “\(text.prefix(80))”")
    }
    let key = String(text[..<sign])
    let value = String(text[text.index(after: sign)...])
    let path = key.split(separator: ".", omittingEmptySubsequences: false)
    let roots = ContentItem.fieldNames + ["view", "data"]
    guard let root = path.first, roots.contains(String(root)), !path.contains("") else {
      let near = NearestMatch.of(String(path.first ?? ""), among: roots)
      throw .usage(
        "bad_option",
        "option --filter knows no field “\(key.prefix(80))”"
          + (near.map { "; did you mean \($0)?" }
            ?? "; it takes a field of an item, view, or a path that begins with data."))
    }
    if let place = terms.firstIndex(where: { $0.key == key }) {
      if !terms[place].values.contains(value) {
        terms[place].values.append(value)
        terms[place].values.sort()
      }
    } else {
      terms.append(Term(key: key, values: [value]))
    }
  }
}

extension Cursor.Filter {
  /// What a stream of these views shows through a filter.
  ///
  /// That of one kind of item is the filter of `list --kind`, whose cursors so fit.
  init(views: [String], _ filter: RecordFilter) {
    var terms = filter.terms
    var kind: String?
    if let place = terms.firstIndex(where: { $0.key == "kind" }), terms[place].values.count == 1 {
      kind = terms.remove(at: place).values[0]
    }
    self.init(
      views: views, kind: kind,
      terms: terms.map { $0.key + "=" + $0.values.joined(separator: "\u{1F}") },
      types: filter.types)
  }
}
