import Synchronization

/// Makes records of an index's entries, for one list that several threads may read together.
///
/// A loop over a million rows must not count references to what all threads share: that takes longer
/// than the reading. So each part of a list takes its own copies first and goes through its rows with
/// plain numbers.
struct ListReading: Sendable {
  private let index: Index
  private let includesDeleted: Bool
  private let query: Query
  /// The segments most of which is wanted, by their ordinal in the index.
  private let segments: [FileChunks?]

  init(_ index: Index, includesDeleted: Bool, _ query: Query) throws(StoreError) {
    self.index = index
    self.includesDeleted = includesDeleted
    self.query = query
    segments = try index.denseSources().map { $0.map { FileChunks($0) } }
  }

  /// So many records there are, or a little fewer; nil when the ids decide.
  var expectedCount: Int? {
    guard query.isAll else { return nil }
    return includesDeleted ? index.count : index.liveCount
  }

  /// Hands out the records of a range of entries, in list order.
  func read(_ range: Range<Int>, _ add: (consuming Record) -> Void) throws(StoreError) {
    let (index, query, includesDeleted) = (index, query, includesDeleted)
    let hasBase = index.base != nil
    var snapshot = index.base.map { RecordStretch($0.source, expecting: 0) }
    var chunks = segments.map { $0.map { ChunkReader($0) } }
    var window = RecordWindow()
    for number in range {
      let entry = index[number]
      guard entry.state == .live || (includesDeleted && entry.state == .deleted) else { continue }
      if entry.source == 0 && hasBase {
        if let record = try snapshot?.record(entry, nil, in: query) { add(record) }
        continue
      }
      var known: Origin?
      if entry.created > 0 {
        known = Origin(created: entry.created, index: Int(entry.createdIndex))
      } else {
        let original = index.original(number)
        known = try snapshot?.read(original.offset, Int(original.length)) { record in
          record.origin ?? Origin(created: original.revision, index: 1)
        }
      }
      let ordinal = Int(entry.source)
      let record =
        if ordinal < chunks.count, chunks[ordinal] != nil {
          try chunks[ordinal]?.record(entry, known, in: query)
        } else {
          try window.record(index.location(of: entry), entry, known, in: query)
        }
      if let record { add(record) }
    }
  }
}

/// One thread's way to a segment's stretches.
private struct ChunkReader {
  private let chunks: FileChunks
  /// Those that this thread has seen, by number; empty where it has not.
  private var seen: [[UInt8]] = []

  init(_ chunks: FileChunks) { self.chunks = chunks }

  /// The record as a value that shares its bytes with its neighbours.
  mutating func record(
    _ entry: Index.Entry, _ known: Origin?, in query: Query
  ) throws(StoreError) -> Record? {
    let number = Int(entry.offset) / FileChunks.bytes
    let from = Int(entry.offset) % FileChunks.bytes
    if number >= seen.count {
      seen.append(contentsOf: repeatElement([], count: number + 1 - seen.count))
    }
    if seen[number].isEmpty { seen[number] = try chunks.chunk(number) }
    guard from + Int(entry.length) <= seen[number].count else {
      // It reaches into the next one.
      return try chunks.source.recordAlone(entry, known, in: query)
    }
    return try Record(
      at: from, of: seen[number], in: chunks.source, entry, known, query, sharesBytes: true)
  }
}

/// A segment, most of which is wanted, in stretches that are read once, in whatever order they are
/// asked for.
///
/// Several threads may read it: each stretch is read by one of them, outside the lock, or by two that
/// come at the same moment.
private final class FileChunks: Sendable {
  static let bytes = 256 << 10

  let source: DataFile
  private let chunks = Mutex<[Int: [UInt8]]>([:])

  init(_ source: DataFile) { self.source = source }

  func chunk(_ number: Int) throws(StoreError) -> [UInt8] {
    if let chunk = chunks.withLock({ $0[number] }) { return chunk }
    let start = Int64(number * FileChunks.bytes)
    do throws(SystemError) {
      let chunk = try source.file.bytes(at: start, count: FileChunks.bytes)
      return chunks.withLock { chunks in
        if let first = chunks[number] { return first }
        chunks[number] = chunk
        return chunk
      }
    } catch {
      throw .reading(source.path, at: start, error)
    }
  }
}
