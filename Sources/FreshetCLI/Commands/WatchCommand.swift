import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// `freshet watch`: a view and everything that happens to it.
enum WatchCommand {
  static let spec = CommandSpec(
    name: "watch",
    summary: "Follow a view live.",
    arguments: [
      ArgumentSpec(
        name: "VIEW",
        help: "downloads (the default), saved, detail ID, books, guidance or search QUERY",
        count: 0...1, choices: ["downloads", "saved", "detail", "books", "guidance", "search"]),
      ArgumentSpec(
        name: "WORD", help: "the id that detail follows, or the query of search", count: 0...1),
    ],
    options: [
      .value(
        "since", "CURSOR",
        "begin after a cursor, at the next change (now), or at the oldest (start)"),
      .value(
        "cursor-file", "FILE", "begin at the cursor in FILE if there is one, and keep it up to date"
      ),
      .value(
        "initial", "WHAT", choices: ["snapshot", "none", "only"],
        "print the state first, not at all, or nothing else"),
      .value("count", "N", "end after N item events, with the commit they are in"),
      .value("timeout", "DUR", "end after this time, with exit code 6"),
      .value("heartbeat", "DUR", "a bookmark after so much silence: 15s (default), or off"),
      .flag("strict", "end with exit code 3 where a gap or a reset would be told"),
      .value("grade", "N", "guidance: only this grade"),
      .value("class", "N", "guidance: only this class of the grade"),
      .value(
        "source", "NAME", choices: CatalogAccess.Source.allCases.map(\.rawValue),
        "search: which catalogue"),
      .value(
        "scroll", "WHERE", choices: ["stdin"],
        "search: go on with lines of submit QUERY, more, retry, cancel, clear, select ID"),
      .value("retry", "N", "search: how often a failed request is made again: 3 (default)"),
      .value("country", "CC", "search: two letters of the country, where Google wants it named"),
    ] + CatalogAccess.options,
    examples: [
      .init(line: "freshet watch downloads", meaning: "the state, then every change as it happens"),
      .init(
        line: "freshet watch guidance --grade 2 --class 8", meaning: "the guidances of one class"),
      .init(
        line: "freshet watch --since start --cursor-file cur.json >>log.ndjson",
        meaning: "a log that can be stopped and goes on where it was"),
      .init(
        line: "freshet watch | jq --unbuffered -c 'select(.type==\"item.added\")'",
        meaning: "only what is new"),
    ],
    notes: [
      "Changes are pulled from the store's log: a slow reader lags, and misses nothing.",
      "downloads are all saved items, saved the books among them; both tell the items. The other "
        + "views tell the transitions of their screen.",
      "A time is written with its unit: 250ms, 15s, 2m or 1h.",
      "There must be a store; freshet save makes one.",
    ],
    later: ["filter", "type", "until-idle", "on-slow", "from-file"],
    run: { (invocation, session) throws(Stop) in
      if invocation.arguments.first == View.search.rawValue {
        return try SearchWatch(invocation, session).run()
      }
      return try Watch(invocation, session).run()
    })
}

/// One run of `watch`.
private struct Watch {
  /// Where to begin, and whether the state there is printed.
  private struct Start {
    var position: StartPosition
    var showsSnapshot: Bool
  }

  private let session: Session
  private let cursorFile: CursorFile?
  private let start: Start
  private let isOnlySnapshot: Bool
  private let isStrict: Bool
  private let count: Int?
  private let timeout: Duration?
  private let heartbeat: Duration?
  private let watched: WatchedView
  private let clock = ContinuousClock()

  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    self.session = session
    cursorFile = invocation.value("cursor-file").map(CursorFile.init)
    count = try invocation.wholeNumber("count", atLeast: 1)
    timeout = try invocation.duration("timeout")
    heartbeat =
      invocation.value("heartbeat") == "off"
      ? nil : try invocation.duration("heartbeat") ?? .seconds(15)
    isStrict = invocation.has("strict")
    isOnlySnapshot = invocation.value("initial") == "only"
    watched = try Self.watched(invocation)
    start = try Self.start(invocation, cursorFile, watched.filter)
  }

  /// What the arguments name.
  private static func watched(_ invocation: Invocation) throws(Stop) -> WatchedView {
    let view = invocation.arguments.first.flatMap(View.init(rawValue:)) ?? .downloads
    if let option = ["source", "scroll", "retry", "country"].first(where: invocation.has) {
      throw .usage("bad_option", "option --\(option) is for watch search alone")
    }
    if view != .guidance, let option = ["grade", "class"].first(where: invocation.has) {
      throw .usage("bad_option", "option --\(option) is for watch guidance alone")
    }
    guard view == .detail else {
      if invocation.arguments.count > 1 {
        throw .usage(
          "bad_arguments",
          "watch \(view.rawValue) does not take “\(invocation.arguments[1].prefix(80))”")
      }
      return switch view {
      case .saved: .saved
      case .books: .books
      case .guidance: .guidance(try guidanceFilter(invocation))
      case .downloads, .detail, .search, .summary, .register: .downloads
      }
    }
    guard let text = invocation.arguments.dropFirst().first else {
      throw .usage("bad_arguments", "watch detail needs an ID, as in watch detail book:local:1")
    }
    do {
      return .detail(try ItemID(text))
    } catch {
      throw .usage(error.code.name, error.message)
    }
  }

  private static func guidanceFilter(_ invocation: Invocation) throws(Stop) -> GuidanceFilter {
    let number = try invocation.wholeNumber("class", atLeast: 1)
    guard let grade = try invocation.wholeNumber("grade", atLeast: 1) else {
      if number == nil { return .all }
      throw .usage("missing_option", "option --class needs --grade N with it")
    }
    return number.map { .classNumber(grade: grade, $0) } ?? .grade(grade)
  }

  private var filter: Cursor.Filter { watched.filter }

  /// A cursor file that exists wins over `--since`, which is for the first run.
  private static func start(
    _ invocation: Invocation, _ file: CursorFile?, _ filter: Cursor.Filter
  ) throws(Stop) -> Start {
    let initial = invocation.value("initial")
    let wantsSnapshot = initial == "snapshot" || initial == "only"
    if let cursor = try file?.read() {
      return try start(at: cursor, filter, wantsSnapshot: wantsSnapshot)
    }
    switch invocation.value("since") {
    case nil:
      return Start(position: .snapshot, showsSnapshot: initial != "none")
    case "now": return Start(position: .now, showsSnapshot: wantsSnapshot)
    case "start": return Start(position: .oldest, showsSnapshot: wantsSnapshot)
    case .some(let text):
      do {
        return try start(at: try Cursor(parsing: text), filter, wantsSnapshot: wantsSnapshot)
      } catch let stop as Stop {
        throw stop
      } catch {
        let shown = "“\(text.prefix(80))”"
        throw .usage(
          "bad_cursor",
          error as? Cursor.Fault == .damaged
            ? "the cursor \(shown) of --since is damaged: its check does not match"
            : "--since takes a cursor of an earlier event, now or start, not \(shown)")
      }
    }
  }

  private static func start(
    at cursor: Cursor, _ filter: Cursor.Filter, wantsSnapshot: Bool
  ) throws(Stop) -> Start {
    guard cursor.filterHash == Cursor(token: cursor.token, filter: filter).filterHash else {
      throw .usage(
        "filter_mismatch",
        "the cursor was taken from a stream with other views or filters and would skip events here")
    }
    return Start(position: .after(cursor.token), showsSnapshot: wantsSnapshot)
  }

  // MARK: Following

  func run() throws(Stop) -> Finish {
    let deadline = timeout.map { clock.now + $0 }
    let manager = try session.openStore(command: "watch", mustExist: true, until: deadline)
    var start = start
    let posters = try PosterFiles(of: manager, session.settings)
    var itemsSeen = 0
    while true {
      let follower = Follower(
        output: session.output, waiter: session.waiter, filter: filter,
        countLimit: count.map { $0 - itemsSeen })
      let subscription = watched.flow(manager, start.position, posters).subscribe(follower)
      defer { subscription.dispose() }
      let end: RunEnd
      do throws(Stop) {
        end = try drive(follower, subscription, start, deadline)
      } catch {
        subscription.dispose()
        if case .signal = error { try keepLast(of: follower) }
        throw error
      }
      itemsSeen += follower.itemCount
      session.count("events", follower.itemCount)
      switch end {
      case .finish(let finish):
        subscription.dispose()
        try keepLast(of: follower)
        return finish
      case .restart(let error):
        try tellReset(error, start.position, manager)
        start = Start(position: .snapshot, showsSnapshot: true)
      }
    }
  }

  private enum RunEnd {
    case finish(Finish)
    /// The cursor leads nowhere: tell so, and begin with a snapshot.
    case restart(StoreError)
  }

  /// Moves what the follower has to stdout until something ends the run.
  private func drive(
    _ follower: Follower, _ subscription: Subscription, _ start: Start,
    _ deadline: ContinuousClock.Instant?
  ) throws(Stop) -> RunEnd {
    var lastSaid = clock.now
    var lastSequence = session.output.sequence
    while true {
      let work = follower.takeWork()
      if let list = work.parked { try show(list, follower, start) }
      try session.output.flush()
      if work.parked?.list.isInitial == true { session.serviceManager.ready() }
      if let token = work.reached ?? work.parked?.list.token { try keep(token, work) }
      if work.parked?.list.isInitial == true, isOnlySnapshot { return .finish(.done) }
      if work.hasReachedCount || (work.parked != nil && follower.hasReachedCount) {
        return .finish(Finish(reason: "count", exit: ExitCode.done))
      }
      if work.isPaused {
        subscription.resume()
        continue
      }
      if let end = work.end { return try runEnd(end) }
      if session.output.sequence != lastSequence {
        lastSequence = session.output.sequence
        lastSaid = clock.now
      }
      let silenceEnd = heartbeat.map { lastSaid + $0 }
      let next = [deadline, silenceEnd].compactMap { $0 }.min()
      let wake = try session.waiter.wait(timeout: next.map { clock.now.duration(to: $0) })
      guard wake.isTimeout else { continue }
      if let deadline, clock.now >= deadline {
        return .finish(Finish(reason: "timeout", exit: ExitCode.timeout))
      }
      if let token = follower.token {
        session.sayBookmark(
          Cursor(token: token, filter: filter).text, revision: token.revision,
          view: watched.view, isInitial: false)
      }
      lastSaid = clock.now
    }
  }

  /// A first state, or a commit too large to be written in one go.
  private func show(
    _ step: ViewStep, _ follower: Follower, _ start: Start
  ) throws(Stop) {
    let list = step.list
    guard list.isInitial else {
      try follower.writeParked(step)
      return
    }
    let cursor = Cursor(token: list.token, filter: filter).text
    if start.showsSnapshot {
      try session.showSnapshot(step, cursor: cursor)
    } else {
      // The screen's first steps tell of a list that is not told here.
      session.sayBookmark(
        cursor, revision: list.token.revision, view: watched.view, isInitial: false)
    }
  }

  /// Remembers a place whose events were written.
  private func keep(_ token: Token, _ work: Follower.Work) throws(Stop) {
    guard let cursorFile else { return }
    try cursorFile.write(Cursor(token: token, filter: filter))
  }

  /// Remembers what came into the buffer since the last look: it is written before the end is told.
  private func keepLast(of follower: Follower) throws(Stop) {
    follower.close()
    let rest = follower.takeWork()
    guard let token = rest.reached else { return }
    try session.output.flush()
    try keep(token, rest)
  }

  private func runEnd(_ end: End<StoreError>) throws(Stop) -> RunEnd {
    switch end {
    case .finished:
      throw .store(
        Problem(code: "source_closed", message: "the store was closed while it was followed"))
    case .failed(let error):
      guard [.differentStore, .diverged, .compacted].contains(error.code) else {
        throw .store(Problem(error))
      }
      if isStrict { throw .cursor(Problem(error)) }
      return .restart(error)
    }
  }

  /// Why a new snapshot follows.
  private func tellReset(
    _ error: StoreError, _ position: StartPosition, _ manager: DatabaseManager
  ) throws(Stop) {
    var from: String?
    if case .after(let token) = position { from = Cursor(token: token, filter: filter).text }
    let isGap = error.code == .compacted
    let oldest: Token
    do {
      oldest = try manager.oldestToken
    } catch {
      throw .store(Problem(error))
    }
    session.output.emit(EventHead(isGap ? "stream.gap" : "stream.reset")) { data in
      data.string("reason", error.code.name)
      data.string("from", from)
      data.string("oldest", Cursor(token: oldest, filter: filter).text)
    }
    session.diagnostics.note("\(error.message). A new snapshot follows.")
  }
}
