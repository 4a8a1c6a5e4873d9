import Freshet
import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

@Suite("Detail: the item's picture")
struct DetailPosterTests {
  typealias Model = DetailModel

  private let book = Make.picturedBook("1", "http://x/p")
  private let missing = CatalogError(.notFound, "no")

  private var start: Step<Model> {
    Step(state: Model.State(id: book.id, address: { $0.thumbnail }))
  }

  private func stored(_ item: ContentItem?) -> Model.Event {
    .stored(.init(item: item, isFolded: false), query: 1)
  }

  private func picture(_ bytes: [UInt8]) -> ImageModel.Picture { .init(path: "/p", bytes: bytes) }
  private var shown: Step<Model> { start.after(.open(book), stored(nil)) }

  @Test("found: its picture is looked for, and every step of it is a transition with the state")
  func loads() {
    #expect(
      shown.phases == ["idle open loading", "loading found shown", "shown poster shown"])
    #expect(shown.effects == [.observe(query: 1), .poster(.look("http://x/p", request: 1))])
    #expect(!shown.state.isSettled)
    let step = shown.then(
      .poster(.progress(doneBytes: 3, totalBytes: 9, request: 1)),
      .poster(.loaded(.success(picture([1, 2])), request: 1)))
    #expect(step.phases == ["shown poster shown", "shown poster shown"])
    let first = step.transitions[0].state.summary["poster"]?.objectValue
    #expect(first?["state"] == "loading" && first?["done"] == 3 && first?["total"] == 9)
    let last = step.state.summary["poster"]?.objectValue
    #expect(last?["state"] == "loaded" && last?["path"] == "/p" && last?["bytes"] == 2)
    #expect(step.state.isSettled)
    #expect(step.state.poster.picture == picture([1, 2]))
  }

  @Test("kept already: cached, without progress")
  func cached() {
    let step = shown.then(.poster(.cached(picture([1]), request: 1)))
    #expect(step.state.poster.phase == .cached)
    #expect(step.then(stored(book)).effects.isEmpty)
  }

  @Test("a picture that fails leaves the item shown; saved, it is looked for again")
  func fails() {
    let failed = shown.then(.poster(.loaded(.failure(missing), request: 1)))
    #expect(failed.state.phase == .shown)
    #expect(failed.state.error == nil)
    #expect(failed.state.poster.phase == .failed(ScreenError(missing)))
    let saved = failed.then(.download, .transferred(.success(.saved(.saved)), request: 1))
    #expect(saved.effects.last == .poster(.look("http://x/p", request: 2)))
    #expect(saved.phases.suffix(2) == ["saving saved shown", "shown poster shown"])
    // So it is when another process has saved it, and its picture before that.
    #expect(
      failed.then(stored(book)).effects == [.poster(.look("http://x/p", request: 2))])
  }

  @Test("during a download the picture's steps are told in saving, beside the transfer")
  func saving() {
    let step = shown.then(
      .download, .transferred(.success(.progress(doneBytes: 3, totalBytes: 9)), request: 1),
      .poster(.progress(doneBytes: 3, totalBytes: 9, request: 1)))
    #expect(step.phases.suffix(2) == ["saving progress saving", "saving poster saving"])
    #expect(step.state.transfer == .downloading(doneBytes: 3, totalBytes: 9))
    #expect(step.state.poster.progress == .downloading(doneBytes: 3, totalBytes: 9))
  }

  @Test("another picture of the item: the one before is dropped, and what comes of it is stale")
  func changes() {
    let other = Make.picturedBook("1", "http://x/q")
    let step = shown.then(stored(other))
    #expect(step.phases == ["shown externalChange shown", "shown poster shown"])
    #expect(step.effects == [.poster(.look("http://x/q", request: 2))])
    let late = step.then(.poster(.cached(picture([1]), request: 1)))
    #expect(late.notices == [.staleIgnored])
    #expect(late.state.poster.picture == nil)
    let none = step.then(stored(Make.book("1")))
    #expect(none.effects == [.poster(.stop)])
    #expect(none.state.poster.phase == .idle)
    #expect(none.state.summary["poster"] == nil)
  }

  @Test("without a picture, or without somebody who loads them, nothing is looked for")
  func none() {
    let bare = Make.book("1")
    let step = Step<Model>(state: Model.State(id: bare.id, address: { $0.thumbnail }))
      .after(.open(bare), stored(nil))
    #expect(step.phases == ["idle open loading", "loading found shown"])
    let unasked = Step<Model>(state: Model.State(id: book.id)).after(.open(book), stored(nil))
    #expect(unasked.effects == [.observe(query: 1)])
    #expect(unasked.notices.isEmpty)
  }

  @Test("closed: the picture is stopped, and nothing is waited for")
  func close() {
    let step = shown.then(.close)
    #expect(step.effects == [.stopObserving, .poster(.stop)])
    #expect(step.state.isSettled)
    #expect(step.then(.poster(.cached(picture([1]), request: 1))).notices == [.staleIgnored])
    let idle = shown.after(.poster(.cached(picture([1]), request: 1))).then(.close)
    #expect(idle.effects == [.stopObserving])
  }

  @Test("the screen over a store: shown from the list, its picture with progress, then saved")
  func overStore() async throws {
    let folder = try StoreFolder()
    let assets = HandedAssets()
    let model = DetailModel(id: book.id, manager: folder.manager, assets: assets)
    model.open(book)
    for await _ in model.states.filter({ $0.poster.phase == .loading }).take(1).values {}
    assets.send("http://x/p", .progress(doneBytes: 1, totalBytes: 2))
    #expect(model.state.poster.progress == .downloading(doneBytes: 1, totalBytes: 2))
    model.download()
    assets.finish("http://x/p", [7, 8])
    for await _ in model.states.filter({ $0.isSaved }).take(1).values {}
    let state = try await model.settled().value()
    #expect(state.poster.picture == picture([7, 8]))
    #expect(state.transfer == .done)
    model.close()
    // Shown again, it comes from the cache.
    let again = DetailModel(id: book.id, manager: folder.manager, assets: assets)
    again.open()
    #expect(try await again.settled().value().poster.phase == .cached)
    again.close()
    try folder.remove()
  }
}
