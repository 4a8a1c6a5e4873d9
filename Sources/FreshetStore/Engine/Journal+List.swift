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
    let reading = try ListReading(index, includesDeleted: includingDeleted, query)
    let count = index.count
    let parts = count < 2 * Journal.partEntries ? 1 : min(Platform.processorCount, 4)
    if parts > 1, let expected = reading.expectedCount, 2 * expected >= count {
      return try inPlace(reading, count, parts: parts)
    }
    var pieces = try together(parts, count) { (_, range) throws(StoreError) in
      var records: [Record] = []
      if let expected = reading.expectedCount {
        records.reserveCapacity(min(expected, range.count))
      }
      try reading.read(range) { records.append($0) }
      return records
    }
    var records = pieces.removeFirst()
    for piece in pieces { records.append(contentsOf: piece) }
    return records
  }

  /// The records of a list that holds most of the entries: each part puts its own where they stay.
  private func inPlace(
    _ reading: ListReading, _ count: Int, parts: Int
  ) throws(StoreError) -> [Record] {
    var failure: StoreError?
    let records = [Record](unsafeUninitializedCapacity: count) { places, filled in
      guard let start = places.baseAddress else { return }
      let room = ListRoom(start: start)
      let made = Mutex([Int](repeating: 0, count: parts))
      do throws(StoreError) {
        _ = try together(parts, count) { (part, range) throws(StoreError) in
          let first = room.start + range.lowerBound
          var next = first
          defer { made.withLock { $0[part] = next - first } }
          try reading.read(range) { record in
            next.initialize(to: record)
            next += 1
          }
        }
      } catch {
        failure = error
      }
      // Closes the gaps that deleted items have left; after a failure what was made goes as a whole.
      for (part, made) in made.withLock({ $0 }).enumerated() {
        let from = count * part / parts
        if from != filled { (start + filled).moveInitialize(from: start + from, count: made) }
        filled += made
      }
    }
    if let failure { throw failure }
    return records
  }

  /// Does each part of so many entries on a thread; throws the first part's error.
  private func together<Piece: Sendable>(
    _ parts: Int, _ count: Int,
    _ work: @Sendable (_ part: Int, Range<Int>) throws(StoreError) -> Piece
  ) throws(StoreError) -> [Piece] {
    if parts == 1 { return [try work(0, 0..<count)] }
    let results = Mutex([Result<Piece, StoreError>?](repeating: nil, count: parts))
    SharedPool.runTogether(parts) { part in
      let range = (count * part / parts)..<(count * (part + 1) / parts)
      let result = Result { () throws(StoreError) in try work(part, range) }
      results.withLock { $0[part] = result }
    }
    let ended = results.withLock { results in
      defer { results = [] }
      return results
    }
    var pieces: [Piece] = []
    for result in ended {
      if let piece = try result?.get() { pieces.append(piece) }
    }
    return pieces
  }
}

/// Room for a list's records, of which each thread fills its own part.
// @unchecked: the parts do not overlap, and whoever has made the room waits until all threads have
// ended. `LongListTests` would notice, and so would the thread sanitizer.
private struct ListRoom: @unchecked Sendable {
  let start: UnsafeMutablePointer<Record>
}
