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
    var window = RecordWindow(folder: folder)
    for number in 0..<index.count {
      let entry = index[number]
      guard entry.state == .live || (includingDeleted && entry.state == .deleted) else { continue }
      records.append(Record(try window.content(at: index.location(of: entry)), entry))
    }
    return records
  }

  /// One item; nil when it is absent, or deleted and `includingDeleted` is false.
  func record(id: String, includingDeleted: Bool) throws(StoreError) -> Record? {
    try checkOpen()
    try refresh()
    let bytes = Array(id.utf8)
    let hash = ItemHash.of(bytes)
    let found = state.withLock { state in
      state.log.index.candidates(hash).map { ($0, state.log.index.location(of: $0)) }
    }
    for (entry, location) in found where includingDeleted || entry.state == .live {
      let content = try folder.content(at: location)
      if content.id == bytes { return Record(content, entry) }
    }
    return nil
  }
}

extension Record {
  init(_ content: LineContent, _ entry: Index.Entry) {
    self.init(
      id: String(decoding: content.id, as: UTF8.self), revision: entry.revision,
      created: entry.created, createdIndex: Int(entry.createdIndex),
      isDeleted: entry.state != .live, body: content.body)
  }
}

/// Reads records that mostly lie one after another, many with one call.
struct RecordWindow {
  private static let bytes = 256 << 10
  let folder: StoreFolder
  private var segment: Int64 = 0
  private var start: Int64 = 0
  private var window: [UInt8] = []
  private var expected = Place(segment: 0, offset: 0)

  init(folder: StoreFolder) { self.folder = folder }

  mutating func content(at location: Location) throws(StoreError) -> LineContent {
    let offset = location.place.offset
    let isNear =
      location.place.segment == expected.segment && offset >= expected.offset
      && offset < expected.offset + Int64(RecordWindow.bytes)
    defer {
      expected = Place(segment: location.place.segment, offset: offset + Int64(location.length))
    }
    if !isNear { return try folder.content(at: location) }
    let isInside =
      segment == location.place.segment && offset >= start
      && offset + Int64(location.length) <= start + Int64(window.count)
    if !isInside {
      let file = try folder.segment(location.place.segment)
      do throws(SystemError) {
        window = try file.bytes(at: offset, count: max(RecordWindow.bytes, location.length))
      } catch {
        throw .reading(folder.path(ofSegment: location.place.segment), at: offset, error)
      }
      segment = location.place.segment
      start = offset
    }
    let from = Int(offset - start)
    let slice = window[from..<min(from + location.length, window.count)]
    return try StoreFolder.content(of: slice, at: location, in: folder)
  }
}
