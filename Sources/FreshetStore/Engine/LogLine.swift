/// A byte in the journal.
struct Place: Sendable, Hashable, Comparable {
  /// The segment, by its first revision.
  var segment: Int64
  /// The offset in that segment.
  var offset: Int64

  static func < (a: Place, b: Place) -> Bool {
    (a.segment, a.offset) < (b.segment, b.offset)
  }
}

/// What the index needs to know of one line.
struct LogLine: Sendable {
  var kind: RecordLine.Kind
  var hash: UInt64
  var replaces: Int64
  /// The number within the commit, from 1.
  var index: Int
  var offset: Int64
  /// The line's length, newline included.
  var length: Int
  var hasBody = true
}

/// What one commit says, apart from bodies.
struct LogCommit: Sendable {
  var revision: Int64
  /// The epoch from this commit on.
  var epoch: Int64
  var time: Int64 = 0
  var lines: [LogLine] = []
  /// The segment it is in.
  var source: DataFile
  /// Where the commit after it begins.
  var end: Place
}

/// The id and the body of one line, copied out.
struct LineContent: Sendable {
  var id: [UInt8]
  var body: [UInt8]
}
