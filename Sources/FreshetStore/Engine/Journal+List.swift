import Synchronization

extension Journal {
  /// Fewer entries than this are not worth a thread.
  private static let partEntries = 8192

  /// The items of an index that a query holds, in list order.
  ///
  /// A long list is read by several threads, each a part of it: what takes the time is copying and
  /// checking.
  func records(
    of index: Index, includingDeleted: Bool, matching query: Query = .all
  ) throws(StoreError) -> [Record] {
    let reading = ListReading(
      index: index, includesDeleted: includingDeleted, query: query,
      segments: try index.denseSources().map { FileChunks($0) })
    let count = index.count
    let parts = count < 2 * Journal.partEntries ? 1 : min(Platform.processorCount, 4)
    if parts == 1 { return try reading.records(0..<count, isFirst: true) }
    let results = Mutex([Result<[Record], StoreError>?](repeating: nil, count: parts))
    SharedPool.runTogether(parts) { part in
      let range = (count * part / parts)..<(count * (part + 1) / parts)
      let result = Result { () throws(StoreError) in
        try reading.records(range, isFirst: part == 0)
      }
      results.withLock { $0[part] = result }
    }
    var pieces = results.withLock { results in
      defer { results = [] }
      return results
    }
    var records: [Record] = []
    for part in pieces.indices {
      guard let piece = try pieces[part]?.get() else { continue }
      pieces[part] = nil
      if part == 0 { records = piece } else { records.append(contentsOf: piece) }
    }
    return records
  }
}

/// Makes records of an index's entries.
private struct ListReading: Sendable {
  let index: Index
  let includesDeleted: Bool
  let query: Query
  /// The segments that are read whole.
  let segments: [FileChunks]

  /// The first part makes room for all.
  func records(_ range: Range<Int>, isFirst: Bool) throws(StoreError) -> [Record] {
    var records: [Record] = []
    if query.isAll {
      let all = includesDeleted ? index.count : index.liveCount
      records.reserveCapacity(isFirst ? all : min(all, range.count))
    }
    var window = RecordWindow()
    var lastSegment: FileChunks?
    for number in range {
      let entry = index[number]
      guard entry.state == .live || (includesDeleted && entry.state == .deleted) else { continue }
      let location = index.location(of: entry)
      if entry.source == 0 && index.base != nil {
        let record = try window.record(location, entry, nil) { $0.isIn(query) }
        if let record { records.append(record) }
        continue
      }
      var known: Origin?
      if entry.created > 0 {
        known = Origin(created: entry.created, index: Int(entry.createdIndex))
      } else {
        let original = index.original(number)
        known = try window.read(index.location(of: original)) { record in
          record.origin ?? Origin(created: original.revision, index: 1)
        }
      }
      if lastSegment?.source !== location.source {
        lastSegment = segments.first { $0.source === location.source }
      }
      let record =
        if let lastSegment {
          try lastSegment.record(location, entry, known) { $0.isIn(query) }
        } else {
          try window.record(location, entry, known) { $0.isIn(query) }
        }
      if let record { records.append(record) }
    }
    return records
  }
}

/// A segment, most of which is wanted, in stretches that are read once, in whatever order they are
/// asked for.
///
/// Several threads may read it: each stretch is read by one of them, outside the lock, or by two that
/// come at the same moment.
private final class FileChunks: Sendable {
  private static let bytes = 256 << 10

  let source: DataFile
  private let chunks = Mutex<[Int: [UInt8]]>([:])

  init(_ source: DataFile) { self.source = source }

  /// The record as a value that shares its bytes with its neighbours.
  func record(
    _ location: Location, _ entry: Index.Entry, _ known: Origin?,
    where isWanted: (StoredRecord) -> Bool
  ) throws(StoreError) -> Record? {
    let number = Int(location.offset) / FileChunks.bytes
    let from = Int(location.offset) % FileChunks.bytes
    let chunk = try chunk(number)
    let end = from + location.length
    guard end <= chunk.count else {
      // It reaches into the next one.
      return try location.read { isWanted($0) ? Record($0, entry, known) : nil }
    }
    return try chunk.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in
        try source.read(
          UnsafeRawBufferPointer(rebasing: bytes[from..<end]), at: location.offset
        ) { stored -> Record? in
          guard isWanted(stored) else { return nil }
          let body = (from + stored.body.lowerBound)..<(from + stored.body.upperBound)
          return Record(stored, entry, known, chunk[body])
        }
      }
    }.get()
  }

  private func chunk(_ number: Int) throws(StoreError) -> [UInt8] {
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
