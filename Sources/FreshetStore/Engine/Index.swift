/// Where each item's latest record is, in list order.
///
/// It holds no ids and no bodies: an entry is found by the 64-bit hash of its id, and whoever uses
/// it reads the line and compares the id. Entries stay in the order of their insertion, which is
/// the list order, in blocks that copies share until one changes: a copy is a snapshot.
///
/// Folding the journal's commits gives the same index, whoever folds them.
struct Index: Sendable {
  enum State: UInt8, Sendable {
    case live, deleted
    /// Its id was saved again after a delete, as a new entry.
    case gone
  }

  struct Entry: Sendable {
    var hash: UInt64
    var revision: Int64
    var created: Int64
    var createdIndex: UInt32
    var segment: UInt32
    var offset: UInt32
    var length: UInt32
    var state: State
  }

  /// What a line did to the list, with the entry's number.
  enum Effect: Sendable {
    case inserted(Int), updated(Int), removed(Int), restored(Int)
    case cleared
    case none
  }

  private static let blockBits = 9
  private static let blockSize = 1 << blockBits

  private var blocks: [[Entry]] = []
  /// Entry number + 1 by hash, open addressing; 0 is free.
  private var slots: [UInt32] = []
  private var segments: [Int64] = []
  private(set) var count = 0
  private(set) var liveCount = 0
  private var goneCount = 0

  subscript(_ number: Int) -> Entry {
    blocks[number >> Index.blockBits][number & (Index.blockSize - 1)]
  }

  func location(of entry: Entry) -> Location {
    Location(
      place: Place(segment: segments[Int(entry.segment)], offset: Int64(entry.offset)),
      length: Int(entry.length))
  }

  /// The entries that may be the id's: none or one, but for colliding hashes.
  func candidates(_ hash: UInt64) -> [Entry] {
    var found: [Entry] = []
    forEachCandidate(hash) { number in
      found.append(self[number])
      return true
    }
    return found
  }

  @inline(__always)
  private func forEachCandidate(_ hash: UInt64, _ visit: (Int) -> Bool) {
    guard !slots.isEmpty else { return }
    let mask = slots.count - 1
    var at = Int(truncatingIfNeeded: hash) & mask
    while slots[at] != 0 {
      let number = Int(slots[at] - 1)
      let entry = self[number]
      if entry.hash == hash && entry.state != .gone && !visit(number) { return }
      at = (at + 1) & mask
    }
  }

  private func first(_ hash: UInt64, where isIt: (Entry) -> Bool) -> Int? {
    var found: Int?
    forEachCandidate(hash) { number in
      if isIt(self[number]) { found = number }
      return found == nil
    }
    return found
  }

  /// Applies one line of the journal; nil when the line speaks of a record that is not there.
  mutating func apply(_ line: LogLine, revision: Int64) -> Effect? {
    switch line.kind {
    case .put:
      return put(line, revision: revision)
    case .soft:
      let target = first(line.hash) { $0.revision == line.replaces && $0.state == .live }
      guard let target else { return nil }
      move(target, to: line, revision: revision, state: .deleted)
      liveCount -= 1
      return .removed(target)
    case .restore:
      let target = first(line.hash) { $0.revision == line.replaces && $0.state == .deleted }
      guard let target else { return nil }
      move(target, to: line, revision: revision, state: .live)
      liveCount += 1
      return .restored(target)
    case .clear:
      clear(revision: revision)
      return .cleared
    case .epoch, .unknown:
      return Effect.none
    }
  }

  private mutating func put(_ line: LogLine, revision: Int64) -> Effect? {
    if line.replaces > 0 {
      let target = first(line.hash) { $0.revision == line.replaces && $0.state == .live }
      guard let target else { return nil }
      move(target, to: line, revision: revision, state: .live)
      return .updated(target)
    }
    if let old = first(line.hash, where: { $0.state == .deleted }) {
      set(old) { $0.state = .gone }
      goneCount += 1
    }
    if goneCount > 1024 && goneCount > count / 2 { squeeze() }
    let entry = Entry(
      hash: line.hash, revision: revision, created: revision, createdIndex: UInt32(line.index),
      segment: ordinal(line.location.place.segment), offset: UInt32(line.location.place.offset),
      length: UInt32(line.location.length), state: .live)
    append(entry)
    liveCount += 1
    return .inserted(count - 1)
  }

  private mutating func append(_ entry: Entry) {
    if count & (Index.blockSize - 1) == 0 {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(Index.blockSize)
    }
    blocks[blocks.count - 1].append(entry)
    count += 1
    if 2 * count > slots.count { growSlots() } else { link(count - 1, hash: entry.hash) }
  }

  private mutating func link(_ number: Int, hash: UInt64) {
    let mask = slots.count - 1
    var at = Int(truncatingIfNeeded: hash) & mask
    while slots[at] != 0 { at = (at + 1) & mask }
    slots[at] = UInt32(number + 1)
  }

  private mutating func growSlots() {
    slots = [UInt32](repeating: 0, count: max(64, slots.count * 2))
    for number in 0..<count { link(number, hash: self[number].hash) }
  }

  private mutating func set(_ number: Int, _ change: (inout Entry) -> Void) {
    change(&blocks[number >> Index.blockBits][number & (Index.blockSize - 1)])
  }

  private mutating func move(_ number: Int, to line: LogLine, revision: Int64, state: State) {
    guard line.hasBody else {
      // The body stays where the record before has it.
      set(number) { entry in
        entry.revision = revision
        entry.state = state
      }
      return
    }
    let segment = ordinal(line.location.place.segment)
    set(number) { entry in
      entry.revision = revision
      entry.segment = segment
      entry.offset = UInt32(line.location.place.offset)
      entry.length = UInt32(line.location.length)
      entry.state = state
    }
  }

  private mutating func clear(revision: Int64) {
    for number in 0..<count where self[number].state == .live {
      set(number) { entry in
        entry.state = .deleted
        entry.revision = revision
      }
    }
    liveCount = 0
  }

  private mutating func ordinal(_ segment: Int64) -> UInt32 {
    if segments.last != segment { segments.append(segment) }
    return UInt32(segments.count - 1)
  }

  /// Drops the entries that are gone; the numbers of the others change.
  private mutating func squeeze() {
    let old = blocks
    blocks = []
    count = 0
    goneCount = 0
    slots = [UInt32](repeating: 0, count: slots.count)
    for block in old {
      for entry in block where entry.state != .gone { append(entry) }
    }
  }
}
