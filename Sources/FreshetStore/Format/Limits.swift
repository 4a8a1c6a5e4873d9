/// The sizes that format 1 allows.
package enum Limits {
  /// An id's UTF-8 bytes.
  package static let idBytes = 512
  /// A body's bytes.
  package static let bodyBytes = 1 << 20
  /// How deep a body may nest: a few levels more than `JSONValue` reads, so that whoever puts a
  /// value that it has read into an object of its own can still save it.
  package static let bodyLevels = JSONValue.depthLimit + 8
  /// The bytes of ids and bodies in one commit.
  package static let batchBytes = 16 << 20
  /// A longer line is no record: body, id with every character escaped, and the other keys.
  static let lineBytes = bodyBytes + 2 * idBytes + 512
  /// A segment that is this long gets a successor before the next commit.
  package static let segmentBytes: Int64 = 64 << 20
  /// Revisions passed over when commits that someone may have seen had to be given up.
  package static let epochGap: Int64 = 1 << 20
}
