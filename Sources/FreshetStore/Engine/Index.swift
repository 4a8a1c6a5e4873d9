/// Where each item's latest record is, in list order.
///
/// It holds no ids and no bodies: an entry is found by the hash of its id, and whoever uses it reads
/// the line and compares the id. Entries are numbered in the order of their insertion, which is the
/// list order. The first ones are those of a snapshot, in its mapped table; what later commits
/// changed or added is in memory, in pages that copies share until one changes: a copy is a
/// snapshot (isolation of lists), and memory follows the journal's tail.
///
/// Folding the journal's commits gives the same index, whoever folds them, and from whichever
/// snapshot (I7).
struct Index: Sendable {
  enum State: UInt8, Sendable {
    case live, deleted
    /// Its id was saved again after a delete, as a new entry, or it was erased.
    case gone
  }

  struct Entry: Sendable {
    var hash: UInt64
    var revision: Int64
    /// The commit that inserted it; 0 where the snapshot's line says so.
    var created: Int64
    var offset: Int64
    var length: UInt32
    var createdIndex: UInt32
    /// Which of the index's files it is in.
    var source: UInt32
    var state: State
  }

  /// What a line did to the list, with the entry's number.
  enum Effect: Sendable {
    case inserted(Int), updated(Int), removed(Int), restored(Int)
    case cleared
    case none
  }

  /// The snapshot below.
  let base: Snapshot?
  private let baseCount: Int
  /// Entries that are not, or no longer, as the snapshot has them.
  private var pages = EntryPages<Entry>()
  /// The numbers of the entries after the snapshot's.
  private var slots = HashSlots()
  private var sources: [DataFile] = []
  /// The commits that deleted everything; an entry that was live before the first one after its
  /// revision is deleted by that.
  private var clears: [Int64] = []
  /// Items deleted up to this revision are erased.
  private(set) var erasedUpTo: Int64 = 0
  /// Entries that the commit `touchedRevision` has changed so far.
  private var touched: [Int] = []
  private var touchedRevision: Int64 = 0
  private(set) var count: Int
  private(set) var liveCount: Int
  private var goneCount = 0
  /// False while no item was ever deleted, so that a new one need not be looked for among those.
  private var hasSeenDelete: Bool
  /// The bytes of the lines that entries point to.
  private(set) var keptBytes: Int64

  init(base: Snapshot? = nil) {
    self.base = base
    baseCount = base?.table.count ?? 0
    count = baseCount
    liveCount = baseCount - Int(base?.footer.deleted ?? 0)
    keptBytes = base?.footer.offset ?? 0
    hasSeenDelete = base.map { $0.footer.deleted > 0 } ?? false
    if let base { sources = [base.source] }
  }

  /// The entry as it is now.
  @inline(__always)
  subscript(_ number: Int) -> Entry { seen(raw(number)) }

  @inline(__always)
  private func raw(_ number: Int) -> Entry {
    if let entry = pages[number] { return entry }
    return original(number)
  }

  /// The entry as the snapshot has it.
  @inline(__always)
  func original(_ number: Int) -> Entry {
    guard let found = base?.table[number] else {
      preconditionFailure("entry \(number) is neither in the snapshot nor after it")
    }
    return Entry(
      hash: found.hash, revision: found.revision, created: 0, offset: found.offset,
      length: UInt32(found.length), createdIndex: 0, source: 0,
      state: found.isDeleted ? .deleted : .live)
  }

  /// Applies what concerned all entries at once.
  @inline(__always)
  private func seen(_ entry: Entry) -> Entry {
    var entry = entry
    if entry.state == .live, let last = clears.last, last > entry.revision {
      entry.state = .deleted
      entry.revision = firstClear(after: entry.revision)
    }
    if entry.state == .deleted && entry.revision <= erasedUpTo { entry.state = .gone }
    return entry
  }

  /// There is one: the caller has looked at the last.
  private func firstClear(after revision: Int64) -> Int64 {
    var low = 0
    var high = clears.count - 1
    while low < high {
      let middle = (low + high) / 2
      if clears[middle] > revision { high = middle } else { low = middle + 1 }
    }
    return clears[low]
  }

  func location(of entry: Entry) -> Location {
    Location(
      source: sources[Int(entry.source)], offset: entry.offset, length: Int(entry.length))
  }

  /// The files by their ordinal; nil for those of which less than half is entries' lines, and for
  /// the snapshot.
  ///
  /// O(entries in memory).
  func denseSources() throws(StoreError) -> [DataFile?] {
    var used = [Int64](repeating: 0, count: sources.count)
    pages.forEach { used[Int($0.source)] += Int64($0.length) }
    var dense = [DataFile?](repeating: nil, count: sources.count)
    for (ordinal, source) in sources.enumerated() where source !== base?.source {
      let bytes = used[ordinal]
      if bytes > 0, try 2 * bytes >= source.size { dense[ordinal] = source }
    }
    return dense
  }

  /// An entry's place in the list; reads the snapshot where only that knows.
  func origin(of number: Int, _ entry: Entry) throws(StoreError) -> Origin {
    if entry.created > 0 {
      return Origin(created: entry.created, index: Int(entry.createdIndex))
    }
    let line = original(number)
    let found = try location(of: line).read { $0.origin }
    return found ?? Origin(created: line.revision, index: 1)
  }

  /// The items that were deleted up to a revision and are not erased.
  ///
  /// O(entries).
  func deletedCount(upTo limit: Int64 = .max) -> Int {
    var found = 0
    for number in 0..<count {
      let entry = self[number]
      if entry.state == .deleted && entry.revision <= limit { found += 1 }
    }
    return found
  }

  /// Entries that may be an id's, one beside the others because there is hardly ever another.
  struct Candidates {
    var first: (number: Int, entry: Entry)?
    var others: [(number: Int, entry: Entry)] = []

    var all: [(number: Int, entry: Entry)] {
      guard let first else { return [] }
      return others.isEmpty ? [first] : [first] + others
    }
  }

  /// The entries that may be the id's: none or one, but for colliding hashes.
  func candidates(_ hash: UInt64) -> Candidates {
    var found = Candidates()
    forEachCandidate(hash) { number, entry in
      if found.first == nil {
        found.first = (number, entry)
      } else {
        found.others.append((number, entry))
      }
      return true
    }
    return found
  }

  @inline(__always)
  private func forEachCandidate(_ hash: UInt64, _ visit: (Int, Entry) -> Bool) {
    var goesOn = true
    func look(_ number: Int) -> Bool {
      let entry = self[number]
      if entry.hash == hash && entry.state != .gone { goesOn = visit(number, entry) }
      return goesOn
    }
    slots.forEach(hash, look)
    if goesOn { base?.table.forEachCandidate(hash, look) }
  }

  private func first(_ hash: UInt64, where isIt: (Entry) -> Bool) -> Int? {
    var found: Int?
    forEachCandidate(hash) { number, entry in
      if isIt(entry) { found = number }
      return found == nil
    }
    return found
  }

  /// Applies one line of the journal; nil when the line speaks of a record that is not there.
  mutating func apply(_ line: LogLine, of commit: LogCommit) -> Effect? {
    let revision = commit.revision
    if line.kind == .soft || line.kind == .clear { hasSeenDelete = true }
    if revision != touchedRevision {
      touchedRevision = revision
      touched.removeAll(keepingCapacity: true)
    }
    switch line.kind {
    case .put:
      return put(line, of: commit)
    case .soft:
      let target = first(line.hash) { $0.revision == line.replaces && $0.state == .live }
      guard let target else { return nil }
      move(target, to: line, of: commit, state: .deleted)
      liveCount -= 1
      return .removed(target)
    case .restore:
      let target = first(line.hash) { $0.revision == line.replaces && $0.state == .deleted }
      guard let target else { return nil }
      move(target, to: line, of: commit, state: .live)
      liveCount += 1
      return .restored(target)
    case .clear:
      // Nothing is visited but what this same commit has touched: the rest follows from revisions.
      for number in touched where raw(number).state == .live {
        change(number) { $0.state = .deleted }
      }
      clears.append(revision)
      liveCount = 0
      return .cleared
    case .erase:
      erasedUpTo = max(erasedUpTo, line.replaces)
      return Effect.none
    case .epoch, .unknown:
      return Effect.none
    }
  }

  private mutating func put(_ line: LogLine, of commit: LogCommit) -> Effect? {
    if line.replaces > 0 {
      let target = first(line.hash) { $0.revision == line.replaces && $0.state == .live }
      guard let target else { return nil }
      move(target, to: line, of: commit, state: .live)
      return .updated(target)
    }
    if hasSeenDelete, let old = first(line.hash, where: { $0.state == .deleted }) {
      keptBytes -= Int64(raw(old).length)
      change(old) { $0.state = .gone }
      if old >= baseCount { goneCount += 1 }
    }
    if goneCount > 1024 && goneCount > (count - baseCount) / 2 { squeeze() }
    append(
      Entry(
        hash: line.hash, revision: commit.revision, created: commit.revision,
        offset: line.offset, length: UInt32(line.length), createdIndex: UInt32(line.index),
        source: ordinal(commit.source), state: .live))
    keptBytes += Int64(line.length)
    liveCount += 1
    touched.append(count - 1)
    return .inserted(count - 1)
  }

  private mutating func append(_ entry: Entry) {
    if count & (EntryPages<Entry>.pageSize - 1) != 0 { install(count - 1) }
    pages.append(entry, at: count)
    count += 1
    if !slots.hasRoom(for: count - baseCount) {
      growSlots()
    } else {
      slots.insert(count - 1, hash: entry.hash)
    }
  }

  private mutating func growSlots() {
    slots = HashSlots(capacity: max(64, slots.capacity * 2))
    for number in baseCount..<count { slots.insert(number, hash: raw(number).hash) }
  }

  /// Brings the page of one of the snapshot's entries into memory.
  private mutating func install(_ number: Int) {
    guard pages[number] == nil else { return }
    let start = number & ~(EntryPages<Entry>.pageSize - 1)
    let end = min(start + EntryPages<Entry>.pageSize, baseCount)
    var page: [Entry] = []
    page.reserveCapacity(EntryPages<Entry>.pageSize)
    for each in start..<end { page.append(original(each)) }
    pages.install(page, at: start)
  }

  private mutating func change(_ number: Int, _ change: (inout Entry) -> Void) {
    if number < baseCount { install(number) }
    pages.change(number, change)
  }

  private mutating func move(
    _ number: Int, to line: LogLine, of commit: LogCommit, state: State
  ) {
    touched.append(number)
    guard line.hasBody else {
      // The body stays where the record before has it.
      change(number) { entry in
        entry.revision = commit.revision
        entry.state = state
      }
      return
    }
    keptBytes += Int64(line.length) - Int64(raw(number).length)
    let source = ordinal(commit.source)
    change(number) { entry in
      entry.revision = commit.revision
      entry.source = source
      entry.offset = line.offset
      entry.length = UInt32(line.length)
      entry.state = state
    }
  }

  private mutating func ordinal(_ source: DataFile) -> UInt32 {
    if sources.last !== source { sources.append(source) }
    return UInt32(sources.count - 1)
  }

  /// Drops the entries after the snapshot's that are gone; the numbers of the others change.
  private mutating func squeeze() {
    var rest: [Entry] = []
    for number in baseCount..<count {
      let entry = raw(number)
      if entry.state != .gone { rest.append(entry) }
    }
    pages.cut(from: baseCount)
    count = baseCount
    goneCount = 0
    slots = HashSlots(capacity: slots.capacity)
    for entry in rest { append(entry) }
    touched =
      touched.filter { $0 < baseCount }
      + (baseCount..<count).filter { raw($0).revision == touchedRevision }
  }
}
