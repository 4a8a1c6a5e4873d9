import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

/// The rows of the screen's table, on values alone.
@Suite("Search: the state machine")
struct SearchReduceTests {
  typealias Model = SearchModel

  private func start(_ rules: Model.Rules = .kakao) -> Step<Model> {
    Step(state: Model.State(rules: rules))
  }

  private func page(_ names: String..., next: Int? = nil, total: Int? = nil) -> SearchPage {
    .of(names, next: next, total: total)
  }

  private func answer(_ page: SearchPage, _ request: Int) -> Model.Event {
    .answered(.success(page), request: request)
  }

  private let offline = CatalogError(.unreachable, "nobody answers", isRetryable: true)

  private func ids(_ step: Step<Model>) -> [String] { step.state.items.map(\.id.native) }

  private func asked(_ step: Step<Model>) -> [String] {
    step.effects.compactMap {
      if case .ask(let request, let number) = $0 {
        "\(request.query) \(request.cursor.position.map(String.init) ?? "first") #\(number)"
      } else {
        nil
      }
    }
  }

  /// One page of two books is shown, and there is a second one.
  private var loaded: Step<Model> {
    start().after(.submit("sea"), answer(page("a", "b", next: 2), 1))
  }

  // MARK: Submitting

  @Test("C-20: any state, blank query: idle, nothing is asked, what is on its way is stopped")
  func blank() {
    for before in [start(), start().after(.submit("sea")), loaded] {
      for text in ["", "   ", "\n\t"] {
        let step = before.then(.submit(text))
        #expect(step.state.phase == .idle)
        #expect(step.notices == [.invalidQuery])
        #expect(step.transitions.map(\.cause) == [.submit])
        #expect(step.effects == [.stopWaiting, .stopAsking])
        #expect(step.state.items.isEmpty)
      }
    }
    #expect(loaded.then(.submit("")).transitions.last?.diff.removed.count == 2)
  }

  @Test("a query with fewer grapheme clusters than the catalogue needs: idle and tooShort")
  func tooShort() {
    let family = "👨‍👩‍👧‍👦"
    for text in ["a", " a ", family] {
      let step = start(.google).after(.submit(text))
      #expect(step.state.phase == .idle)
      #expect(step.notices == [.tooShort(least: 2)])
      #expect(asked(step).isEmpty)
    }
    #expect(start(.google).after(.submit("ab")).state.phase == .loadingFirst)
    #expect(start(.google).after(.submit(family + family)).state.phase == .loadingFirst)
    #expect(start(.kakao).after(.submit("a")).state.phase == .loadingFirst)
  }

  @Test("any state, no key: failed, nothing is asked")
  func missingKey() {
    let error = ScreenError(code: "missing_key", message: "no key is set")
    let step = start(Model.Rules(refusal: error)).after(.submit("sea"), .retry)
    #expect(step.phases == ["idle submit failed"])
    #expect(step.state.phase == .failed(error))
    #expect(asked(step).isEmpty)
    #expect(step.notices == [.nothingToDo])
    #expect(step.state.query == "sea")
    #expect(step.effects == [.stopWaiting, .stopAsking])
  }

  @Test("any state, a query: loadingFirst with a request for the first page of the trimmed text")
  func submit() {
    let step = start().after(.submit("  sea "))
    #expect(step.phases == ["idle submit loadingFirst"])
    #expect(asked(step) == ["sea first #1"])
    #expect(step.state.query == "sea")
  }

  @Test("while a new query loads, the old results stay visible and are marked stale")
  func staleItems() {
    let step = loaded.then(.submit("search"))
    #expect(step.phases == ["loaded submit loadingFirst"])
    #expect(ids(step) == ["a", "b"])
    #expect(step.state.isStale)
    #expect(step.transitions[0].diff.isEmpty)
    let done = step.then(answer(page("b", "c"), 2))
    #expect(done.phases == ["loadingFirst page loaded"])
    #expect(ids(done) == ["b", "c"])
    #expect(!done.state.isStale)
    #expect(done.transitions[0].diff.removed.map(\.id) == ["book:local:a"])
    #expect(done.transitions[0].diff.inserted.map(\.id) == ["book:local:c"])
  }

  // MARK: First page

  @Test("loadingFirst, nothing found: empty, which is neither idle nor failed")
  func empty() {
    let step = loaded.then(.submit("xyz"), answer(page(total: 0), 2))
    #expect(step.phases == ["loaded submit loadingFirst", "loadingFirst page empty"])
    #expect(step.state.items.isEmpty)
    #expect(step.transitions[1].diff.removed.count == 2)
  }

  @Test("C-01: a first page without rows ends the loading")
  func noItems() {
    #expect(start().after(.submit("q"), answer(page(), 1)).state.phase == .empty)
  }

  @Test("loadingFirst, failure: failed, the old results stay; retry asks the first page again")
  func firstFails() {
    let step = loaded.then(.submit("new"), .answered(.failure(offline), request: 2))
    #expect(step.phases.last == "loadingFirst failure failed")
    #expect(ids(step) == ["a", "b"])
    #expect(step.state.isStale)
    let again = step.then(.retry, answer(page("c"), 3))
    #expect(again.phases == ["failed retry loadingFirst", "loadingFirst page loaded"])
    #expect(asked(again) == ["new first #3"])
    #expect(ids(again) == ["c"])
  }

  @Test("a page whose rows are all of kinds that are not kept is not the end: the next is asked")
  func nothingKept() {
    let empty = SearchPage(items: [], next: .next(2), rawCount: 20)
    let step = start().after(.submit("q"), answer(empty, 1), answer(page("a"), 2))
    #expect(
      step.phases == [
        "idle submit loadingFirst", "loadingFirst nothingKept loadingFirst",
        "loadingFirst page loaded",
      ])
    #expect(asked(step) == ["q first #1", "q 2 #2"])
    #expect(ids(step) == ["a"])
  }

  @Test("a catalogue that goes on without bringing anything is left, and that is told")
  func stall() {
    var step = start().after(.submit("q"))
    for number in 1...5 {
      step = step.then(answer(SearchPage(items: [], next: .next(number + 1), rawCount: 9), number))
    }
    #expect(step.state.phase == .empty)
    #expect(step.state.results?.stall?.code == "no_progress")
  }

  // MARK: More pages

  @Test("loaded, reachedEnd: loadingMore with a request for the next page")
  func more() {
    let step = loaded.then(.reachedEnd)
    #expect(step.phases == ["loaded reachedEnd loadingMore"])
    #expect(asked(step) == ["sea 2 #2"])
  }

  @Test("loaded at the end, reachedEnd: nothing is asked")
  func end() {
    let step = start().after(.submit("q"), answer(page("a"), 1)).then(.reachedEnd)
    #expect(step.transitions.isEmpty && step.effects.isEmpty)
    #expect(step.notices == [.atEnd])
  }

  @Test("C-17: loadingMore, reachedEnd: one request at a time, one append")
  func oneAtATime() {
    let step = loaded.then(.reachedEnd, .reachedEnd, answer(page("c"), 2))
    #expect(asked(step) == ["sea 2 #2"])
    #expect(step.notices == [.alreadyLoading])
    #expect(ids(step) == ["a", "b", "c"])
  }

  @Test("loadingFirst, idle, empty, failed: reachedEnd asks nothing")
  func reachedEndElsewhere() {
    #expect(start().after(.reachedEnd).notices == [.nothingToDo])
    #expect(start().after(.submit("q")).then(.reachedEnd).notices == [.alreadyLoading])
    let empty = start().after(.submit("q"), answer(page(), 1))
    #expect(empty.then(.reachedEnd).notices == [.nothingToDo])
    let failed = loaded.then(.reachedEnd, .answered(.failure(offline), request: 2))
    #expect(failed.then(.reachedEnd).notices == [.nothingToDo])
  }

  @Test("C-02: loadingMore, nothing more: loaded at the end, not empty")
  func emptySecondPage() {
    let step = loaded.then(.reachedEnd, answer(page(total: 431), 2))
    #expect(step.phases.last == "loadingMore page loaded")
    #expect(step.state.results?.isEnd == true)
    #expect(ids(step) == ["a", "b"])
    #expect(step.then(.reachedEnd).notices == [.atEnd])
  }

  @Test("C-13: loadingMore: appended without repeats, in order of first arrival")
  func appended() {
    let step = loaded.then(.reachedEnd, answer(page("b", "c", next: 3), 2))
    #expect(ids(step) == ["a", "b", "c"])
    #expect(step.state.results?.duplicates == 1)
    #expect(step.transitions.last?.diff.inserted == [.init(id: "book:local:c", index: 2)])
  }

  @Test("loadingMore, failure: failed with all that is shown; retry asks the same page again")
  func moreFails() {
    let step = loaded.then(.reachedEnd, .answered(.failure(offline), request: 2))
    #expect(step.phases.last == "loadingMore failure failed")
    #expect(ids(step) == ["a", "b"])
    #expect(!step.state.isStale)
    let again = step.then(.retry, answer(page("c"), 3))
    #expect(again.phases == ["failed retry loadingMore", "loadingMore page loaded"])
    #expect(asked(again) == ["sea 2 #3"])
    #expect(ids(again) == ["a", "b", "c"])
  }

  @Test("the total is what the catalogue says last, and never less than what is shown")
  func total() {
    let step = start().after(.submit("q"), answer(page("a", "b", next: 2, total: 878), 1))
    #expect(step.state.results?.total == 878)
    let more = step.then(.reachedEnd, answer(page("c", total: 1), 2))
    #expect(more.state.results?.total == 3)
  }

  // MARK: Stale answers, cancel, clear, select

  @Test("C-18: an answer to a query of before changes nothing and is reported")
  func stale() {
    let step = start().after(.submit("sea"), .submit("search"), answer(page("new"), 2))
      .then(answer(page("old"), 1))
    #expect(step.transitions.isEmpty)
    #expect(step.notices == [.staleIgnored(request: 1)])
    #expect(ids(step) == ["new"])
    // So it is while the answer that counts is still waited for.
    let waiting = start().after(.submit("sea"), .submit("search")).then(answer(page("old"), 1))
    #expect(waiting.notices == [.staleIgnored(request: 1)])
    #expect(waiting.state.phase == .loadingFirst)
  }

  @Test("an answer, a second time, is stale")
  func twice() {
    #expect(loaded.then(answer(page("z"), 1)).notices == [.staleIgnored(request: 1)])
  }

  @Test("loadingFirst, cancel: idle, or what was shown before; a late answer is ignored")
  func cancelFirst() {
    let idle = start().after(.submit("q"), .cancel)
    #expect(idle.phases.last == "loadingFirst cancel idle")
    #expect(idle.effects.contains(.stopAsking))
    let back = loaded.then(.submit("new"), .cancel)
    #expect(back.phases.last == "loadingFirst cancel loaded")
    #expect(back.state.query == "sea")
    #expect(!back.state.isStale)
    let late = back.then(answer(page("z"), 2))
    #expect(late.notices == [.staleIgnored(request: 2)])
    #expect(ids(late) == ["a", "b"])
    // It goes on where it was.
    #expect(asked(back.then(.reachedEnd)) == ["sea 2 #4"])
  }

  @Test("loadingMore, cancel: loaded; nothing to cancel elsewhere")
  func cancelMore() {
    let step = loaded.then(.reachedEnd, .cancel)
    #expect(step.phases.last == "loadingMore cancel loaded")
    #expect(loaded.then(.cancel).notices == [.nothingToDo])
    #expect(start().after(.cancel).notices == [.nothingToDo])
  }

  @Test("any state, clear: idle and empty, a late answer is ignored")
  func clear() {
    let step = loaded.then(.reachedEnd, .clear)
    #expect(step.phases.last == "loadingMore clear idle")
    #expect(step.state.query.isEmpty)
    #expect(step.state.items.isEmpty)
    #expect(step.transitions.last?.diff.removed.count == 2)
    #expect(step.effects.suffix(2) == [.stopWaiting, .stopAsking])
    #expect(step.then(answer(page("z"), 2)).notices == [.staleIgnored(request: 2)])
    // A typing that pauses after it is not submitted.
    let typed = start().after(.type("sea"), .clear)
    #expect(typed.then(.typingPaused("sea", typing: 1)).notices == [.staleIgnored(request: 1)])
  }

  @Test("select: the detail of a result that is there, and notFound for any other")
  func select() {
    #expect(loaded.then(.select(id: "book:local:a")).notices == [.showDetail(id: "book:local:a")])
    #expect(loaded.then(.select(id: "book:local:z")).notices == [.notFound(id: "book:local:z")])
    #expect(loaded.then(.select(id: "book:local:a")).transitions.isEmpty)
  }

  @Test("retry where nothing failed does nothing")
  func retryElsewhere() {
    #expect(start().after(.retry).notices == [.nothingToDo])
    #expect(loaded.then(.retry).notices == [.nothingToDo])
  }

  // MARK: Typing

  @Test("typing asks nothing; a pause submits the last text, an older pause is stale")
  func typing() {
    let step = start().after(.type("s"), .type("se"))
    #expect(step.transitions.isEmpty)
    #expect(asked(step).isEmpty)
    let pause = step.then(.typingPaused("s", typing: 1))
    #expect(pause.notices == [.staleIgnored(request: 1)])
    let done = pause.then(.typingPaused("se", typing: 2))
    #expect(asked(done) == ["se first #1"])
  }

  @Test("a submit ends the waiting for a pause")
  func submitWhileTyping() {
    let step = start().after(.type("se"), .submit("sea"))
    #expect(step.effects.contains(.stopWaiting))
    #expect(step.then(.typingPaused("se", typing: 1)).notices == [.staleIgnored(request: 1)])
  }

  @Test(
    "G-4, G-6: above the list the matches, or what is searched; a message where nothing is found")
  func texts() {
    let step = start().after(.submit("sea"))
    #expect(step.state.heading == "책 검색")
    #expect(step.state.message == nil)
    let found = step.after(.answered(.success(.of(["a", "b"], total: 878)), request: 1))
    #expect(found.state.heading == "검색결과(878)")
    // The number is never less than what is shown, and is there when the catalogue says none.
    let fewer = step.after(.answered(.success(.of(["a", "b"], total: 1)), request: 1))
    #expect(fewer.state.heading == "검색결과(2)")
    #expect(
      step.after(.answered(.success(.of(["a"])), request: 1)).state.heading == "검색결과(1)")
    let empty = step.after(.answered(.success(.of([], total: 0)), request: 1))
    #expect(empty.state.heading == "책 검색")
    #expect(empty.state.message == "검색 결과가 없습니다.")
    #expect(empty.state.summary["message"] == "검색 결과가 없습니다.")
    #expect(found.then(.clear).state.heading == "책 검색")
    #expect(start(.tmdb).state.heading == "영화·시리즈 검색")
  }
}
