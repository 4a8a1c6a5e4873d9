/// The names in a store directory.
enum FileNames {
  static let lock = "LOCK"
  static let store = "STORE"
  static let newStore = "STORE.new"
  static let head = "HEAD"

  /// `log-` and the first revision in 20 digits, so that names sort as revisions do.
  static func segment(_ firstRevision: Int64) -> String {
    let digits = String(firstRevision)
    return "log-" + String(repeating: "0", count: 20 - digits.count) + digits + ".ndjson"
  }

  /// The first revision of a segment's name; nil for other names.
  static func firstRevision(_ name: String) -> Int64? {
    guard name.hasPrefix("log-"), name.hasSuffix(".ndjson"), name.utf8.count == 31,
      let revision = Int64(name.dropFirst(4).dropLast(7)), revision > 0,
      segment(revision) == name
    else { return nil }
    return revision
  }

  /// Where recovery keeps what it cut off after `revision`.
  static func lost(after revision: Int64, time: Int64, attempt: Int) -> String {
    "lost+\(revision)-\(time)\(attempt == 0 ? "" : "-\(attempt)").ndjson"
  }
}
