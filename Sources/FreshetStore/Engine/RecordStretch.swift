/// Reads one file's records that mostly lie one after another, many with one call.
struct RecordStretch {
  static let bytes = 256 << 10

  let source: DataFile
  /// Where in the file the bytes begin.
  private var start: Int64 = 0
  private var bytes: [UInt8] = []
  /// So many of the bytes are the file's.
  private var count = 0
  /// Where the next record would be, were they one after another.
  private var expected: Int64
  /// Records hold the bytes, so that they may not be read over.
  private var isHeld = false
  /// The bytes that records were made of.
  private var used = 0
  /// Most of the bytes before these went into records.
  private var isDense = true

  /// - Parameter expected: Where the next record will probably begin.
  init(_ source: DataFile, expecting expected: Int64) {
    self.source = source
    self.expected = expected
  }

  /// Hands out the parts of a record, which are good until this returns.
  mutating func read<R>(
    _ offset: Int64, _ length: Int, _ use: (StoredRecord) -> R
  ) throws(StoreError) -> R {
    guard try reach(offset, length) else {
      return try source.readAlone(offset, length, use)
    }
    let from = Int(offset - start)
    return try bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in
        use(
          try source.record(
            in: UnsafeRawBufferPointer(rebasing: bytes[from..<(from + length)]), at: offset))
      }
    }.get()
  }

  /// The record as a value of its own, when a query wants it.
  ///
  /// It shares its bytes with its neighbours, where most of them are wanted as well.
  mutating func record(
    _ entry: Index.Entry, _ known: Origin?, in query: Query
  ) throws(StoreError) -> Record? {
    let (offset, length) = (entry.offset, Int(entry.length))
    guard try reach(offset, length) else {
      return try source.recordAlone(entry, known, in: query)
    }
    let record = try Record(
      at: Int(offset - start), of: bytes, in: source, entry, known, query, sharesBytes: isDense)
    if record != nil {
      if isDense { isHeld = true }
      used += length
    }
    return record
  }

  /// Makes the bytes hold a record; false when that is not worth it.
  private mutating func reach(_ offset: Int64, _ length: Int) throws(StoreError) -> Bool {
    let before = expected
    expected = offset + Int64(length)
    if holds(offset, length) { return true }
    guard offset >= before, offset < before + Int64(RecordStretch.bytes) else { return false }
    try load(offset, max(RecordStretch.bytes, length))
    return holds(offset, length)
  }

  private func holds(_ offset: Int64, _ length: Int) -> Bool {
    offset >= start && offset + Int64(length) <= start + Int64(count)
  }

  private mutating func load(_ offset: Int64, _ wanted: Int) throws(StoreError) {
    if count > 0 { isDense = 2 * used >= count }
    do throws(SystemError) {
      if isHeld || bytes.count < wanted {
        // The old bytes go first, so that their room can be used again.
        bytes = []
        bytes = try source.file.bytes(at: offset, count: wanted)
        count = bytes.count
      } else {
        let result = bytes.withUnsafeMutableBytes { buffer in
          Result { () throws(SystemError) in try source.file.readFully(buffer, at: offset) }
        }
        count = try result.get()
      }
    } catch {
      count = 0
      throw .reading(source.path, at: offset, error)
    }
    start = offset
    isHeld = false
    used = 0
  }
}

extension DataFile {
  /// An entry's record, read with a call of its own; nil when the query does not want it.
  func recordAlone(
    _ entry: Index.Entry, _ known: Origin?, in query: Query
  ) throws(StoreError) -> Record? {
    try readAlone(entry.offset, Int(entry.length)) {
      $0.isIn(query) ? Record($0, entry, known) : nil
    }
  }
}

extension Record {
  /// The record at a place in bytes that others may share; nil when the query does not want it.
  init?(
    at from: Int, of bytes: [UInt8], in source: DataFile, _ entry: Index.Entry, _ known: Origin?,
    _ query: Query, sharesBytes: Bool
  ) throws(StoreError) {
    let length = Int(entry.length)
    let found = try bytes.withUnsafeBytes { all in
      Result { () throws(StoreError) -> (id: String, origin: Origin?, body: Range<Int>)? in
        let stored = try source.record(
          in: UnsafeRawBufferPointer(rebasing: all[from..<(from + length)]), at: entry.offset)
        guard stored.isIn(query) else { return nil }
        let body = (from + stored.body.lowerBound)..<(from + stored.body.upperBound)
        return (stored.idText, stored.origin, body)
      }
    }.get()
    guard let found else { return nil }
    let body = bytes[found.body]
    self.init(
      id: found.id, entry, known ?? found.origin, sharesBytes ? body : ArraySlice(Array(body)))
  }
}
