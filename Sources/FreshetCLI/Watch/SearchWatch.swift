import Dispatch
import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// `freshet watch search`: the search screen, driven line by line, with every step told.
///
/// Unlike the other views it shows nothing of the store: its state lives in this process.
struct SearchWatch {
  private let session: Session
  private let model: SearchModel
  private let teller: ViewTeller
  private let tokens: [Disposable]
  private let query: String
  private let isDriven: Bool

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
    for name in [
      "since", "cursor-file", "initial", "count", "timeout", "until-idle", "heartbeat", "strict",
    ]
    where invocation.has(name) {
      throw .usage("bad_option", "option --\(name) is for the views of the store")
    }
    query = invocation.arguments[1]
    isDriven = invocation.value("scroll") != nil
    let rules: SearchModel.Rules =
      switch source {
      case .kakao: .kakao
      case .google: .google
      case .tmdb: .tmdb
      }
    let access = try CatalogAccess(invocation, session)
    model = SearchModel(
      catalog: access.searching(source), rules: rules,
      scheduler: QueueScheduler(label: "freshet.search"))
    teller = ViewTeller(session.output, .search)
    tokens = teller.follow(model.transitions, model.notices)
  }

  /// Runs the screen to the end of what there is to do.
  func run() throws(Stop) -> Finish {
    session.sayHello(command: "watch")
    defer {
      for token in tokens { token.dispose() }
      model.close()
    }
    teller.begin("s1:A1")
    model.submit(query)
    var state = try session.settled(model.settled())
    if isDriven { state = try drive(state) }
    guard case .failed(let error) = state.phase else {
      return session.counted("failed") == 0 ? .done : .someFailed
    }
    let problem = Problem(error)
    session.count("failed")
    session.sayError(problem)
    session.diagnostics.error(problem.message)
    return problem.isCredential ? .credentials : .someFailed
  }

  /// An intent a line, until standard input ends.
  private func drive(_ first: SearchModel.State) throws(Stop) -> SearchModel.State {
    let input = try Input("-", session: session)
    var splitter = LineSplitter()
    var state = first
    while let bytes = try input.next() {
      for line in splitter.feed(bytes) { state = try take(line) ?? state }
    }
    if let last = splitter.finish() { state = try take(last) ?? state }
    return state
  }

  private func take(_ line: LineSplitter.Line) throws(Stop) -> SearchModel.State? {
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
    case ("", ""): return nil
    default:
      session.tell(
        CommandResult("watch", line: line.number, correlation: "s1:L\(line.number)").failed(
          Problem(
            code: "bad_words",
            message: "the lines are submit QUERY, more, retry, cancel, clear and select ID, not "
              + "“\(text.prefix(80))”")))
      return nil
    }
    return try session.settled(model.settled())
  }
}
