import FreshetCatalog
import FreshetStore

/// The catalogues of a script's run: made when a line first needs them; the last search stays.
///
/// Used by the main thread; the work it hands out runs as jobs.
final class ScriptCatalogs {
  /// What a job does, and with which session.
  struct Work {
    let session: Session
    let run: @Sendable (Session) throws(Stop) -> Void
  }

  private let invocation: Invocation
  private let session: Session
  private let manager: DatabaseManager
  private var access: CatalogAccess?
  private var assets: AssetLoader?
  private var search: (number: Int, run: JobOwned<SearchRun>, session: Session)?
  private var searchCount = 0

  init(
    _ invocation: Invocation, _ session: Session, _ manager: DatabaseManager
  ) {
    self.invocation = invocation
    self.session = session
    self.manager = manager
  }

  /// What a line touches.
  func touch(of action: CatalogAction) -> ScriptTouch {
    switch action {
    case .download(let id): .items([id.text])
    case .search: .nothing
    case .more: search.map { .search($0.number) } ?? .nothing
    }
  }

  /// What a started search, or the one that goes on, is called.
  var searchTouch: ScriptTouch { search.map { .search($0.number) } ?? .nothing }

  /// Makes what a line says ready to run; nil when there is nothing to run, as `more` before any
  /// search.
  /// - Throws: ``Stop`` for settings that make no sense and for keys that cannot be read.
  func work(
    _ action: CatalogAction, _ result: CommandResult, _ jobs: ScriptJobs
  ) throws(Stop) -> Work? {
    switch action {
    case .download(let id):
      return Work(
        session: try jobs.makeSession(correlation: result.correlation),
        run: try download(id, result))
    case .search(let subject, let source, let size):
      let lane = try jobs.makeSession(correlation: nil)
      let run = JobOwned(SearchRun(subject, source, try catalogs(), lane, pageSize: size))
      searchCount += 1
      search = (searchCount, run, lane)
      return Work(session: lane) { (session) throws(Stop) in
        let outcome = try run.value.start(result.correlation ?? "")
        Self.answer(result, outcome, run.value, session)
      }
    case .more:
      guard let search else { return nil }
      let run = search.run
      return Work(session: search.session) { (session) throws(Stop) in
        let outcome = try run.value.more(result.correlation ?? "")
        Self.answer(result, outcome, run.value, session)
      }
    }
  }

  /// The catalogues as the settings have them.
  func catalogs() throws(Stop) -> CatalogAccess {
    if let access { return access }
    let made = try CatalogAccess(invocation, session)
    access = made
    return made
  }

  private func download(
    _ id: ItemID, _ result: CommandResult
  ) throws(Stop) -> @Sendable (Session) throws(Stop) -> Void {
    let catalogs = try catalogs()
    let loader = assets ?? catalogs.assets(of: manager)
    assets = loader
    let manager = manager
    return { (session) throws(Stop) in
      let run = DownloadRun(
        access: catalogs, manager: manager, session: session, assets: loader, jobs: 1)
      try run.run([DownloadRun.Entry(target: .id(id), result: result)])
    }
  }

  private static func answer(
    _ result: CommandResult, _ outcome: SearchRun.Outcome, _ search: SearchRun,
    _ session: Session
  ) {
    switch outcome {
    case .more: break
    case .end: search.tellEnd(search.endReason, nil, result.correlation ?? "")
    case .failed(let problem):
      // Another `more` asks for the page again.
      session.tell(result.failed(problem))
      return
    }
    var result = result
    result.count = search.itemCount
    session.tell(result)
  }
}
