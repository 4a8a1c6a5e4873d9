import FreshetStore

/// `freshet watch --from-file`: records that were written earlier, told again through the same
/// views, filters and bounds, as a reader of the live stream would get them.
///
/// The records stay as they are, but for `seq`, and for the cursors, which become those of this
/// stream. Every `stream.hello` and `stream.end` of the log gives way to the one of this run.
final class LogReplay {
  private let session: Session
  private let plan: WatchPlan
  private let bounds: WatchBounds
  private let path: String
  private let clock = ContinuousClock()

  private var progress: Progress
  /// The last record told of a commit that goes on: it has the cursor if nothing follows.
  private var held: LoggedRecord?
  /// The place up to which all was told or passed over.
  private var place: Token?
  private var counted = 0
  private var faults = 0
  private var lastTold: ContinuousClock.Instant

  /// Where in the log the replay is.
  private struct Progress {
    /// The store and the epoch of the log, once they are known.
    var store: String?
    var hasBegun = false
    /// Between `snapshot.begin` and the initial bookmark.
    var isInSnapshot = false
    var showsSnapshot: Bool
    /// Commits up to this one are left out.
    var skip: Token?
  }

  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    self.session = session
    path = invocation.value("from-file") ?? "-"
    if let option = ["grade", "class"].first(where: invocation.has) {
      throw .usage(
        "bad_option", "option --\(option) cannot be had with --from-file: the log has no grades")
    }
    plan = try WatchPlan(invocation, isReplay: true)
    bounds = try WatchBounds(invocation, plan)
    var skip: Token?
    switch bounds.start.position {
    case .now:
      throw .usage("bad_option", "--since now cannot be had with --from-file: nothing will follow")
    case .after(let token): skip = token
    case .snapshot, .oldest: break
    }
    progress = Progress(showsSnapshot: bounds.start.showsSnapshot, skip: skip)
    lastTold = clock.now
  }

  func run() throws(Stop) -> Finish {
    let deadline = bounds.timeout.map { clock.now + $0 }
    let input = try Input(path, session: session)
    var splitter = LineSplitter()
    while true {
      let idle = bounds.untilIdle.map { lastTold + $0 }
      let next = [deadline, idle].compactMap { $0 }.min()
      let lines: [LineSplitter.Line]
      var isEnd = false
      switch try input.next(until: next) {
      case .bytes(let bytes): lines = splitter.feed(bytes)
      case .end:
        lines = splitter.finish().map { [$0] } ?? []
        isEnd = true
      case .called: continue
      case .nothing:
        let isTimeout = deadline.map { clock.now >= $0 } ?? false
        return try finish(
          isTimeout
            ? .timeout
            : Finish(reason: "idle", exit: ExitCode.done))
      }
      for line in lines {
        try session.waiter.checkSignal()
        if let end = try take(line) { return try finish(end) }
        if session.output.waitingBytes >= Output.highWaterBytes { try session.output.flush() }
      }
      try keepPlace()
      if isEnd {
        return try finish(
          faults > 0 ? .someFailed : Finish(reason: "input_end", exit: ExitCode.done))
      }
    }
  }

  private func finish(_ finish: Finish) throws(Stop) -> Finish {
    begin(with: nil)
    release()
    try keepPlace()
    session.count("events", counted)
    return finish
  }

  /// Remembers the place in the cursor file, after what was told up to it is written.
  private func keepPlace() throws(Stop) {
    guard let file = bounds.cursorFile, let place else { return }
    try session.output.flush()
    try file.write(Cursor(token: place, filter: plan.cursorFilter))
  }

  // MARK: Records

  private func take(_ line: LineSplitter.Line) throws(Stop) -> Finish? {
    let record: LoggedRecord
    do throws(Problem) {
      guard let read = try LoggedRecord(line) else { return nil }
      record = read
    } catch {
      begin(with: nil)
      faults += 1
      session.tell(
        CommandResult("watch", line: line.number, correlation: "s1:L\(line.number)").failed(error))
      return nil
    }
    if record.type == "stream.hello" {
      begin(with: record)
      try check(record, line.number)
      return nil
    }
    begin(with: nil)
    if record.isOfCommit { return takeCommit(record) }
    release()
    return try takeOther(record)
  }

  /// A record that is part of a commit.
  private func takeCommit(_ record: LoggedRecord) -> Finish? {
    if let skip = progress.skip, let revision = record.revision, revision <= skip.revision {
      return nil
    }
    if plan.tells(record) {
      release()
      held = record
    }
    guard let token = record.cursor else { return nil }
    place = token
    release(at: token)
    guard let limit = bounds.count, counted >= limit else { return nil }
    return Finish(reason: "count", exit: ExitCode.done)
  }

  private func takeOther(_ record: LoggedRecord) throws(Stop) -> Finish? {
    switch record.type {
    case "stream.end": return nil
    case "snapshot.begin":
      progress.isInSnapshot = true
      if progress.showsSnapshot, plan.tells(record) { tell(record) }
    case "stream.bookmark": return takeBookmark(record)
    case "stream.gap", "stream.reset":
      if bounds.isStrict {
        throw .cursor(
          Problem(
            code: record.reason ?? "diverged",
            message: "the log has a \(record.type.dropFirst(7)) at this place"))
      }
      // A snapshot follows, and whoever was told of the break needs it.
      progress.showsSnapshot = true
      progress.skip = nil
      tell(record)
    case _ where record.type.hasPrefix("stream."): tell(record)
    default:
      guard plan.tells(record), !progress.isInSnapshot || progress.showsSnapshot else { return nil }
      tell(record)
    }
    return nil
  }

  private func takeBookmark(_ record: LoggedRecord) -> Finish? {
    let closes = progress.isInSnapshot
    progress.isInSnapshot = false
    if let skip = progress.skip, let token = record.cursor, token.revision < skip.revision {
      return nil
    }
    if let token = record.cursor { place = token }
    var record = record
    record.setCursor(record.cursor.map(plan.cursor))
    record.setView(plan.onlyView?.rawValue)
    if closes, !progress.showsSnapshot { record.setInitial(false) }
    tell(record)
    if closes, progress.showsSnapshot {
      session.serviceManager.ready()
      if bounds.isOnlySnapshot { return .done }
    }
    return nil
  }

  // MARK: Telling

  private func tell(_ record: LoggedRecord) {
    session.output.batch { $0.emit(replaying: record.object, text: record.text) }
    lastTold = clock.now
    if record.isOfCommit, plan.countsItems ? record.isOfItem : record.type == "view.changed" {
      counted += 1
    }
  }

  /// Tells what is held; of a commit that is over with its cursor.
  private func release(at token: Token? = nil) {
    guard var record = held else { return }
    held = nil
    record.setCursor(token.map(plan.cursor))
    tell(record)
  }

  // MARK: The first record

  /// Says hello, with the log's store where the log begins with one.
  private func begin(with hello: LoggedRecord?) {
    guard !progress.hasBegun else { return }
    progress.hasBegun = true
    let store = hello.flatMap { hello -> Session.HelloStore? in
      guard let id = hello.store, let epoch = hello.epoch, let oldest = hello.oldest else {
        return nil
      }
      return Session.HelloStore(id: id, epoch: epoch, oldest: plan.cursor(at: oldest))
    }
    session.sayHello(command: "watch", store: store)
  }

  /// A log is of one store; where it is another than the cursor's, it is told from its start.
  private func check(_ hello: LoggedRecord, _ line: Int) throws(Stop) {
    guard let id = hello.store else { return }
    if let before = progress.store, before != id {
      throw .input(
        Problem(
          code: "different_store",
          message:
            "line \(line) of \(path) begins a log of the store \(id), the lines before it are "
            + "of \(before); replay each by itself"))
    }
    progress.store = id
    guard let skip = progress.skip, skip.storeID != id else { return }
    let problem = Problem(
      code: "different_store",
      message: "the cursor belongs to store \(skip.storeID), the log is of \(id)")
    if bounds.isStrict { throw .cursor(problem) }
    progress.skip = nil
    progress.showsSnapshot = true
    session.output.emit(EventHead("stream.reset")) { data in
      data.string("reason", problem.code)
      data.string("from", plan.cursor(at: skip))
      data.string("oldest", hello.oldest.map(plan.cursor))
    }
    session.diagnostics.note("\(problem.message). It is told from its start.")
  }
}
