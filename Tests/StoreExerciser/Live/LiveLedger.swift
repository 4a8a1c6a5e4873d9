import StoreFaults

/// What the processes of a live run have said, held against each other.
///
/// Every acknowledged commit must be seen once and in order by everybody who follows, unless a typed
/// `compacted` says that it is no longer kept; everybody must see the same, and count the same items.
struct LiveLedger {
  /// Somebody who follows or lists.
  struct Reader {
    let name: String
    /// False for one that only counts items.
    let seesChanges: Bool
    var revision: Int64 = 0
    /// The live items, as far as it is known.
    var live: Int? = 0
    /// Revisions that it has passed over: erases, of which no feed tells, and nothing else.
    var skipped: Set<Int64> = []
    var changes = 0
    var lists = 0
    var compacted = 0
  }

  private(set) var violations: [String] = []
  private(set) var acknowledged: Set<Int64> = []
  private(set) var newest: Int64 = 0
  var readers: [Reader]
  /// The hash of what each commit did, by whoever saw it first.
  private var hashes: [Int64: Int] = [:]
  /// The live items after each commit.
  private var counts: [Int64: Int] = [:]
  /// Acknowledged and not yet seen: what it must hold.
  private var awaited: [Int64: String] = [:]
  /// Seen and not yet acknowledged.
  private var early: [Int64: String] = [:]
  /// Counts that nobody can confirm yet.
  private var confirmed = 0
  private var claims: [(reader: String, revision: Int64, count: Int)] = []
  /// The oldest revision that a reader was told to be kept, or a compaction has left.
  private var oldest: Int64 = 0

  init(_ readers: [Reader]) { self.readers = readers }

  mutating func report(_ text: String) { violations.append(text) }

  // MARK: Writers

  mutating func take(_ line: String, from writer: String) {
    let words = line.split(separator: " ")
    guard words.count == 3, words[0] == "ack", let number = Int(words[1]),
      let revision = Int64(words[2]), revision > 0
    else { return report("\(writer) said: \(line)") }
    if !acknowledged.insert(revision).inserted { report("revision \(revision) was given twice") }
    newest = max(newest, revision)
    for reader in readers where reader.skipped.contains(revision) {
      report("\(reader.name) has not seen \(revision), which \(writer) was told of")
    }
    let mark = #"{"by":"\#(writer)","n":\#(number)}"#
    if let seen = early.removeValue(forKey: revision) {
      if !seen.contains(mark) { report("revision \(revision) of \(writer) is \(seen)") }
    } else if hashes[revision] == nil {
      awaited[revision] = mark
    } else {
      report("revision \(revision) of \(writer) was seen as another's")
    }
  }

  // MARK: Readers

  mutating func hear(_ line: String, _ number: Int) {
    let words = line.split(separator: " ", maxSplits: 3)
    let figures = words.dropFirst().prefix(2).map { Int64($0) ?? -1 }
    let name = readers[number].name
    guard let first = words.first, figures.count == 2, figures[0] >= 0 else {
      return report("\(name) said: \(line)")
    }
    switch first {
    case "c" where words.count == 4: see(figures[0], Int(figures[1]), String(words[3]), number)
    case "list": count(figures[0], Int(figures[1]), number)
    case "compacted":
      readers[number].compacted += 1
      oldest = max(oldest, figures[0])
      if figures[0] <= figures[1] {
        report("\(name) was refused what is after \(figures[1]), and \(figures[0]) is kept")
      }
      if readers[number].seesChanges, readers[number].revision != figures[1] {
        report("\(name) is at \(readers[number].revision), and asked for \(figures[1])")
      }
    default: report("\(name) said: \(line)")
    }
  }

  private mutating func see(_ revision: Int64, _ delta: Int, _ changes: String, _ number: Int) {
    let name = readers[number].name
    let last = readers[number].revision
    guard revision > last else { return report("\(name): \(last) is followed by \(revision)") }
    readers[number].revision = revision
    readers[number].changes += 1
    newest = max(newest, revision)
    for missed in (last + 1)..<revision {
      readers[number].skipped.insert(missed)
      if acknowledged.contains(missed) || hashes[missed] != nil {
        report("\(name) has seen \(last) and \(revision), and not \(missed)")
      }
    }
    let hash = changes.hashValue
    if hashes[revision] == nil {
      hashes[revision] = hash
      if let mark = awaited.removeValue(forKey: revision) {
        if !changes.contains(mark) { report("\(mark) was acknowledged for \(changes)") }
      } else {
        early[revision] = changes
      }
    } else if hashes[revision] != hash {
      report("\(name) has seen another \(revision) than others: \(changes)")
    }
    readers[number].live = readers[number].live.map { $0 + delta }
    if let live = readers[number].live { note(live, at: revision, by: name) }
  }

  private mutating func note(_ live: Int, at revision: Int64, by name: String) {
    if let known = counts[revision], known != live {
      report("\(name) has \(live) items at \(revision), others \(known)")
    }
    counts[revision] = live
  }

  private mutating func count(_ revision: Int64, _ count: Int, _ number: Int) {
    let name = readers[number].name
    readers[number].lists += 1
    if revision < readers[number].revision {
      report("\(name): the list went back from \(readers[number].revision) to \(revision)")
    }
    readers[number].revision = max(readers[number].revision, revision)
    readers[number].live = count
    claims.append((name, revision, count))
  }

  /// Settles the counts that can be settled: those of commits that somebody has followed.
  mutating func settleClaims() {
    let passed = readers.reduce(into: Set<Int64>()) { $0.formUnion($1.skipped) }
    claims = claims.filter { claim in
      var at = claim.revision
      // A revision that no feed tells of has changed nothing.
      while at > 0, counts[at] == nil, passed.contains(at) { at -= 1 }
      guard let known = at == 0 ? 0 : counts[at] else { return true }
      confirmed += 1
      if known != claim.count {
        report("\(claim.reader) lists \(claim.count) items at \(claim.revision), not \(known)")
      }
      return false
    }
  }

  mutating func compacted(_ line: String) {
    let words = line.split(separator: " ").dropFirst().compactMap { Int64($0) }
    guard words.count == 3 else { return report("the compactor said: \(line)") }
    oldest = max(oldest, words[2])
  }

  /// To be called when everybody has come to the end.
  mutating func finish(live: Int) {
    settleClaims()
    if oldest > 0, oldest + Int64(LiveWork.retainedCommits) > newest {
      report("of \(newest) commits only those after \(oldest) were kept")
    }
    for revision in awaited.keys.sorted().prefix(5) {
      report("revision \(revision), acknowledged, was seen by nobody")
    }
    for reader in readers where reader.live != live {
      report("\(reader.name) ends with \(String(describing: reader.live)) items, not \(live)")
    }
    // What all followers have slept past is known to nobody.
    let mayBeUnknown = readers.allSatisfy { !$0.seesChanges || $0.compacted > 0 }
    if !claims.isEmpty, !mayBeUnknown { report("\(claims.count) lists could not be checked") }
  }

  var summary: String {
    let changes = readers.filter(\.seesChanges).map(\.changes)
    let lists = readers.map(\.lists).reduce(0, +)
    let compacted = readers.map(\.compacted).reduce(0, +)
    return "\(acknowledged.count) acknowledged commits, followed \(changes), "
      + "\(lists) lists of which \(confirmed) counted, "
      + "\(compacted) times compacted, \(violations.count) broken promises"
  }
}
