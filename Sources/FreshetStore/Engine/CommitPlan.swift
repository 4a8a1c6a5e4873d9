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
  }

  private enum Body {
    case bytes([UInt8])
    case at(Location)
  }

  /// Where a saved state of the plan differs from now.
  private struct Undo {
    var items: [(id: [UInt8], item: Item?)] = []
    var overlayBeforeClear: [[UInt8]: Item]?
    var clearedAt: Int64?
    var liveCount = 0
  }

  let folder: StoreFolder
  /// Entries of the index for a hash, with their places.
  let entries: (UInt64) -> [(entry: Index.Entry, location: Location)]
  /// What goes into the journal, after `start`.
  private(set) var writer = LineWriter()
  /// The commits that are to be added to the index after the sync, others' first.
  private(set) var commits: [LogCommit] = []
  private(set) var end: Place
  private(set) var revision: Int64
  private(set) var epoch: Int64
  private var overlay: [[UInt8]: Item] = [:]
  private var clearedAt: Int64?
  private var liveCount: Int
  private var undo = Undo()
  /// Body bytes of the request's deletes and restores so far.
  private var bodyBytes = 0

  init(
    folder: StoreFolder, end: Place, revision: Int64, epoch: Int64, liveCount: Int,
    entries: @escaping (UInt64) -> [(entry: Index.Entry, location: Location)]
  ) {
    self.folder = folder
    self.end = end
    self.revision = revision
    self.epoch = epoch
    self.liveCount = liveCount
    self.entries = entries
  }

  /// Takes in a commit of another process.
  mutating func absorb(_ commit: LogCommit, contents: [LineContent]) {
    for (line, content) in zip(commit.lines, contents) {
      let item = Item(isLive: true, revision: commit.revision, body: .bytes(content.body))
      switch line.kind {
      case .put:
        overlay[content.id] = item
        if line.replaces == 0 { liveCount += 1 }
      case .restore:
        overlay[content.id] = item
        liveCount += 1
      case .soft:
        let body = content.body.isEmpty ? knownBody(content.id, line) : item.body
        overlay[content.id] = Item(isLive: false, revision: commit.revision, body: body)
        liveCount -= 1
      case .clear: clear(revision: commit.revision)
      case .epoch, .unknown: break
      }
    }
    commits.append(commit)
    end = commit.end
    revision = commit.revision
    epoch = commit.epoch
  }

  /// The body of an item whose delete does not carry it: where it was before.
  private func knownBody(_ id: [UInt8], _ line: LogLine) -> Body {
    if let item = overlay[id] { return item.body }
    let before = entries(line.hash).first { $0.entry.revision == line.replaces }
    return .at(before?.location ?? line.location)
  }

  /// Goes on in the next segment, which is empty.
  mutating func continueInNextSegment() {
    end = Place(segment: revision + 1, offset: 0)
  }

  /// Plans one request as one commit.
  ///
  /// When it fails, the plan is as it was before.
  mutating func add(
    _ operations: [PreparedOperation], durableBefore: Int64, time: Int64
  ) throws(StoreError) -> (revision: Int64?, outcomes: [Outcome]) {
    undo = Undo(clearedAt: clearedAt, liveCount: liveCount)
    var lines: [LineWriter.Line] = []
    var outcomes: [Outcome] = []
    do throws(StoreError) {
      bodyBytes = 0
      for operation in operations { outcomes.append(try plan(operation, into: &lines)) }
    } catch {
      rollBack()
      throw error
    }
    if lines.isEmpty { return (nil, outcomes) }
    revision += 1
    var commit = LogCommit(revision: revision, epoch: epoch, time: time, end: end)
    for (number, line) in lines.enumerated() {
      let length = writer.append(
        line, revision: revision, durableBefore: durableBefore, index: number + 1,
        count: lines.count, time: time)
      commit.lines.append(
        LogLine(
          kind: line.kind, hash: line.id.isEmpty ? 0 : ItemHash.of(line.id),
          replaces: line.replaces, index: number + 1,
          location: Location(place: end, length: length), hasBody: !line.body.isEmpty))
      end.offset += Int64(length)
    }
    commit.end = end
    commits.append(commit)
    return (revision, outcomes)
  }

  private mutating func rollBack() {
    if let before = undo.overlayBeforeClear { overlay = before }
    for change in undo.items.reversed() { overlay[change.id] = change.item }
    clearedAt = undo.clearedAt
    liveCount = undo.liveCount
  }

  private mutating func plan(
    _ operation: PreparedOperation, into lines: inout [LineWriter.Line]
  ) throws(StoreError) -> Outcome {
    switch operation {
    case .save(let id, let body):
      let present = try item(id)
      if let present, present.isLive {
        if try bytes(of: present) == body { return .unchanged }
        lines.append(LineWriter.Line(kind: .put, id: id, replaces: present.revision, body: body))
        set(id, isLive: true, body: body)
        return .replaced
      }
      lines.append(LineWriter.Line(kind: .put, id: id, body: body))
      set(id, isLive: true, body: body)
      liveCount += 1
      return .saved
    case .delete(let id):
      guard let present = try item(id), present.isLive else { return .notFound }
      let body = try bytes(of: present)
      // The body goes along for those who follow, but not without limit.
      bodyBytes += body.count
      let carried = bodyBytes <= Limits.bodyBytes ? body : []
      lines.append(LineWriter.Line(kind: .soft, id: id, replaces: present.revision, body: carried))
      set(id, isLive: false, body: body)
      liveCount -= 1
      return .deleted
    case .restore(let id):
      guard let present = try item(id) else { return .notFound }
      if present.isLive { return .notDeleted }
      let body = try bytes(of: present)
      bodyBytes += body.count
      if bodyBytes > Limits.batchBytes {
        throw StoreError(
          .tooLarge, "the batch restores more than \(Limits.batchBytes) bytes, so split it")
      }
      lines.append(LineWriter.Line(kind: .restore, id: id, replaces: present.revision, body: body))
      set(id, isLive: true, body: body)
      liveCount += 1
      return .restored
    case .deleteAll:
      let count = liveCount
      if count == 0 { return .deletedAll(0) }
      lines.append(LineWriter.Line(kind: .clear))
      undo.overlayBeforeClear = undo.overlayBeforeClear ?? overlay
      clear(revision: revision + 1)
      return .deletedAll(count)
    }
  }

  private mutating func set(_ id: [UInt8], isLive: Bool, body: [UInt8]) {
    if undo.overlayBeforeClear == nil { undo.items.append((id, overlay[id])) }
    overlay[id] = Item(isLive: isLive, revision: revision + 1, body: .bytes(body))
  }

  private mutating func clear(revision: Int64) {
    for (id, item) in overlay where item.isLive {
      overlay[id] = Item(isLive: false, revision: revision, body: item.body)
    }
    clearedAt = revision
    liveCount = 0
  }

  private func item(_ id: [UInt8]) throws(StoreError) -> Item? {
    if let item = overlay[id] { return item }
    for (entry, location) in entries(ItemHash.of(id)) {
      // The hash only says where to look; the record says whose it is.
      let content = try folder.content(at: location)
      guard content.id == id else { continue }
      var item = Item(
        isLive: entry.state == .live, revision: entry.revision, body: .bytes(content.body))
      if item.isLive, let clearedAt {
        item.isLive = false
        item.revision = clearedAt
      }
      return item
    }
    return nil
  }

  private func bytes(of item: Item) throws(StoreError) -> [UInt8] {
    switch item.body {
    case .bytes(let bytes): bytes
    case .at(let location): try folder.content(at: location).body
    }
  }
}
