import Freshet
import FreshetCatalog
import FreshetStore
import FreshetTesting
import Testing

@testable import FreshetModels

/// The screen over a catalogue answered by hand, in virtual time.
@Suite("Search: the screen in virtual time")
struct SearchModelTests {
  private let scheduler = VirtualScheduler()
  private let catalog = HandedCatalog()

  private func model(_ rules: SearchModel.Rules = .kakao) -> SearchModel {
    SearchModel(catalog: catalog, rules: rules, scheduler: scheduler)
  }

  @Test("typing asks 300 ms after the last letter, once, and not before")
  func debounced() {
    let model = model()
    for text in ["s", "se", "sea"] {
      model.type(text)
      scheduler.advance(by: .milliseconds(200))
    }
    scheduler.advance(by: .milliseconds(99))
    #expect(catalog.requests.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(catalog.requests.map(\.query) == ["sea"])
    scheduler.advance(by: .seconds(10))
    #expect(catalog.requests.count == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("a catalogue that cannot be asked is not: failed with its reason, by whatever way")
  func refused() throws {
    let refusal = CatalogError(.missingKey, "there is no key")
    let catalog = HandedCatalog(refusal: refusal)
    let model = SearchModel(catalog: catalog, scheduler: scheduler)
    model.submit("sea")
    #expect(model.state.phase == .failed(ScreenError(refusal)))
    model.clear()
    model.type("sea")
    try scheduler.run()
    #expect(model.state.phase == .failed(ScreenError(refusal)))
    model.retry()
    #expect(catalog.requests.isEmpty)
    #expect(model.state.phase == .failed(ScreenError(refusal)))
  }

  @Test("C-18: three quick searches answered in reverse order: the last query is shown")
  func reverseOrder() {
    let model = model()
    let notices = Recorder<SearchModel.Notice, Never>(scheduler: scheduler)
    notices.subscribe(to: model.notices)
    for query in ["s", "sea", "search"] { model.submit(query) }
    // Those that nobody wants any more were stopped.
    #expect(catalog.ended == 2)
    for place in [2, 1, 0] { catalog.answer(place, .of(["book\(place)"])) }
    #expect(model.state.items.map(\.id.native) == ["book2"])
    #expect(model.state.phase == .loaded)
    #expect(notices.violations == [])
  }

  @Test("C-18: after a cancel nothing of the answer is shown")
  func cancelled() {
    let model = model()
    model.submit("sea")
    model.cancel()
    #expect(catalog.ended == 1)
    catalog.answer(0, .of(["a"]))
    #expect(model.state.phase == .idle)
    #expect(model.state.items.isEmpty)
  }

  @Test("infinite scroll to the end, with an error on the way, is told step by step")
  func scroll() {
    let model = model()
    let phases = Recorder<String, Never>(scheduler: scheduler)
    phases.subscribe(to: model.transitions.map { "\($0.cause.rawValue)>\($0.to.name)" })
    model.submit("q")
    catalog.answer(0, .of(["a", "b"], next: 2, total: 4))
    model.reachedEnd()
    model.reachedEnd()
    catalog.fail(1, CatalogError(.rateLimited, "later", isRetryable: true, status: 429))
    #expect(model.state.items.count == 2)
    model.retry()
    catalog.answer(2, .of(["b", "c"]))
    model.reachedEnd()
    #expect(catalog.requests.map(\.cursor.position) == [nil, 2, 2])
    #expect(model.state.items.map(\.id.native) == ["a", "b", "c"])
    #expect(
      phases.values == [
        "submit>loadingFirst", "page>loaded", "reachedEnd>loadingMore", "failure>failed",
        "retry>loadingMore", "page>loaded",
      ])
  }

  @Test("a request that ends without an answer is a failure, not a wait without end")
  func noAnswer() {
    struct Silent: CatalogSearching {
      func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
        Single { _ in nil }
      }
    }
    let model = SearchModel(catalog: Silent(), scheduler: scheduler)
    model.submit("q")
    #expect(model.state.phase.name == "failed")
  }

  @Test("letting go of the model stops its request and its timer, and finishes its flows")
  func released() {
    var model: SearchModel? = model()
    weak let kept = model
    let states = Recorder<SearchModel.State, Never>(scheduler: scheduler)
    if let model { states.subscribe(to: model.states) }
    model?.submit("sea")
    model?.type("seal")
    model = nil
    #expect(kept == nil)
    #expect(catalog.ended == 1)
    #expect(scheduler.pendingCount == 0)
    #expect(states.end == .finished)
  }
}
