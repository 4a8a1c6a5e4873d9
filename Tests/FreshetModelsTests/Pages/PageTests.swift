import Freshet
import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

@Suite("Pages of links: the state machine and the screen")
struct PageTests {
  typealias Model = PageModel

  private var start: Step<Model> { Step(state: Model.State()) }
  private let page = WebPage(link: "http://x/a", title: "A", bytes: 9)
  private let lost = CatalogError(.connectionLost, "cut", isRetryable: true)

  @Test("idle, open: loading, then loaded; the spinner ends with the answer, whichever it is")
  func loads() {
    let step = start.after(.open("http://x/a"), .answered(.success(page), request: 1))
    #expect(step.phases == ["idle open loading", "loading loaded loaded"])
    #expect(step.effects == [.load("http://x/a", request: 1)])
    #expect(step.state.page == page)
    #expect(step.state.summary["title"] == "A")
    let failed = start.after(.open("http://x/a"), .answered(.failure(lost), request: 1))
    #expect(failed.phases.last == "loading failure failed")
    #expect(failed.state.isSettled)
    let again = failed.then(.retry)
    #expect(again.phases == ["failed retry loading"])
    #expect(again.effects == [.load("http://x/a", request: 2)])
  }

  @Test("no link, or one that is none: failed with no_link, nothing is loaded")
  func noLink() {
    for link in [nil, "", "  ", "nonsense", "file:///etc/passwd"] {
      let step = start.after(.open(link))
      #expect(step.phases == ["idle open failed"], "\(link ?? "nil")")
      #expect(step.state.phase == .failed(Model.noLink))
      #expect(step.effects == [.stop])
      #expect(step.then(.retry).notices == [.nothingToDo])
    }
  }

  @Test("another link: the one before is stopped, and what still comes of it is stale")
  func another() {
    let step = start.after(.open("http://x/a"), .open("http://x/b"))
    #expect(step.phases.last == "loading open loading")
    let late = step.then(.answered(.success(page), request: 1))
    #expect(late.notices == [.staleIgnored])
    #expect(late.state.page == nil)
    let loaded = start.after(.open("http://x/a"), .answered(.success(page), request: 1))
    #expect(loaded.then(.answered(.failure(lost), request: 1)).notices == [.staleIgnored])
    // The link before is not what is tried again.
    #expect(loaded.then(.open(nil)).state.link == nil)
    #expect(loaded.then(.open(nil), .retry).notices == [.nothingToDo])
    let none = start.after(.open("http://x/a"), .open(nil))
    #expect(none.then(.answered(.success(page), request: 1)).notices == [.staleIgnored])
  }

  @Test("loading, the same link again: one request; loaded, it is loaded anew")
  func same() {
    let loading = start.after(.open("http://x/a"))
    #expect(loading.then(.open("http://x/a")).notices == [.alreadyLoading])
    let loaded = loading.after(.answered(.success(page), request: 1))
    #expect(loaded.then(.open("http://x/a")).phases == ["loaded open loading"])
    #expect(loaded.then(.open("http://x/a")).state.page == nil)
  }

  @Test("leave: idle, the request stopped, a late answer stale; nothing to leave or retry: said")
  func leave() {
    let step = start.after(.open("http://x/a"), .leave)
    #expect(step.phases.last == "loading leave idle")
    #expect(step.effects.last == .stop)
    #expect(step.state.link == nil)
    #expect(step.then(.answered(.success(page), request: 1)).notices == [.staleIgnored])
    #expect(start.then(.leave).notices == [.nothingToDo])
    #expect(start.then(.retry).notices == [.nothingToDo])
    let loaded = start.after(.open("http://x/a"), .answered(.success(page), request: 1))
    #expect(loaded.then(.retry).notices == [.nothingToDo])
    #expect(loaded.then(.leave).state.page == nil)
  }

  @Test("the screen: one request per opening, stopped with it")
  func screen() async throws {
    struct Pages: PageLoading {
      func page(_ link: String) -> Single<WebPage, CatalogError> {
        link.hasSuffix("/lost")
          ? .fail(CatalogError(.connectionLost, "cut"))
          : .just(WebPage(link: link, title: nil, bytes: 1))
      }
    }
    let model = PageModel(pages: Pages())
    model.open("http://x/a")
    #expect(try await model.settled().value().phase == .loaded)
    model.open("http://x/lost")
    #expect(try await model.settled().value().phase.name == "failed")
    model.leave()
    #expect(model.state.phase == .idle)
    model.close()
  }
}
