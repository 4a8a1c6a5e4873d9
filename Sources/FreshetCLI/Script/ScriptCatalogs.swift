import FreshetCatalog
import FreshetStore

/// The catalogues of a script's run: made when a line first needs them; the last search stays.
final class ScriptCatalogs {
  private let invocation: Invocation
  private let session: Session
  private let manager: DatabaseManager
  private let isDry: Bool
  private var access: CatalogAccess?
  private var assets: AssetLoader?
  private var search: SearchRun?

  init(
    _ invocation: Invocation, _ session: Session, _ manager: DatabaseManager, isDry: Bool
  ) {
    self.invocation = invocation
    self.session = session
    self.manager = manager
    self.isDry = isDry
  }

  /// Does what a line says and answers it.
  func run(_ action: CatalogAction, _ result: CommandResult) throws(Stop) {
    switch action {
    case .download(let id): try download(id, result)
    case .search(let subject, let source, let size):
      let search = SearchRun(
        subject, source, try catalogs(), session, pageSize: size)
      self.search = search
      answer(result, try search.start(result.correlation ?? ""), search)
    case .more:
      guard let search else {
        session.tell(
          result.failed(
            Problem(code: "no_search", message: "there is no search to go on with")))
        return
      }
      answer(result, try search.more(result.correlation ?? ""), search)
    }
  }

  private func catalogs() throws(Stop) -> CatalogAccess {
    if let access { return access }
    let made = try CatalogAccess(invocation, session)
    access = made
    return made
  }

  private func download(_ id: ItemID, _ result: CommandResult) throws(Stop) {
    let catalogs = try catalogs()
    let loader = assets ?? catalogs.assets(of: manager)
    assets = loader
    var result = result
    result.id = id.text
    let run = DownloadRun(
      access: catalogs, manager: manager, session: session, assets: loader, jobs: 1,
      isDry: isDry)
    try run.run([DownloadRun.Entry(target: .id(id), result: result)])
  }

  private func answer(
    _ result: CommandResult, _ outcome: SearchRun.Outcome, _ search: SearchRun
  ) {
    switch outcome {
    case .more: break
    case .end: search.tellEnd("end", nil, result.correlation ?? "")
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
