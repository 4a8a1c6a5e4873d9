/// Reads records that mostly lie one after another, many with one call.
///
/// It keeps a stretch of each of a few files: what a list's items are in is a snapshot and the
/// segments after it.
struct RecordWindow {
  private static let bytes = 256 << 10
  private static let files = 4

  private struct Stretch {
    let source: DataFile
    /// Where in the file the bytes begin.
    var start: Int64 = 0
    var bytes: [UInt8] = []
    /// So many of the bytes are the file's.
    var count = 0
    /// Where the next record would be, were they one after another.
    var expected: Int64
    /// Records hold the bytes, so that they may not be read over.
    var isHeld = false
    /// The bytes that records were made of.
    var used = 0
    /// Most of the bytes before these went into records.
    var isDense = true

    func holds(_ location: Location) -> Bool {
      location.offset >= start && location.offset + Int64(location.length) <= start + Int64(count)
    }
  }

  /// The one used last is the first.
  private var stretches: [Stretch] = []

  /// Hands out the parts of a record.
  mutating func read<R>(
    _ location: Location, _ use: (StoredRecord) -> R
  ) throws(StoreError) -> R {
    guard try reach(location) else { return try location.read(use) }
    let from = Int(location.offset - stretches[0].start)
    return try stretches[0].bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in
        try location.source.read(
          UnsafeRawBufferPointer(rebasing: bytes[from..<(from + location.length)]),
          at: location.offset, use)
      }
    }.get()
  }

  /// The record as a value of its own, when its id is wanted.
  ///
  /// It shares its bytes with its neighbours, where most of them are wanted as well.
  mutating func record(
    _ location: Location, _ entry: Index.Entry, _ known: Origin?,
    where isWanted: (StoredRecord) -> Bool
  ) throws(StoreError) -> Record? {
    guard try reach(location) else {
      return try location.read { isWanted($0) ? Record($0, entry, known) : nil }
    }
    let shared = stretches[0].bytes
    let isDense = stretches[0].isDense
    let from = Int(location.offset - stretches[0].start)
    let record = try shared.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in
        try location.source.read(
          UnsafeRawBufferPointer(rebasing: bytes[from..<(from + location.length)]),
          at: location.offset
        ) { stored -> Record? in
          guard isWanted(stored) else { return nil }
          guard isDense else { return Record(stored, entry, known) }
          let body = (from + stored.body.lowerBound)..<(from + stored.body.upperBound)
          return Record(stored, entry, known, shared[body])
        }
      }
    }.get()
    if record != nil {
      if isDense { stretches[0].isHeld = true }
      stretches[0].used += location.length
    }
    return record
  }

  /// Makes the first stretch hold a record; false when that is not worth it.
  private mutating func reach(_ location: Location) throws(StoreError) -> Bool {
    let end = location.offset + Int64(location.length)
    if stretches.first?.source !== location.source {
      guard let at = stretches.firstIndex(where: { $0.source === location.source }) else {
        if stretches.count == RecordWindow.files { stretches.removeLast() }
        stretches.insert(Stretch(source: location.source, expected: end), at: 0)
        return false
      }
      stretches.swapAt(0, at)
    }
    let expected = stretches[0].expected
    stretches[0].expected = end
    if stretches[0].holds(location) { return true }
    let isNear =
      location.offset >= expected
      && location.offset < expected + Int64(RecordWindow.bytes)
    guard isNear else { return false }
    try load(location)
    return stretches[0].holds(location)
  }

  private mutating func load(_ location: Location) throws(StoreError) {
    let wanted = max(RecordWindow.bytes, location.length)
    if stretches[0].count > 0 { stretches[0].isDense = 2 * stretches[0].used >= stretches[0].count }
    do throws(SystemError) {
      if stretches[0].isHeld || stretches[0].bytes.count < wanted {
        // The old bytes go first, so that their room can be used again.
        stretches[0].bytes = []
        stretches[0].bytes = try location.source.file.bytes(at: location.offset, count: wanted)
        stretches[0].count = stretches[0].bytes.count
      } else {
        let result = stretches[0].bytes.withUnsafeMutableBytes { buffer in
          Result { () throws(SystemError) in
            try location.source.file.readFully(buffer, at: location.offset)
          }
        }
        stretches[0].count = try result.get()
      }
    } catch {
      stretches[0].count = 0
      throw .reading(location.source.path, at: location.offset, error)
    }
    stretches[0].start = location.offset
    stretches[0].isHeld = false
    stretches[0].used = 0
  }
}
