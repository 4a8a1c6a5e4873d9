import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// `freshet watch search`: the search screen, driven line by line, with every step told.
///
/// Unlike the other views it shows nothing of the store: its state lives in this process, and what
/// the reader does not take cannot be read again. So a line is taken only when the reader has all
/// that was told before; or, with `--on-slow resync`, at once, and what does not fit is told as a gap
/// and the state after it. No line waits for a page but those that would go on from it.
final class SearchWatch {
  private let session: Session
  private let model: SearchModel
  private let answers: AnswersInTurn
  private let teller: ViewTeller
  private let tokens: [Disposable]
  private let query: String
  private let isDriven: Bool
  private let resyncs: Bool
  private let timeout: Duration?
  private let clock = ContinuousClock()
  /// How many lines could not be understood.
  private var faults = 0
  /// Lines that were read and not taken yet.
  private var lines: ArraySlice<SearchLine> = []

  /// With `--on-slow resync`: so many bytes may wait before states are left out.
  private static let ringBytes = 65_536
  /// So many lines may wait for a page before no more are read.
  private static let waitingLines = 1000

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
    answers = AnswersInTurn(access.searching(source), didCome: session.waiter.wake)
    model = SearchModel(
      catalog: answers, rules: source.rules,
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
    let input = isDriven ? try Input("-", session: session) : nil
    begin("s1:A1")
    model.submit(query)
    guard try drive(by: input, until: deadline) else { return .timeout }
    try session.output.flush()
    teller.tellGap()
    let state = model.state
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

  /// Takes lines and answers as they come, until standard input has ended and nothing is on its way;
  /// false when the time is over.
  private func drive(
    by input: Input?, until deadline: ContinuousClock.Instant?
  ) throws(Stop) -> Bool {
    var splitter = LineSplitter()
    var isAtEnd = input == nil
    while true {
      try writeOn()
      if takeAnswer() || takeLine() { continue }
      if isAtEnd, lines.isEmpty, model.state.isSettled { return true }
      let mayRead = !isAtEnd && hasRoom && lines.count < Self.waitingLines
      let wake = try session.waiter.wait(
        input: mayRead ? input?.waitsOn : nil, forOutput: session.output.waitingBytes > 0,
        timeout: deadline.map { clock.now.duration(to: $0) })
      if wake.isTimeout { return false }
      guard wake.inputIsReady, let piece = try input?.read() else { continue }
      if case .bytes(let bytes) = piece {
        lines += splitter.feed(bytes).map(SearchLine.init)
      } else {
        if let line = splitter.finish() { lines.append(SearchLine(line)) }
        isAtEnd = true
      }
    }
  }

  /// Answers to lines are never left out, so they have to be taken before more come.
  private var hasRoom: Bool { session.output.waitingBytes < 2 * Self.ringBytes }

  private func callOff(_ line: SearchLine, by word: String) {
    switch line.intent {
    case .blank: break
    case .bad(let text): refuse(text, line)
    case .submit, .more, .retry, .cancel, .clear, .select:
      var result = CommandResult("watch", line: line.number, correlation: line.correlation)
      result.isOK = false
      result.status = .canceled
      result.reason = word
      session.tell(result)
    }
  }

  /// Whether a line has to wait for the page that is on its way.
  private func waits(_ line: SearchLine) -> Bool {
    let state = model.state
    return !state.isSettled && line.waitsForPage { state.results?.items.row(id: $0) != nil }
  }

  /// Gives the screen an answer of the catalogue; false when none waits.
  private func takeAnswer() -> Bool {
    guard let answer = answers.next() else { return false }
    begin(answer.correlation)
    answer.deliver()
    return true
  }

  /// Does what the next line says; false when there is none, or it has to wait.
  ///
  /// A line that stops what runs goes before those that wait, and calls them off.
  private func takeLine() -> Bool {
    guard hasRoom, var line = lines.popFirst() else { return false }
    if waits(line) {
      guard let place = lines.firstIndex(where: { $0.stop != nil }) else {
        lines.insert(line, at: lines.startIndex)
        return false
      }
      let stop = lines[place]
      for called in [line] + lines[..<place] { callOff(called, by: stop.stop ?? "") }
      lines = lines[(place + 1)...]
      line = stop
    }
    begin(line.correlation)
    switch line.intent {
    case .submit(let query): model.submit(query)
    case .more: model.reachedEnd()
    case .retry: model.retry()
    case .cancel: model.cancel()
    case .clear: model.clear()
    case .select(let id): model.select(id: id)
    case .blank: break
    case .bad(let text): refuse(text, line)
    }
    return true
  }

  private func refuse(_ text: String, _ line: SearchLine) {
    faults += 1
    session.tell(
      CommandResult("watch", line: line.number, correlation: line.correlation).failed(
        Problem(
          code: "bad_words",
          message: "the lines are submit QUERY, more, retry, cancel, clear and select ID, not "
            + "“\(text.prefix(80))”")))
  }

  /// From here on what happens is told under this name.
  private func begin(_ correlation: String?) {
    teller.begin(correlation)
    answers.begin(correlation)
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
}

extension Finish {
  /// The time of `--timeout` is over.
  static let timeout = Finish(reason: "timeout", exit: ExitCode.timeout)
}
