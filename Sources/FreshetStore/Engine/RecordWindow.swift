/// Reads records of a few files that mostly lie one after another, many with one call.
///
/// It keeps a stretch of each file: what a state's items are in is a snapshot and the segments after
/// it.
struct RecordWindow {
  private static let files = 4

  /// The one used last is the first.
  private var stretches: [RecordStretch] = []

  /// Hands out the parts of a record.
  mutating func read<R>(
    _ location: Location, _ use: (StoredRecord) -> R
  ) throws(StoreError) -> R {
    guard findStretch(location) else { return try location.read(use) }
    return try stretches[0].read(location.offset, location.length, use)
  }

  /// An entry's record as a value of its own, when a query wants it.
  ///
  /// It shares its bytes with its neighbours, where most of them are wanted as well.
  mutating func record(
    _ location: Location, _ entry: Index.Entry, _ known: Origin?, in query: Query
  ) throws(StoreError) -> Record? {
    guard findStretch(location) else {
      return try location.source.recordAlone(entry, known, in: query)
    }
    return try stretches[0].record(entry, known, in: query)
  }

  /// Makes the file's stretch the first one; false when there was none, so that a record that stands
  /// alone is read alone.
  private mutating func findStretch(_ location: Location) -> Bool {
    if stretches.first?.source === location.source { return true }
    if let at = stretches.firstIndex(where: { $0.source === location.source }) {
      stretches.swapAt(0, at)
      return true
    }
    if stretches.count == RecordWindow.files { stretches.removeLast() }
    stretches.insert(
      RecordStretch(
        location.source, expecting: location.offset + Int64(location.length)), at: 0)
    return false
  }
}
