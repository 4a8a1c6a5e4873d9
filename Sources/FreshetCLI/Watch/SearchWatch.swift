import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore
import Synchronization

/// `freshet watch search`: the search screen, driven line by line, with every step told.
///
/// Unlike the other views it shows nothing of the store: its state lives in this process, and what
/// the reader does not take cannot be read again. So the next line is taken only when the reader has
/// what the one before led to; or, with `--on-slow resync`, at once, and what does not fit is told as
/// a gap and the state after it.
final class SearchWatch {
  private let session: Session
  private let model: SearchModel
  private let teller: ViewTeller
  private let tokens: [Disposable]
  private let query: String
  private let isDriven: Bool
  private let resyncs: Bool
  private let timeout: Duration?
  private let clock = ContinuousClock()
  /// How many lines could not be understood.
  private var faults = 0

  /// With `--on-slow resync`: so many bytes may wait before states are left out.
  private static let ringBytes = 65_536

  /// Makes the screen of a command line; asks nothing.
  ///
  /// - Throws: ``Stop/usage(_:)``, ``Stop/credentials(_:)``.
  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    self.session = session
    guard let source = invocation.value("source").flatMap(CatalogAccess.Source.init) else {
      throw .usage(
        "missing_option",
        "watch search needs --source kakao, --source google or --source tmdb")
    }
    guard invocation.arguments.count > 1 else {
      throw .usage("bad_arguments", "watch search needs a QUERY, as in watch search dune")
    }
    if let word = invocation.arguments.dropFirst(2).first {
      throw .usage(
        "bad_arguments", "watch search is followed alone, and does not take “\(word.prefix(80))”")
    }
    for name in ["since", "cursor-file", "initial", "count", "until-idle", "heartbeat", "strict"]
    where invocation.has(name) {
      throw .usage("bad_option", "option --\(name) is for the views of the store")
    }
    query = invocation.arguments[1]
    isDriven = invocation.value("scroll") != nil
    resyncs = invocation.value("on-slow") == "resync"
    timeout = try invocation.duration("timeout")
    let filter = try RecordFilter(invocation)
    let access = try CatalogAccess(invocation, session)
    model = SearchModel(
      catalog: access.searching(source), rules: source.rules,
      scheduler: QueueScheduler(label: "freshet.search"))
    teller = ViewTeller(
      session.output, .search, filter, limit: resyncs ? Self.ringBytes : nil,
      didTell: session.waiter.wake)
    tokens = teller.follow(model.transitions, model.notices) { state in
      state.items.map { item in
        let body = item.jsonBytes
        return ViewStep.Row(
          id: item.id.text, revision: 0, body: body, text: ItemText.row(item.id.text, body))
      }
    }
  }

  /// Runs the screen to the end of what there is to do.
  func run() throws(Stop) -> Finish {
    session.sayHello(command: "watch")
    defer {
      for token in tokens { token.dispose() }
      model.close()
    }
    let deadline = timeout.map { clock.now + $0 }
    teller.begin("s1:A1")
    model.submit(query)
    guard var state = try settled(until: deadline) else { return .timeout }
    if isDriven {
      guard let last = try drive(state, until: deadline) else { return .timeout }
      state = last
    }
    try session.output.flush()
    teller.tellGap()
    guard case .failed(let error) = state.phase else {
      return faults == 0 ? .done : .someFailed
    }
    let problem = Problem(error)
    session.sayError(problem)
    // In a script the result of the line counts and says it.
    if !session.isOfJob {
      session.count("failed")
      session.diagnostics.error(problem.message)
    }
    return problem.isCredential ? .credentials : .someFailed
  }

  /// An intent a line, until standard input ends; nil when the time is over.
  private func drive(
    _ first: SearchModel.State, until deadline: ContinuousClock.Instant?
  ) throws(Stop) -> SearchModel.State? {
    let input = try Input("-", session: session)
    var splitter = LineSplitter()
    var state = first
    while true {
      try writeOn()
      // Answers to lines are never left out, so they have to be taken before more come.
      let mayRead = session.output.waitingBytes < 2 * Self.ringBytes
      let wake = try session.waiter.wait(
        input: mayRead ? input.waitsOn : nil, forOutput: session.output.waitingBytes > 0,
        timeout: deadline.map { clock.now.duration(to: $0) })
      if wake.isTimeout { return nil }
      guard wake.inputIsReady, let piece = try input.read() else { continue }
      var lines: [LineSplitter.Line] = []
      var isEnd = false
      if case .bytes(let bytes) = piece {
        lines = splitter.feed(bytes)
      } else {
        lines = splitter.finish().map { [$0] } ?? []
        isEnd = true
      }
      for line in lines where take(line) {
        guard let next = try settled(until: deadline) else { return nil }
        state = next
      }
      if isEnd { return state }
    }
  }

  /// Waits until the screen waits for nothing, writing meanwhile; nil when the time is over.
  private func settled(until deadline: ContinuousClock.Instant?) throws(Stop) -> SearchModel.State?
  {
    let box = Mutex<SearchModel.State?>(nil)
    let waiter = session.waiter
    let token = model.settled().subscribe(
      onValue: { state in
        box.withLock { $0 = state }
        waiter.wake()
      }, onEnd: { _ in })
    defer { token.dispose() }
    while true {
      try writeOn()
      if let state = box.withLock({ $0 }) { return state }
      let wake = try waiter.wait(
        forOutput: session.output.waitingBytes > 0,
        timeout: deadline.map { clock.now.duration(to: $0) })
      if wake.isTimeout { return nil }
    }
  }

  /// Writes what was told: all of it, or with `--on-slow resync` what the reader takes.
  private func writeOn() throws(Stop) {
    guard resyncs else { return try session.output.flush() }
    try session.output.flushWhatFits()
    // The gap is told once the reader has all that was told before it.
    guard teller.hasGap, session.output.waitingBytes == 0 else { return }
    teller.tellGap()
    try session.output.flushWhatFits()
  }

  /// Does what a line says; false when nothing is to be waited for.
  private func take(_ line: LineSplitter.Line) -> Bool {
    let text = line.bytes.map { String(decoding: $0, as: UTF8.self).trimmingSpaces } ?? ""
    let word = String(text.prefix { $0 != " " })
    let rest = String(text.dropFirst(word.count)).trimmingSpaces
    teller.begin("s1:L\(line.number)")
    switch (word, rest) {
    case ("submit", _): model.submit(rest)
    case ("more", ""): model.reachedEnd()
    case ("retry", ""): model.retry()
    case ("cancel", ""): model.cancel()
    case ("clear", ""): model.clear()
    case ("select", _) where !rest.isEmpty: model.select(id: rest)
    case ("", ""): return false
    default:
      faults += 1
      session.tell(
        CommandResult("watch", line: line.number, correlation: "s1:L\(line.number)").failed(
          Problem(
            code: "bad_words",
            message: "the lines are submit QUERY, more, retry, cancel, clear and select ID, not "
              + "“\(text.prefix(80))”")))
      return false
    }
    return true
  }
}

extension Finish {
  /// The time of `--timeout` is over.
  static let timeout = Finish(reason: "timeout", exit: ExitCode.timeout)
}
