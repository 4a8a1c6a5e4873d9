/// The names in a store directory.
enum FileNames {
  static let lock = "LOCK"
  static let store = "STORE"
  static let newStore = "STORE.new"
  static let head = "HEAD"

  static let compact = "COMPACT"
  static let followers = "followers"
  /// What a file that is being written ends in.
  static let unfinished = ".tmp"
  /// What a file that is being removed ends in.
  static let discarded = ".old"

  /// `log-` and the first revision in 20 digits, so that names sort as revisions do.
  static func segment(_ firstRevision: Int64) -> String {
    "log-" + digits(firstRevision) + ".ndjson"
  }

  /// The first revision of a segment's name; nil for other names.
  static func firstRevision(_ name: String) -> Int64? {
    revision(name, after: "log-", before: ".ndjson").flatMap { $0 > 0 ? $0 : nil }
  }

  /// `snap-` and the revision that the snapshot is of.
  static func snapshot(_ revision: Int64) -> String { "snap-" + digits(revision) + ".ndjson" }

  /// The index of that snapshot.
  static func snapshotIndex(_ revision: Int64) -> String { "snap-" + digits(revision) + ".idx" }

  /// The revision of a snapshot's name; nil for other names.
  static func snapshotRevision(_ name: String) -> Int64? {
    revision(name, after: "snap-", before: ".ndjson")
  }

  /// The revision of a snapshot index's name; nil for other names.
  static func snapshotIndexRevision(_ name: String) -> Int64? {
    revision(name, after: "snap-", before: ".idx")
  }

  /// True for what a compaction that was interrupted leaves behind.
  static func isLeftOver(_ name: String) -> Bool {
    (name.hasPrefix("snap-") || name.hasPrefix("log-"))
      && (name.hasSuffix(unfinished) || name.hasSuffix(discarded))
  }

  /// True for journal, snapshots and their indexes, finished or not.
  static func isData(_ name: String) -> Bool {
    name.hasPrefix("snap-") || name.hasPrefix("log-")
  }

  private static func digits(_ revision: Int64) -> String {
    let digits = String(revision)
    return String(repeating: "0", count: 20 - digits.count) + digits
  }

  private static func revision(_ name: String, after start: String, before end: String) -> Int64? {
    guard name.hasPrefix(start), name.hasSuffix(end),
      name.utf8.count == start.utf8.count + 20 + end.utf8.count
    else { return nil }
    let text = name.dropFirst(start.count).dropLast(end.count)
    guard let revision = Int64(text), revision >= 0, digits(revision) == text else { return nil }
    return revision
  }

  /// Where recovery keeps what it cut off after `revision`.
  static func lost(after revision: Int64, time: Int64, attempt: Int) -> String {
    "lost+\(revision)-\(time)\(attempt == 0 ? "" : "-\(attempt)").ndjson"
  }
}
