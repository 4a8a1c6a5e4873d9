import Freshet
import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

@Suite("Pictures: the state machine and the place on screen")
struct ImageTests {
  typealias Model = ImageModel

  private var start: Step<Model> { Step(state: Model.State()) }
  private func picture(_ bytes: [UInt8]) -> Model.Picture { .init(path: "/p", bytes: bytes) }
  private let missing = CatalogError(.notFound, "no")

  @Test("idle, load: loading; then loaded, or failed with the reason")
  func load() {
    let step = start.after(.load("http://x/a"), .loaded(.success(picture([1, 2])), request: 1))
    #expect(step.phases == ["idle load loading", "loading loaded loaded"])
    #expect(step.state.picture == picture([1, 2]))
    let failed = start.after(.load("http://x/a"), .loaded(.failure(missing), request: 1))
    #expect(failed.phases.last == "loading failure failed")
    #expect(failed.then(.load("http://x/a")).phases == ["failed load loading"])
  }

  @Test("a picture that is kept: one output, no request")
  func hit() {
    let step = start.after(.load("http://x/a"), .cached(picture([1]), request: 1))
    #expect(step.phases == ["idle load loading", "loading hit cached"])
    #expect(step.then(.load("http://x/a")).notices == [.alreadyShown])
  }

  @Test("on its way: every step is a transition with how far it is")
  func progress() {
    let step = start.after(
      .load("http://x/a"), .progress(doneBytes: 0, totalBytes: 9, request: 1),
      .progress(doneBytes: 5, totalBytes: 9, request: 1))
    #expect(
      step.phases == ["idle load loading", "loading progress loading", "loading progress loading"])
    #expect(step.state.progress == .downloading(doneBytes: 5, totalBytes: 9))
    #expect(step.state.summary["done"] == 5 && step.state.summary["total"] == 9)
    let done = step.then(.loaded(.success(picture([1])), request: 1))
    #expect(done.state.progress == .done)
    #expect(done.state.summary["done"] == nil)
    #expect(done.state.summary["bytes"] == 1 && done.state.summary["path"] == "/p")
    #expect(done.then(.reuse("http://x/b")).state.progress == .queued)
  }

  @Test("not kept, and nobody to ask: idle, and it can be looked for again")
  func notKept() {
    let step = start.after(.load("http://x/a"), .notKept(request: 1))
    #expect(step.phases.last == "loading notKept idle")
    #expect(step.then(.load("http://x/a")).effects == [.look("http://x/a", request: 2)])
    #expect(step.then(.notKept(request: 1)).notices == [.staleIgnored])
  }

  @Test("no address, or an empty one: idle, nothing asked")
  func noAddress() {
    for step in [start.after(.load("")), start.after(.load("http://x/a"), .reuse(nil))] {
      #expect(step.state.phase == .idle)
      #expect(step.notices == [.noAddress])
    }
  }

  @Test("reused: the picture of before is dropped, whatever comes of it")
  func stale() {
    let step = start.after(.load("http://x/a"), .reuse("http://x/b"))
    #expect(step.phases.last == "loading reuse loading")
    #expect(step.then(.notKept(request: 1)).notices == [.staleIgnored])
    #expect(step.then(.reuse("http://x/b")).notices == [.alreadyShown])
    let late = step.then(
      .progress(doneBytes: 1, totalBytes: nil, request: 1), .cached(picture([1]), request: 1),
      .loaded(.success(picture([1])), request: 1))
    #expect(late.notices == [.staleIgnored, .staleIgnored, .staleIgnored])
    #expect(late.state.picture == nil)
  }

  @Test("an answer that nobody waits for any more changes nothing")
  func twice() {
    let step = start.after(.load("http://x/a"), .loaded(.success(picture([1])), request: 1))
    let late = step.then(
      .cached(picture([2]), request: 1), .notKept(request: 1),
      .progress(doneBytes: 1, totalBytes: nil, request: 1),
      .loaded(.success(picture([2])), request: 1), .loaded(.failure(missing), request: 1))
    #expect(late.notices == Array(repeating: .staleIgnored, count: 5))
    #expect(late.transitions.isEmpty)
    #expect(late.state.picture == picture([1]))
    // Another picture: the one before is not shown while it is on its way.
    #expect(step.then(.reuse("http://x/b")).state.picture == nil)
  }

  @Test("the query of an address, which may hold a key, is not told")
  func summary() {
    let step = start.after(.load("http://x/a?key=SECRET"))
    #expect(!JSONValue.object(step.state.summary).jsonText.contains("SECRET"))
  }

  @Test("C-26: asked for A, then for B, A's bytes last: B is shown, A is kept all the same")
  func wrongPicture() {
    let assets = HandedAssets()
    let model = ImageModel(assets: assets)
    model.load("http://x/a")
    model.reuse("http://x/b")
    assets.finish("http://x/b", [2])
    assets.finish("http://x/a", [1])
    #expect(model.state.picture?.bytes == [2])
    #expect(model.state.phase == .loaded)
    model.reuse("http://x/a")
    #expect(model.state.phase == .cached)
    #expect(model.state.picture?.bytes == [1])
  }
}
