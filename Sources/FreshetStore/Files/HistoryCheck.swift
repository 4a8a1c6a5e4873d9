/// Follows the journal's lines and says where they do not fit together.
///
/// It knows nothing of files: it is given the lines that check, and told of those that do not.
struct HistoryCheck {
  /// The last commit seen, or the one before the first.
  private(set) var revision: Int64
  private(set) var epoch: Int64 = 1
  private(set) var commits = 0
  private(set) var liveCount = 0
  private(set) var deletedCount = 0
  /// The revision and the state of each item, while nothing is missing: later lines name the
  /// revision they replace.
  private var items: [[UInt8]: (revision: Int64, isLive: Bool)] = [:]
  private var isComplete: Bool
  /// The commit that is being read: its revision, lines so far, lines in all.
  private var open: (revision: Int64, seen: Int, count: Int)?

  /// - Parameter isComplete: Whether the lines begin with the store's first commit, so that what
  ///   they replace must have been seen.
  init(before revision: Int64, isComplete: Bool) {
    self.revision = revision
    self.isComplete = isComplete
  }

  /// True when the last commit is whole.
  var isBetweenCommits: Bool { open == nil }

  /// After bytes that are no record: what follows may lack something.
  mutating func skip() {
    isComplete = false
    open = nil
  }

  /// Takes one line; returns what is wrong with its place in the history.
  mutating func add(_ line: RecordLine, id: @autoclosure () -> [UInt8]) -> String? {
    let fault = order(line)
    if fault != nil { isComplete = false }
    let replaced = isComplete ? apply(line, id()) : nil
    if replaced != nil { isComplete = false }
    return fault ?? replaced
  }

  private mutating func order(_ line: RecordLine) -> String? {
    defer {
      open = line.index < line.count ? (line.revision, line.index, line.count) : nil
      if line.index == line.count { commits += 1 }
      revision = max(revision, line.revision)
      if line.kind == .epoch { epoch = max(epoch, line.epoch) }
    }
    if let open {
      if line.revision == open.revision, line.index == open.seen + 1, line.count == open.count {
        return nil
      }
      return "commit \(open.revision) has \(open.seen) of its \(open.count) lines"
    }
    if line.kind == .epoch {
      return line.revision > revision && line.epoch > epoch
        ? nil : "epoch \(epoch) at revision \(revision) is followed by epoch \(line.epoch)"
    }
    if line.revision != revision + 1 {
      return line.revision > revision
        ? "revisions \(revision + 1) to \(line.revision - 1) are missing"
        : "revision \(revision) is followed by revision \(line.revision)"
    }
    return line.index == 1 ? nil : "the first \(line.index - 1) lines of the commit are missing"
  }

  private mutating func apply(_ line: RecordLine, _ id: [UInt8]) -> String? {
    let known = items[id]
    switch line.kind {
    case .put:
      let replaced = known.flatMap { $0.isLive ? $0.revision : nil } ?? 0
      guard line.replaces == replaced else {
        return "revision \(line.revision) replaces revision \(line.replaces) of its item, which is "
          + (replaced == 0 ? "not there" : "at revision \(replaced)")
      }
      if replaced == 0 {
        liveCount += 1
        if known != nil { deletedCount -= 1 }
      }
      items[id] = (line.revision, true)
    case .soft, .restore:
      let isLive = line.kind == .soft
      guard let known, known.isLive == isLive, known.revision == line.replaces else {
        return "revision \(line.revision) replaces revision \(line.replaces) of its item, which is "
          + "not there"
      }
      liveCount += isLive ? -1 : 1
      deletedCount += isLive ? 1 : -1
      items[id] = (line.revision, !isLive)
    case .clear:
      for (id, item) in items where item.isLive { items[id] = (line.revision, false) }
      deletedCount += liveCount
      liveCount = 0
    case .erase:
      for (id, item) in items where !item.isLive && item.revision <= line.replaces {
        items[id] = nil
        deletedCount -= 1
      }
    default: break
    }
    return nil
  }
}
