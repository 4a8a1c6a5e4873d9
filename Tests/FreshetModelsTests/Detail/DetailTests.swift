import Freshet
import FreshetCatalog
import FreshetStore
import Synchronization
import Testing

@testable import FreshetModels

@Suite("Detail: the state machine")
struct DetailReduceTests {
  typealias Model = DetailModel

  private let long = String(repeating: "x", count: 500)
  private var book: ContentItem { Make.book("1", overview: long) }
  private let full = StoreError(.diskFull, "The disk is full.")
  private let broken = ScreenError(code: "connection_lost", message: "cut", isRetryable: true)

  private var start: Step<Model> { Step(state: Model.State(id: book.id)) }

  private func stored(_ item: ContentItem?, isFolded: Bool = false) -> Model.Event {
    .stored(.init(item: item, isFolded: isFolded), query: 1)
  }

  /// Shown from a list, not saved.
  private var shown: Step<Model> { start.after(.open(book), stored(nil)) }
  private var saved: Step<Model> { start.after(.open(nil), stored(book)) }

  @Test("open: loading; the item of the store, else of the list, is shown")
  func open() {
    #expect(saved.phases == ["idle open loading", "loading found shown"])
    #expect(saved.state.isSaved)
    #expect(!shown.state.isSaved)
    #expect(shown.state.item == book)
    #expect(saved.effects == [.observe(query: 1)])
  }

  @Test("an item that is in neither is asked of the catalogue; nobody knows it: missing")
  func find() {
    let asked = start.after(.open(nil), stored(nil))
    #expect(asked.effects == [.observe(query: 1), .find(request: 1)])
    let found = asked.then(.found(.success(book), request: 1))
    #expect(found.phases == ["loading found shown"])
    let missing = asked.then(.found(.failure(CatalogError(.notFound, "no")), request: 1))
    #expect(missing.phases == ["loading notFound missing"])
    let failed = asked.then(.found(.failure(CatalogError(.timedOut, "no")), request: 1))
    #expect(failed.phases == ["loading failure failed"])
    #expect(failed.then(.open(nil)).phases == ["failed open loading"])
    // Saved by somebody else meanwhile, it is there.
    #expect(missing.then(stored(book)).phases == ["missing found shown"])
    #expect(missing.then(stored(book)).state.isSaved)
  }

  @Test("shown, download: saving with progress, then shown as saved, said once")
  func download() {
    let step = shown.then(
      .download, .transferred(.success(.progress(doneBytes: 5, totalBytes: 9)), request: 1),
      .transferred(.success(.saved(.saved)), request: 1))
    #expect(
      step.phases == ["shown download saving", "saving progress saving", "saving saved shown"])
    #expect(step.transitions[0].state.transfer == .queued)
    #expect(step.transitions[1].state.transfer == .downloading(doneBytes: 5, totalBytes: 9))
    #expect(step.state.transfer == .done)
    #expect(step.state.isSaved)
    #expect(step.notices == [.savedOnce])
  }

  @Test("saving, download: a second tap is ignored")
  func secondTap() {
    let step = shown.then(.download, .download)
    #expect(step.notices == [.alreadySaving])
    #expect(step.effects.count == 1)
  }

  @Test("C-28: saved before: alreadySaved, no second row")
  func alreadySaved() {
    let step = saved.then(.download)
    #expect(step.notices == [.alreadySaved])
    #expect(step.effects.isEmpty)
    let late = shown.then(.download, .transferred(.success(.saved(.unchanged)), request: 1))
    #expect(late.notices == [.alreadySaved])
  }

  @Test("saving, failure: shown with the error, and it can be tried again")
  func downloadFails() {
    let step = shown.then(.download, .transferred(.failure(broken), request: 1))
    #expect(step.phases.last == "saving downloadFailed shown")
    #expect(step.state.error == broken)
    #expect(step.state.transfer == .failed(broken))
    #expect(!step.state.isSaved)
    #expect(step.then(.download).state.error == nil)
  }

  @Test("saving, cancel: shown, and the download is stopped; what comes of it is stale")
  func cancel() {
    let step = shown.then(.download, .cancelDownload)
    #expect(step.phases.last == "saving cancel shown")
    #expect(step.effects.contains(.stopDownload))
    #expect(step.state.transfer == nil)
    #expect(
      step.then(.transferred(.success(.saved(.saved)), request: 1)).notices == [.staleIgnored])
  }

  @Test("shown, delete: deleting, then shown as not saved; not saved: nothing to do")
  func delete() {
    let step = saved.then(.delete, .deleted(.success(.deleted), request: 1))
    #expect(step.phases == ["shown delete deleting", "deleting deleted shown"])
    #expect(!step.state.isSaved)
    let fresh = shown.then(
      .download, .transferred(.success(.saved(.saved)), request: 1), .delete,
      .deleted(.success(.deleted), request: 2))
    #expect(fresh.state.transfer == nil)
    #expect(shown.then(.delete).notices == [.notSaved])
    let failed = saved.then(.delete, .deleted(.failure(full), request: 1))
    #expect(failed.phases.last == "deleting deleteFailed shown")
    #expect(failed.state.isSaved)
    let gone = saved.then(.delete, .deleted(.success(.notFound), request: 1))
    #expect(gone.notices == [.notSaved])
  }

  @Test("a delete during a download waits for its end, and so does a download during a delete")
  func oneAfterTheOther() {
    let step = shown.then(
      .download, .delete, .transferred(.success(.saved(.saved)), request: 1))
    #expect(
      step.phases == ["shown download saving", "saving saved shown", "shown delete deleting"])
    #expect(step.effects.last == .delete(request: 2))
    let other = saved.then(.delete, .download, .delete, .deleted(.success(.deleted), request: 1))
    #expect(
      other.phases == ["shown delete deleting", "deleting deleted shown", "shown download saving"])
    // What waited behind it still does.
    let end = other.then(.transferred(.success(.saved(.saved)), request: 2))
    #expect(end.phases.last == "shown delete deleting")
    let failed = shown.then(.download, .delete, .transferred(.failure(broken), request: 1))
    #expect(failed.notices == [.notSaved])
    let kept = saved.then(.delete, .delete, .deleted(.failure(full), request: 1))
    #expect(kept.phases.last == "shown delete deleting")
    #expect(kept.state.error == nil)
  }

  @Test("what means nothing where the screen is does nothing, and says so")
  func nothing() {
    let missing = start.after(
      .open(nil), stored(nil), .found(.failure(CatalogError(.notFound, "no")), request: 1))
    let failed = start.after(.open(nil), .queryEnded(nil, query: 1))
    for before in [start, missing, failed] {
      for event in [Model.Event.download, .delete, .toggleFold, .setFold(true), .cancelDownload] {
        let step = before.then(event)
        #expect(step.notices == [.nothingToDo])
        #expect(step.transitions.isEmpty && step.effects.isEmpty)
      }
    }
    for before in [shown, saved, shown.then(.download), saved.then(.delete), shown.then(.close)] {
      #expect(before.then(.open(book)).notices == [.nothingToDo])
    }
    #expect(shown.then(.cancelDownload).notices == [.nothingToDo])
    for event in [Model.Event.delete, .toggleFold, .setFold(true), .close] {
      #expect(shown.then(.close, event).notices == [.nothingToDo])
    }
  }

  @Test("answers that nobody waits for are stale, whatever they bring")
  func stale() {
    for before in [shown, saved, shown.then(.close)] {
      for event in [
        Model.Event.transferred(.success(.saved(.saved)), request: 0),
        .deleted(.success(.deleted), request: 0), .found(.success(book), request: 0),
        .stored(.init(item: nil, isFolded: false), query: 7), .queryEnded(nil, query: 7),
      ] {
        let step = before.then(event)
        #expect(step.notices == [.staleIgnored])
        #expect(step.transitions.isEmpty)
      }
    }
    let saving = shown.then(.download)
    #expect(saving.then(.transferred(.failure(broken), request: 0)).notices == [.staleIgnored])
    let deleting = saved.then(.delete)
    #expect(deleting.then(.deleted(.failure(full), request: 0)).notices == [.staleIgnored])
    let asked = start.after(.open(nil), stored(nil))
    #expect(asked.then(.found(.success(book), request: 0)).notices == [.staleIgnored])
    #expect(
      start.then(.stored(.init(item: book, isFolded: false), query: 0)).notices == [.staleIgnored])
  }

  @Test(
    "an item of another id is not taken for this one; a fold that was kept shows when it is found")
  func otherItem() {
    let step = start.after(.open(Make.book("2")), stored(nil))
    #expect(step.effects == [.observe(query: 1), .find(request: 1)])
    let folded = start.after(.open(nil), stored(nil, isFolded: true))
      .then(.found(.success(book), request: 1))
    #expect(folded.state.overview.fold == .folded)
    #expect(!folded.state.isSaved)
    let plain = start.after(.open(nil), stored(nil)).then(.found(.success(book), request: 1))
    #expect(plain.state.overview.fold == .expanded)
  }

  @Test("folding: kept first, shown then, in whatever the screen does")
  func fold() {
    let step = saved.then(.toggleFold)
    #expect(
      step.effects == [.overview(.write(key: book.id.text, isFolded: true, request: 1))])
    let done = step.then(.overview(.written(.success(true), request: 1)))
    #expect(done.phases == ["shown fold shown"])
    #expect(done.state.overview.shownText.count == 453)
    #expect(saved.then(.setFold(false)).notices == [.overview(.unchanged)])
    let failed = step.then(.overview(.written(.failure(full), request: 1)))
    #expect(failed.notices == [.overview(.notPersisted(ScreenError(full)))])
    #expect(failed.state.overview.fold == .expanded)
  }

  @Test("a short text has no fold; a stored fold is shown")
  func foldStates() {
    let short = start.after(.open(nil), stored(Make.book("1", overview: "abc"), isFolded: true))
    #expect(short.state.overview.fold == .short)
    #expect(short.then(.toggleFold).notices == [.overview(.nothingToFold)])
    #expect(start.after(.open(nil), stored(book, isFolded: true)).state.overview.fold == .folded)
  }

  @Test("saved, deleted or folded by somebody else: told as externalChange, once")
  func external() {
    #expect(shown.then(stored(book)).phases == ["shown externalChange shown"])
    #expect(shown.then(stored(book)).state.isSaved)
    #expect(!saved.then(stored(nil)).state.isSaved)
    #expect(saved.then(stored(nil)).phases == ["shown externalChange shown"])
    #expect(saved.then(stored(book)).transitions.isEmpty)
    let folded = saved.then(stored(book, isFolded: true))
    #expect(folded.phases == ["shown externalChange shown"])
    #expect(folded.state.overview.fold == .folded)
    let changed = saved.then(stored(Make.book("1", "new", overview: long)))
    #expect(changed.state.item?.title == "new")
    #expect(saved.then(stored(Make.book("1", overview: "abc"))).state.overview.fold == .short)
  }

  @Test("intents while the item is looked for wait until it is found")
  func waiting() {
    let step = start.after(.open(book), .download, .toggleFold, stored(nil))
    #expect(step.phases == ["idle open loading", "loading found shown", "shown download saving"])
    #expect(step.effects.last == .overview(.write(key: book.id.text, isFolded: true, request: 1)))
    // Called off before it began, it is stopped as soon as it has.
    let calledOff = start.after(.open(book), .download, .cancelDownload, stored(nil))
    #expect(calledOff.phases.suffix(2) == ["shown download saving", "saving cancel shown"])
    #expect(calledOff.effects.last == .stopDownload)
    let missing = start.after(.open(nil), .download, stored(nil)).then(
      .found(.failure(CatalogError(.notFound, "no")), request: 1))
    #expect(missing.effects.isEmpty)
    // Saved by somebody else later, it is not downloaded for an intent of long ago.
    #expect(missing.then(stored(book)).phases == ["missing found shown"])
    #expect(missing.then(stored(book)).notices.isEmpty)
  }

  @Test("any state, close: dismissed; a save that runs comes to its end")
  func close() {
    for before in [start, shown, saved, shown.then(.download)] {
      let step = before.then(.close)
      #expect(step.state.phase == .dismissed)
      #expect(step.transitions.map(\.cause) == [.close])
      #expect(step.effects == [.stopObserving])
    }
    let late = shown.then(.download, .close).then(
      .transferred(.success(.saved(.saved)), request: 1))
    #expect(late.notices == [.staleIgnored])
    #expect(shown.then(.close, .download).notices == [.nothingToDo])
  }

  @Test("the store lost: a failure of the state, with the item still shown")
  func storeLost() {
    let step = saved.then(.queryEnded(full, query: 1))
    #expect(step.phases == ["shown failure shown"])
    #expect(step.state.error?.code == "disk_full")
    #expect(
      start.after(.open(nil), .queryEnded(nil, query: 1)).phases.last == "loading failure failed")
    // During a save or a delete its own answer tells the end; the error is there all the same.
    for before in [shown.then(.download), saved.then(.delete)] {
      let during = before.then(.queryEnded(full, query: 1))
      #expect(during.transitions.isEmpty)
      #expect(during.state.error?.code == "disk_full")
    }
    let missing = start.after(
      .open(nil), stored(nil), .found(.failure(CatalogError(.notFound, "no")), request: 1))
    #expect(missing.then(.queryEnded(full, query: 1)).phases == ["missing failure missing"])
    // What waited for the item does not wait for ever.
    let waiting = start.after(.open(nil), .download, .queryEnded(full, query: 1))
    #expect(
      waiting.then(.open(book), .stored(.init(item: nil, isFolded: false), query: 2)).effects
        == [.observe(query: 2)])
  }
}

@Suite("Detail: the screen over a store")
struct DetailModelTests {
  private let book = Make.book("1", overview: String(repeating: "가", count: 450))

  @Test("download, fold, delete, and all of it again after a restart")
  func wholeLife() async throws {
    let folder = try StoreFolder()
    let model = DetailModel(id: book.id, manager: folder.manager)
    model.open(book)
    model.download()
    model.fold()
    for await _ in model.states.filter({ $0.isSaved && $0.overview.fold == .folded }).take(1).values
    {}
    #expect(try await folder.manager.fetch(id: book.id.text).value() != nil)
    model.close()
    let manager = try folder.restarted()
    let again = DetailModel(id: book.id, manager: manager)
    again.open()
    let state = try await again.settled().value()
    #expect(state.isSaved)
    #expect(state.overview.fold == .folded)
    again.delete()
    for await _ in again.states.filter({ !$0.isSaved }).take(1).values {}
    #expect(try await manager.fetch(id: book.id.text).value() == nil)
    manager.close()
    try folder.remove()
  }

  @Test("nobody knows the item: missing")
  func missing() async throws {
    let folder = try StoreFolder()
    let model = DetailModel(id: book.id, manager: folder.manager)
    model.open()
    #expect(try await model.settled().value().phase == .missing)
    try folder.remove()
  }

  @Test("a picture comes before the item is saved, and its failure saves nothing")
  func picture() async throws {
    let folder = try StoreFolder()
    let assets = HandedAssets()
    let downloader = StoreDownloader(manager: folder.manager, assets: assets) { _ in "http://x/p" }
    let model = DetailModel(id: book.id, manager: folder.manager, downloader: downloader)
    model.open(book)
    for await _ in model.states.filter({ $0.phase == .shown }).take(1).values {}
    _ = try await model.settled().value()
    model.download()
    assets.send("http://x/p", .progress(doneBytes: 3, totalBytes: 9))
    #expect(model.state.transfer == .downloading(doneBytes: 3, totalBytes: 9))
    #expect(try await folder.manager.fetch().value().isEmpty)
    assets.fail("http://x/p", CatalogError(.wrongType, "no picture"))
    #expect(model.state.error?.code == "wrong_type")
    #expect(try await folder.manager.fetch().value().isEmpty)
    model.download()
    assets.finish("http://x/p", [1, 2, 3])
    for await _ in model.states.filter({ $0.isSaved }).take(1).values {}
    #expect(try await folder.manager.fetch().value().count == 1)
    try folder.remove()
  }

  @Test("downloads: each item's way is in the state, and a second tap does nothing")
  func transfers() async throws {
    let folder = try StoreFolder()
    let assets = HandedAssets()
    let downloader = StoreDownloader(manager: folder.manager, assets: assets) { item in
      "http://x/" + item.id.native
    }
    let model = DownloadsModel(manager: folder.manager, downloader: downloader)
    model.appear()
    for await _ in model.states.filter({ $0.phase.name == "empty" }).take(1).values {}
    // Whoever told that may still be at it, and would take what is sent now.
    _ = try await model.settled().value()
    model.download(Make.book("a"))
    model.download(Make.book("b"))
    model.download(Make.book("a"))
    #expect(model.state.transfers.count == 2)
    assets.send("http://x/a", .progress(doneBytes: 1, totalBytes: nil))
    #expect(
      model.state.transfers["book:local:a"] == .downloading(doneBytes: 1, totalBytes: nil))
    #expect(model.state.transfers["book:local:b"] == .queued)
    assets.fail("http://x/b", CatalogError(.timedOut, "late"))
    assets.finish("http://x/a", [1])
    for await _ in model.states.filter({ $0.records.count == 1 }).take(1).values {}
    let state = try await model.settled().value()
    #expect(state.transfers["book:local:a"] == .done)
    #expect(state.transfers["book:local:b"]?.isRunning == false)
    #expect(state.records.map(\.id) == ["book:local:a"])
    try folder.remove()
  }
}

/// Pictures that a test hands out.
final class HandedAssets: AssetLoading {
  private let state = Mutex<[String: PublishSubject<AssetEvent, CatalogError>]>([:])
  private let kept = Mutex<[String: [UInt8]]>([:])

  func load(_ address: String) -> AnyFlow<AssetEvent, CatalogError> {
    Deferred { [self] in
      state.withLock { state in
        if let subject = state[address] { return subject }
        let subject = PublishSubject<AssetEvent, CatalogError>()
        state[address] = subject
        return subject
      }
    }.erased()
  }

  func cached(_ address: String) -> AssetEvent? {
    kept.withLock { $0[address] }.map { .done(path: "/p", bytes: $0) }
  }

  private func take(_ address: String) -> PublishSubject<AssetEvent, CatalogError>? {
    state.withLock { $0.removeValue(forKey: address) }
  }

  func send(_ address: String, _ event: AssetEvent) {
    state.withLock { $0[address] }?.send(event)
  }

  func fail(_ address: String, _ error: CatalogError) { take(address)?.fail(error) }

  func finish(_ address: String, _ bytes: [UInt8]) {
    kept.withLock { $0[address] = bytes }
    let subject = take(address)
    subject?.send(.done(path: "/p", bytes: bytes))
    subject?.finish()
  }

  var addresses: [String] { state.withLock { $0.keys.sorted() } }
}
