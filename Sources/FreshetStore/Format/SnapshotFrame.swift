/// The first line of a snapshot: what is known of the journal up to it.
struct SnapshotHeader: Sendable, Hashable {
  /// A revision and when it was the last one, by the clock of the writer.
  struct Mark: Sendable, Hashable {
    var revision: Int64
    var time: Int64
  }

  /// An epoch that has ended, and its last revision.
  struct EpochEnd: Sendable, Hashable {
    var epoch: Int64
    var lastRevision: Int64
  }

  var revision: Int64
  var epoch: Int64
  var storeID: String
  /// When it was made: microseconds since 1970.
  var time: Int64
  /// The commits up to here, which are fewer than the revision when epochs were skipped.
  var commits: Int64
  var epochEnds: [EpochEnd] = []
  /// The snapshots before this one, oldest first, thinned out.
  var marks: [Mark] = []

  static let marksLimit = 64

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    Frame.open(&bytes)
    let ends = epochEnds.map { "[\($0.epoch),\($0.lastRevision)]" }.joined(separator: ",")
    let marks = marks.map { "[\($0.revision),\($0.time)]" }.joined(separator: ",")
    let rest =
      #","snapshot":\#(revision),"e":\#(epoch),"t":\#(time),"store":"\#(storeID)","#
      + #""commits":\#(commits),"ends":[\#(ends)],"marks":[\#(marks)]}"#
    bytes.append(contentsOf: rest.utf8)
    Frame.close(&bytes, from: 0)
    return bytes
  }

  /// Reads the line, given without its newline; nil when it is none.
  init?(line: ArraySlice<UInt8>) {
    guard Frame.fault(in: line) == nil, let object = FrameObject(line),
      let revision = object.number("snapshot"), let epoch = object.number("e"),
      let time = object.number("t"), let store = object.text("store"),
      let commits = object.number("commits"), let ends = object.pairs("ends"),
      let marks = object.pairs("marks")
    else { return nil }
    self.init(
      revision: revision, epoch: epoch, storeID: store, time: time, commits: commits,
      epochEnds: ends.map { EpochEnd(epoch: $0.0, lastRevision: $0.1) },
      marks: marks.map { Mark(revision: $0.0, time: $0.1) })
  }

  init(
    revision: Int64, epoch: Int64, storeID: String, time: Int64, commits: Int64,
    epochEnds: [EpochEnd] = [], marks: [Mark] = []
  ) {
    self.revision = revision
    self.epoch = epoch
    self.storeID = storeID
    self.time = time
    self.commits = commits
    self.epochEnds = epochEnds
    self.marks = marks
  }
}

/// The last line of a snapshot: with it, and only with it, the snapshot is complete.
struct SnapshotFooter: Sendable, Hashable {
  var revision: Int64
  var items: Int64
  var deleted: Int64
  /// Where this line begins.
  var offset: Int64

  /// No footer is longer.
  static let longest = 256

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    Frame.open(&bytes)
    let rest = #","end":\#(revision),"items":\#(items),"deleted":\#(deleted),"bytes":\#(offset)}"#
    bytes.append(contentsOf: rest.utf8)
    Frame.close(&bytes, from: 0)
    return bytes
  }

  init(revision: Int64, items: Int64, deleted: Int64, offset: Int64) {
    self.revision = revision
    self.items = items
    self.deleted = deleted
    self.offset = offset
  }

  /// Reads the line, given without its newline; nil when it is none.
  init?(line: ArraySlice<UInt8>) {
    guard Frame.fault(in: line) == nil, let object = FrameObject(line),
      let revision = object.number("end"), let items = object.number("items"),
      let deleted = object.number("deleted"), let offset = object.number("bytes"),
      items >= 0, deleted >= 0, deleted <= items
    else { return nil }
    self.init(revision: revision, items: items, deleted: deleted, offset: offset)
  }
}

/// A framed line as a JSON object; keys that are not asked for are passed over.
struct FrameObject {
  private let object: JSONObject

  init?(_ line: ArraySlice<UInt8>) {
    // A line that is no JSON is no line of this format: the caller says so.
    guard let value = try? JSONValue(parsing: Array(line)), case .object(let object) = value else {
      return nil
    }
    self.object = object
  }

  func number(_ key: String) -> Int64? { object[key].flatMap(FrameObject.number) }

  func text(_ key: String) -> String? {
    if case .string(let text)? = object[key] { text } else { nil }
  }

  func pairs(_ key: String) -> [(Int64, Int64)]? {
    guard case .array(let rows)? = object[key] else { return nil }
    var pairs: [(Int64, Int64)] = []
    for row in rows {
      guard case .array(let two) = row, two.count == 2, let first = FrameObject.number(two[0]),
        let second = FrameObject.number(two[1])
      else { return nil }
      pairs.append((first, second))
    }
    return pairs
  }

  private static func number(_ value: JSONValue) -> Int64? {
    if case .number(let number) = value { Int64(number.text) } else { nil }
  }
}
