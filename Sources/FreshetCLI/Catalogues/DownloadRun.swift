import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore
import Synchronization

/// Downloads of items with their pictures, several at a time, each answered once.
struct DownloadRun {
  /// What is to be downloaded.
  enum Target {
    /// The item of an id: its record from the store, else from its catalogue.
    case id(ItemID)
    /// A record at hand.
    case record(ContentItem)
  }

  /// One download, and the answer it will get.
  struct Entry {
    let target: Target
    var result: CommandResult
  }

  /// What came of one entry.
  fileprivate enum Step: Sendable {
    case item(ContentItem)
    case progress(doneBytes: Int, totalBytes: Int?)
    case saved(Outcome)
    case failed(Problem)
  }

  /// Progress of one item is told at most so often.
  private static let progressPause = Duration.milliseconds(100)

  let access: CatalogAccess
  let manager: DatabaseManager
  let session: Session
  /// Loads pictures; nil leaves them out.
  let assets: AssetLoader?
  let jobs: Int

  /// Downloads, and answers each entry when it is done.
  ///
  /// - Throws: ``Stop``, after the open ones are answered `canceled`.
  func run(_ entries: [Entry]) throws(Stop) {
    let mailbox = Mailbox(session.waiter)
    var progress = ProgressTeller(session, count: entries.count, pause: Self.progressPause)
    let targets = entries.enumerated().map { ($0.offset, $0.element.target) }
    let token = targets.flow
      .flatMap(maxConcurrent: jobs) { [self] place, target in
        steps(target).map { (place, $0) }
      }
      .subscribe(onValue: { mailbox.put($0, $1) }, onEnd: { _ in mailbox.end() })
    var open = Dictionary(uniqueKeysWithValues: entries.map(\.result).enumerated().map { ($0, $1) })
    var items: [Int: ContentItem] = [:]
    defer {
      token.dispose()
      progress.clear()
    }
    do throws(Stop) {
      var isOver = false
      while !isOver {
        let (steps, hasEnded) = mailbox.take()
        for (place, step) in steps {
          guard let result = open[place] else { continue }
          switch step {
          case .item(let item): items[place] = item
          case .progress(let done, let total): progress.note(place, result, done, total)
          case .saved(let outcome):
            progress.finish(place, result)
            open[place] = nil
            tell(result, outcome, items[place])
          case .failed(let problem):
            progress.finish(place, result)
            open[place] = nil
            session.tell(result.failed(problem))
          }
        }
        isOver = hasEnded
        progress.tell()
        try session.output.flush()
        if !isOver { _ = try session.waiter.wait(timeout: progress.nextPause) }
      }
    } catch {
      // Stops the transfers; what has come of them stays.
      token.dispose()
      progress.clear()
      for (_, result) in open.sorted(by: { $0.key < $1.key }) {
        session.tell(
          result.failed(
            Problem(code: "canceled", message: "the run ended before it was whole"),
            status: .canceled))
      }
      throw error
    }
  }

  private func tell(_ result: CommandResult, _ outcome: Outcome, _ item: ContentItem?) {
    var result = result.done(outcome, revision: nil)
    result.id = item?.id.text ?? result.id
    if let assets {
      let address = item.flatMap { access.images.pictureAddress(of: $0) }
      let path = address.flatMap { assets.kept.path(of: $0) }
      result.details.append(("poster", path.map(JSONValue.string) ?? .null))
    }
    session.tell(result)
  }

  /// Tells what would be done; nothing is asked of anybody but the store.
  func tell(_ entries: [Entry], dry simulation: DrySimulation) throws(Stop) {
    for entry in entries {
      var result = entry.result
      result.isDry = true
      switch entry.target {
      case .record(let item):
        let save = Operation.save(id: item.id.text, body: item.jsonBytes)
        result = result.done(try simulation.outcome(of: save, session), revision: nil)
      case .id(let id):
        switch try simulation.download(id, access, session) {
        case .success(let outcome): result = result.done(outcome, revision: nil)
        case .failure(let problem): result = result.failed(problem)
        }
      }
      session.tell(result)
    }
  }

  // MARK: One download

  private func steps(_ target: Target) -> AnyFlow<Step, Never> {
    let steps: AnyFlow<Step, Problem> =
      switch target {
      case .record(let item): saving(item)
      case .id(let id):
        manager.fetch(id: id.text)
          .mapFailure { Problem($0) }
          .flatMap { record -> AnyFlow<Step, Problem> in
            // A body that is no item of ours is fetched anew.
            if let record, let item = try? ContentItem(parsing: record.body) {
              return completing(item)
            }
            return access.detail(id).mapFailure { Problem($0) }
              .flatMap { saving($0) }.erased()
          }.erased()
      }
    return steps.catchError { Just(Step.failed($0)) }.erased()
  }

  /// The picture, then the record.
  private func saving(_ item: ContentItem) -> AnyFlow<Step, Problem> {
    let images = access.images
    let downloader = StoreDownloader(manager: manager, assets: assets) {
      images.pictureAddress(of: $0)
    }
    let steps = downloader.download(item)
      .map { step -> Step in
        switch step {
        case .progress(let done, let total): .progress(doneBytes: done, totalBytes: total)
        case .saved(let outcome): .saved(outcome)
        }
      }
      .mapFailure { Problem($0) }
    return Just(Step.item(item)).promoteFailure(to: Problem.self).concat(steps).erased()
  }

  /// The picture of a record that is saved already; the record stays as it is.
  private func completing(_ item: ContentItem) -> AnyFlow<Step, Problem> {
    let known = [Step.item(item)].flow.promoteFailure(to: Problem.self)
    let saved = Just(Step.saved(.unchanged)).promoteFailure(to: Problem.self)
    guard let assets, let address = access.images.pictureAddress(of: item), !address.isEmpty,
      !assets.isKept(address)
    else { return known.concat(saved).erased() }
    let picture = assets.load(address).mapFailure { Problem($0) }
      .compactMap { event -> Step? in
        guard case .progress(let done, let total) = event else { return nil }
        return .progress(doneBytes: done, totalBytes: total)
      }
    return known.concat(picture).concat(saved).erased()
  }
}

/// Steps on their way from the threads of the transfers to the main thread.
private final class Mailbox: Sendable {
  private struct State {
    var steps: [(place: Int, step: DownloadRun.Step)] = []
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let waiter: Waiter

  init(_ waiter: Waiter) { self.waiter = waiter }

  func put(_ place: Int, _ step: DownloadRun.Step) {
    state.withLock { state in
      // A later progress takes the place of the one before, so that no slow reader fills memory;
      // not of the first, which is always told.
      if case .progress = step, let last = state.steps.last, last.place == place,
        case .progress(let done, _) = last.step, done > 0
      {
        state.steps.removeLast()
      }
      state.steps.append((place, step))
    }
    waiter.wake()
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    waiter.wake()
  }

  func take() -> (steps: [(place: Int, step: DownloadRun.Step)], hasEnded: Bool) {
    state.withLock { state in
      defer { state.steps = [] }
      return (state.steps, state.hasEnded)
    }
  }
}
