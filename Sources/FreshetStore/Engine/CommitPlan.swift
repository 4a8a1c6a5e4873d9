/// Works out what a group of requests will write, before a byte is written.
///
/// It sees the index, and over it the commits of other processes that are not yet proven durable
/// and the requests planned before. Nothing here changes the index: that happens when the disk has
/// confirmed.
struct CommitPlan {
  /// An item as the plan sees it.
  private struct Item {
    var isLive: Bool
    var revision: Int64
    var body: Body
    var isErased = false
  }

  private enum Body {
    case bytes([UInt8])
    case at(Location)
  }

  /// A line that will be written, and the hash of its id.
  private struct PlannedLine {
    var line: LineWriter.Line
    var hash: UInt64

    init(line: LineWriter.Line, hash: UInt64) {
      self.line = line
      self.hash = hash
    }

    init(
      _ kind: RecordLine.Kind, _ key: ItemKey, _ hash: UInt64, replaces: Int64 = 0, body: [UInt8]
    ) {
      line = LineWriter.Line(kind: kind, id: key.id, replaces: replaces, body: body)
      self.hash = hash
    }
  }

  /// Where a saved state of the plan differs from now.
  private struct Undo {
    var items: [(key: ItemKey, item: Item?)] = []
    var overlayBeforeClear: [ItemKey: Item]?
    var clearedAt: Int64?
    var liveCount = 0
  }

  let folder: StoreFolder
  /// Entries of the index for a hash, with their places.
  let entries: (UInt64) -> [(entry: Index.Entry, location: Location)]
  /// What goes into the journal, after `start`.
  private(set) var writer: LineWriter
  /// The commits that are to be added to the index after the sync, others' first.
  private(set) var commits: [LogCommit] = []
  private(set) var end: Place
  private(set) var revision: Int64
  private(set) var epoch: Int64
  /// It goes on in a segment that this journal has not been in.
  private(set) var hasEnteredSegment = false
  private var overlay: [ItemKey: Item] = [:]
  private var clearedAt: Int64?
  /// Items of the index that were deleted up to here are erased by a commit of this plan.
  private var erasedUpTo: Int64 = 0
  private var liveCount: Int
  private var undo = Undo()
  /// Body bytes of the request's deletes and restores so far.
  private var bodyBytes = 0

  init(
    folder: StoreFolder, end: Place, revision: Int64, epoch: Int64, liveCount: Int,
    writer: LineWriter = LineWriter(),
    entries: @escaping (UInt64) -> [(entry: Index.Entry, location: Location)]
  ) {
    self.folder = folder
    self.end = end
    self.revision = revision
    self.epoch = epoch
    self.liveCount = liveCount
    self.writer = writer
    self.entries = entries
  }

  /// The end of the plan, for feeds.
  var watermark: HeadRecord {
    HeadRecord(epoch: epoch, segment: end.segment, offset: end.offset, revision: revision)
  }

  /// Takes in a commit of another process.
  mutating func absorb(_ commit: LogCommit, contents: [LineContent]) {
    for (line, content) in zip(commit.lines, contents) {
      let item = Item(isLive: true, revision: commit.revision, body: .bytes(content.body))
      let key = ItemKey(content.id)
      switch line.kind {
      case .put:
        overlay[key] = item
        if line.replaces == 0 { liveCount += 1 }
      case .restore:
        overlay[key] = item
        liveCount += 1
      case .soft:
        let body = content.body.isEmpty ? knownBody(key, line, commit.source) : item.body
        overlay[key] = Item(isLive: false, revision: commit.revision, body: body)
        liveCount -= 1
      case .clear: clear(revision: commit.revision)
      case .erase: erase(upTo: line.replaces)
      case .epoch, .unknown: break
      }
    }
    commits.append(commit)
    end = commit.end
    revision = commit.revision
    epoch = commit.epoch
  }

  /// The body of an item whose delete does not carry it: where it was before.
  private func knownBody(_ key: ItemKey, _ line: LogLine, _ source: DataFile) -> Body {
    if let item = overlay[key] { return item.body }
    let before = entries(line.hash).first { $0.entry.revision == line.replaces }
    return .at(
      before?.location ?? Location(source: source, offset: line.offset, length: line.length))
  }

  private mutating func erase(upTo revision: Int64) {
    for (key, item) in overlay where !item.isLive && item.revision <= revision {
      overlay[key]?.isErased = true
    }
    erasedUpTo = max(erasedUpTo, revision)
  }

  /// Plans the commit after which items that were deleted up to a revision cannot be restored.
  mutating func addErase(upTo revision: Int64, durableBefore: Int64, time: Int64) throws(StoreError)
  {
    let source = try folder.segment(end.segment)
    self.revision += 1
    let length = writer.append(
      LineWriter.Line(kind: .erase, replaces: revision), revision: self.revision,
      durableBefore: durableBefore, index: 1, count: 1, time: time)
    let line = LogLine(
      kind: .erase, hash: 0, replaces: revision, index: 1, offset: end.offset, length: length)
    end.offset += Int64(length)
    commits.append(
      LogCommit(
        revision: self.revision, epoch: epoch, time: time, lines: [line], source: source, end: end))
    erase(upTo: revision)
  }

  /// The bytes, once they are written: their buffer serves the next plan.
  mutating func takeBytes() -> [UInt8] {
    defer { writer = LineWriter() }
    return writer.bytes
  }

  /// Goes on in the next segment, which is empty.
  mutating func continueInNextSegment() {
    hasEnteredSegment = true
    end = Place(segment: revision + 1, offset: 0)
  }

  /// Plans one request as one commit.
  ///
  /// When it fails, the plan is as it was before.
  mutating func add(
    _ operations: [PreparedOperation], durableBefore: Int64, time: Int64
  ) throws(StoreError) -> (revision: Int64?, outcomes: [Outcome]) {
    undo = Undo(clearedAt: clearedAt, liveCount: liveCount)
    if let outcomes = try conflicts(operations) { return (nil, outcomes) }
    var lines: [PlannedLine] = []
    var outcomes: [Outcome] = []
    if operations.count > 1 {
      lines.reserveCapacity(operations.count)
      outcomes.reserveCapacity(operations.count)
      overlay.reserveCapacity(overlay.count + operations.count)
    }
    do throws(StoreError) {
      bodyBytes = 0
      for operation in operations { outcomes.append(try plan(operation, into: &lines)) }
    } catch {
      rollBack()
      throw error
    }
    if lines.isEmpty { return (nil, outcomes) }
    revision += 1
    var commit = LogCommit(
      revision: revision, epoch: epoch, time: time, source: try folder.segment(end.segment),
      end: end)
    commit.lines.reserveCapacity(lines.count)
    let count = lines.count
    for (number, planned) in lines.enumerated() {
      let length = writer.append(
        planned.line, revision: revision, durableBefore: durableBefore, index: number + 1,
        count: count, time: time)
      commit.lines.append(
        LogLine(
          kind: planned.line.kind, hash: planned.hash, replaces: planned.line.replaces,
          index: number + 1, offset: end.offset, length: length,
          hasBody: !planned.line.body.isEmpty))
      end.offset += Int64(length)
    }
    commit.end = end
    commits.append(commit)
    return (revision, outcomes)
  }

  /// The answers of a batch whose expectations are not all met; nil when they are.
  private func conflicts(_ operations: [PreparedOperation]) throws(StoreError) -> [Outcome]? {
    var isMet = true
    for case .expect(let key, let expectation) in operations {
      if !expectation.isMet(by: try liveRevision(key)) { isMet = false }
    }
    if isMet { return nil }
    var outcomes: [Outcome] = []
    for operation in operations {
      guard case .expect(let key, let expectation) = operation else {
        outcomes.append(.notTried)
        continue
      }
      let revision = try liveRevision(key)
      outcomes.append(expectation.isMet(by: revision) ? .met : .conflict(revision))
    }
    return outcomes
  }

  private func liveRevision(_ key: ItemKey) throws(StoreError) -> Int64? {
    guard let item = try item(key, folder.hash.of(key.id)), item.isLive else { return nil }
    return item.revision
  }

  private mutating func rollBack() {
    if let before = undo.overlayBeforeClear { overlay = before }
    for change in undo.items.reversed() { overlay[change.key] = change.item }
    clearedAt = undo.clearedAt
    liveCount = undo.liveCount
  }

  private mutating func plan(
    _ operation: PreparedOperation, into lines: inout [PlannedLine]
  ) throws(StoreError) -> Outcome {
    switch operation {
    case .save(let key, let body):
      let hash = folder.hash.of(key.id)
      let present = try item(key, hash)
      if let present, present.isLive {
        if try bytes(of: present) == body { return .unchanged }
        lines.append(PlannedLine(.put, key, hash, replaces: present.revision, body: body))
        set(key, isLive: true, body: body)
        return .replaced
      }
      lines.append(PlannedLine(.put, key, hash, body: body))
      set(key, isLive: true, body: body)
      liveCount += 1
      return .saved
    case .delete(let key):
      let hash = folder.hash.of(key.id)
      guard let present = try item(key, hash), present.isLive else { return .notFound }
      let body = try bytes(of: present)
      // The body goes along for those who follow, but not without limit.
      bodyBytes += body.count
      let carried = bodyBytes <= Limits.bodyBytes ? body : []
      lines.append(PlannedLine(.soft, key, hash, replaces: present.revision, body: carried))
      set(key, isLive: false, body: body)
      liveCount -= 1
      return .deleted
    case .restore(let key):
      let hash = folder.hash.of(key.id)
      guard let present = try item(key, hash) else { return .notFound }
      if present.isLive { return .notDeleted }
      let body = try bytes(of: present)
      bodyBytes += body.count
      if bodyBytes > Limits.batchBytes {
        throw StoreError(
          .tooLarge, "the batch restores more than \(Limits.batchBytes) bytes, so split it")
      }
      lines.append(PlannedLine(.restore, key, hash, replaces: present.revision, body: body))
      set(key, isLive: true, body: body)
      liveCount += 1
      return .restored
    case .deleteAll:
      let count = liveCount
      if count == 0 { return .deletedAll(0) }
      lines.append(PlannedLine(line: LineWriter.Line(kind: .clear), hash: 0))
      undo.overlayBeforeClear = undo.overlayBeforeClear ?? overlay
      clear(revision: revision + 1)
      return .deletedAll(count)
    case .expect:
      return .met
    }
  }

  private mutating func set(_ key: ItemKey, isLive: Bool, body: [UInt8]) {
    let item = Item(isLive: isLive, revision: revision + 1, body: .bytes(body))
    let old = overlay.updateValue(item, forKey: key)
    if undo.overlayBeforeClear == nil { undo.items.append((key, old)) }
  }

  private mutating func clear(revision: Int64) {
    for (key, item) in overlay where item.isLive {
      overlay[key] = Item(isLive: false, revision: revision, body: item.body)
    }
    // The first one is the one that deleted what is live in the index.
    clearedAt = clearedAt ?? revision
    liveCount = 0
  }

  private func item(_ key: ItemKey, _ hash: UInt64) throws(StoreError) -> Item? {
    if let item = overlay[key] { return item.isErased ? nil : item }
    for (entry, location) in entries(hash) {
      // The hash only says where to look; the record says whose it is.
      let body = try location.read { $0.isID(key.id) ? $0.bodyBytes : nil }
      guard let body else { continue }
      var item = Item(isLive: entry.state == .live, revision: entry.revision, body: .bytes(body))
      if item.isLive, let clearedAt {
        item.isLive = false
        item.revision = clearedAt
      }
      if !item.isLive && item.revision <= erasedUpTo { return nil }
      return item
    }
    return nil
  }

  private func bytes(of item: Item) throws(StoreError) -> [UInt8] {
    switch item.body {
    case .bytes(let bytes): bytes
    case .at(let location): try location.read { $0.bodyBytes }
    }
  }
}
