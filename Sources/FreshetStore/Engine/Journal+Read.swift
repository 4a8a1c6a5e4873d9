import Synchronization

extension Journal {
  /// All items in list order.
  func records(includingDeleted: Bool) throws(StoreError) -> [Record] {
    try checkOpen()
    try refresh()
    let index = state.withLock { $0.log.index }
    return try records(of: index, includingDeleted: includingDeleted)
  }

  func records(of index: Index, includingDeleted: Bool) throws(StoreError) -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(includingDeleted ? index.count : index.liveCount)
    var window = RecordWindow()
    for number in 0..<index.count {
      let entry = index[number]
      guard entry.state == .live || (includingDeleted && entry.state == .deleted) else { continue }
      let known = try index.knownOrigin(of: number, entry)
      try window.read(index.location(of: entry)) { stored in
        records.append(Record(stored, entry, known))
      }
    }
    return records
  }

  /// One item; nil when it is absent, or deleted and `includingDeleted` is false.
  func record(id: String, includingDeleted: Bool) throws(StoreError) -> Record? {
    try checkOpen()
    try refresh()
    let bytes = Array(id.utf8)
    let hash = folder.hash.of(bytes)
    let found = state.withLock { state in
      state.log.index.candidates(hash).map {
        ($0.number, $0.entry, state.log.index.location(of: $0.entry))
      }
    }
    for (number, entry, location) in found where includingDeleted || entry.state == .live {
      var known: Origin?
      if entry.created > 0 || entry.source > 0 {
        let index = state.withLock { $0.log.index }
        known = try index.knownOrigin(of: number, entry)
      }
      let record = try location.read { stored in
        stored.isID(bytes) ? Record(stored, entry, known) : nil
      }
      if let record { return record }
    }
    return nil
  }
}

extension Index {
  /// An entry's place in the list, unless the record itself says it.
  func knownOrigin(of number: Int, _ entry: Entry) throws(StoreError) -> Origin? {
    if entry.created > 0 {
      return Origin(created: entry.created, index: Int(entry.createdIndex))
    }
    return entry.source == 0 ? nil : try origin(of: number, entry)
  }
}

extension Record {
  init(_ stored: StoredRecord, _ entry: Index.Entry, _ known: Origin?) {
    let origin = known ?? stored.origin ?? Origin(created: entry.revision, index: 1)
    self.init(
      id: stored.idHasEscapes
        ? String(decoding: stored.idBytes, as: UTF8.self)
        : String(decoding: stored.rawID, as: UTF8.self),
      revision: entry.revision, created: origin.created, createdIndex: origin.index,
      isDeleted: entry.state != .live, body: stored.bodyBytes)
  }

  init(_ content: LineContent, _ entry: Index.Entry, _ origin: Origin) {
    self.init(
      id: String(decoding: content.id, as: UTF8.self), revision: entry.revision,
      created: origin.created, createdIndex: origin.index, isDeleted: entry.state != .live,
      body: content.body)
  }

  var origin: Origin { Origin(created: created, index: createdIndex) }
}

/// Reads records that mostly lie one after another, many with one call.
///
/// It keeps two stretches: what a list's items are in is a snapshot and a segment after it.
struct RecordWindow {
  private static let bytes = 256 << 10

  private struct Stretch {
    var source: DataFile
    var start: Int64
    var bytes: [UInt8]
    /// Where the next record would be, were they one after another.
    var expected: Int64

    func holds(_ location: Location) -> Bool {
      source === location.source && location.offset >= start
        && location.offset + Int64(location.length) <= start + Int64(bytes.count)
    }
  }

  private var latest: Stretch?
  private var other: Stretch?

  mutating func read<R>(
    _ location: Location, _ use: (StoredRecord) -> R
  ) throws(StoreError) -> R {
    if latest?.source !== location.source { swap(&latest, &other) }
    let end = location.offset + Int64(location.length)
    if latest?.source !== location.source {
      latest = Stretch(source: location.source, start: 0, bytes: [], expected: end)
      return try location.read(use)
    }
    guard let stretch = latest else { return try location.read(use) }
    latest?.expected = end
    if !stretch.holds(location) {
      let isNear =
        location.offset >= stretch.expected
        && location.offset < stretch.expected + Int64(RecordWindow.bytes)
      if !isNear { return try location.read(use) }
      try load(location)
    }
    guard let loaded = latest else { return try location.read(use) }
    return try RecordWindow.use(loaded, location, use)
  }

  private mutating func load(_ location: Location) throws(StoreError) {
    let count = max(RecordWindow.bytes, location.length)
    // The old bytes go first, so that their room can be used again.
    latest?.bytes = []
    do throws(SystemError) {
      latest?.bytes = try location.source.file.bytes(at: location.offset, count: count)
    } catch {
      throw .reading(location.source.path, at: location.offset, error)
    }
    latest?.start = location.offset
  }

  private static func use<R>(
    _ stretch: Stretch, _ location: Location, _ use: (StoredRecord) -> R
  ) throws(StoreError) -> R {
    let from = Int(location.offset - stretch.start)
    return try stretch.bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in
        let end = min(from + location.length, bytes.count)
        return try location.source.read(
          UnsafeRawBufferPointer(rebasing: bytes[min(from, end)..<end]), at: location.offset, use)
      }
    }.get()
  }
}
