import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// The screens of a script's run: each is made when a line first needs it, and stays.
final class ScriptScreens {
  private let session: Session
  private let manager: DatabaseManager
  /// What a dry run would have done so far; nil when it is done.
  private let simulation: DrySimulation?
  private var guidance: GuidanceScreen?
  private var books: BooksScreen?
  private var filter: GuidanceFilter = .all
  private var lane: (session: Session, screens: JobOwned<ScriptScreens>)?

  init(_ session: Session, _ manager: DatabaseManager, _ simulation: DrySimulation?) {
    self.session = session
    self.manager = manager
    self.simulation = simulation
  }

  /// Whether guidances are those of a server.
  var asksServer: Bool { session.settings.text("server") != nil }

  /// What a line touches.
  func touch(of action: ScreenAction) -> ScriptTouch {
    switch action {
    case .fold(let id, _): .items([id.text])
    case .change, .filter, .listGuidances: .guidances
    case .select, .listBooks: .nothing
    }
  }

  /// The screens as jobs use them, one at a time: they stay from one to the next.
  func lane(_ jobs: ScriptJobs) throws(Stop) -> (session: Session, screens: JobOwned<ScriptScreens>)
  {
    if let lane { return lane }
    let session = try jobs.makeSession(correlation: nil)
    let made = (session, JobOwned(ScriptScreens(session, manager, nil)))
    lane = made
    return made
  }

  /// Does what a line says, tells every step, and answers with the line's result.
  func run(_ action: ScreenAction, _ result: CommandResult) throws(Stop) -> CommandResult {
    switch action {
    case .fold(let id, let wish):
      if let simulation { return try simulation.fold(id, wish, result, session) }
      return try DetailScreen(session, manager).fold(id, wish, result)
    case .select(let word): return try select(word, result)
    case .change(let change, let isConfirmed): return try make(change, isConfirmed, result)
    case .filter(let name, let grade, let number):
      filter = try GuidanceWords.filter(
        name, grade: grade, class: number, settings: session.settings)
      try guidanceScreen().setFilter(filter, result.correlation)
      return result
    case .listGuidances:
      switch try guidanceScreen().read(result.correlation) {
      case .success(let state):
        try session.showGuidances(state, correlation: result.correlation)
        return result
      case .failure(let problem): return result.failed(problem)
      }
    case .listBooks:
      let screen = booksScreen()
      if let problem = try screen.readQuietly(result.correlation) { return result.failed(problem) }
      try screen.showBooks(result.correlation, simulation)
      return result
    }
  }

  private func select(_ word: String, _ result: CommandResult) throws(Stop) -> CommandResult {
    let screen = booksScreen()
    if let problem = try screen.readQuietly(result.correlation) { return result.failed(problem) }
    return try screen.select(word, result, simulation)
  }

  private func make(
    _ change: GuidanceChange, _ isConfirmed: Bool, _ result: CommandResult
  ) throws(Stop) -> CommandResult {
    var result = result
    result.id = change.id.map { "guidance:\($0)" }
    if simulation != nil, asksServer {
      return result.failed(
        Problem(code: "not_supported", message: "a server cannot be asked what it would do"))
    }
    let answer = try guidanceScreen().make(
      change, result.correlation, isQuiet: simulation != nil
    ) { _ throws(Stop) in isConfirmed }
    return result.answered(answer, doing: change)
  }

  private func guidanceScreen() throws(Stop) -> GuidanceScreen {
    if let guidance { return guidance }
    let service: any GuidanceService
    if let text = session.settings.text("server") {
      do throws(CatalogError) {
        service = session.guidanceClient(try WebAddress(parsing: text))
      } catch {
        throw .usage(error.code.name, error.message)
      }
    } else {
      let local = LocalGuidance(manager: manager)
      service = simulation == nil ? local : RehearsedGuidance(local)
    }
    let screen = GuidanceScreen(session, service: service, filter: filter)
    guidance = screen
    return screen
  }

  private func booksScreen() -> BooksScreen {
    if let books { return books }
    let screen = BooksScreen(session, manager)
    books = screen
    return screen
  }
}
