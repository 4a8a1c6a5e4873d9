import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

/// The rows of the screen's table, on values alone.
@Suite("Guidance list: the state machine")
struct GuidanceListReduceTests {
  typealias Model = GuidanceListModel

  /// Two of class 1-1, two of 2-8, one of 1-2.
  private let five = [
    Make.guidance(1, 1, 1), Make.guidance(2, 1, 1), Make.guidance(3, 2, 8), Make.guidance(4, 2, 8),
    Make.guidance(5, 1, 2),
  ]
  private let offline = GuidanceError(.badResponse, "no", isRetryable: true)

  private func start(_ filter: GuidanceFilter = .all) -> Step<Model> {
    Step(state: Model.State(filter: filter))
  }

  private func loaded(_ filter: GuidanceFilter = .all) -> Step<Model> {
    start(filter).after(.appear, .answered(.success(five), request: 1))
  }

  private func without(_ id: Int64) -> [Guidance] { five.filter { $0.id != id } }

  private func shown(_ step: Step<Model>) -> [Int64] { step.state.visible.rows.map(\.id) }

  @Test("idle, appear: loading, and the list is asked for")
  func appear() {
    let step = start().after(.appear)
    #expect(step.phases == ["idle appear loading"])
    #expect(step.effects == [.fetch(request: 1)])
    #expect(step.then(.appear).notices == [.alreadyLoading])
  }

  @Test("loading, list: loaded, with the difference of what is visible")
  func fetched() {
    let step = loaded(.classNumber(grade: 2, 8))
    #expect(step.phases.last == "loading fetched loaded")
    #expect(shown(step) == [3, 4])
    #expect(step.state.master.count == 5)
    #expect(step.transitions.last?.diff.inserted.map(\.id) == ["guidance:3", "guidance:4"])
  }

  @Test("a filter that shows nothing of a list that is not empty says so")
  func emptyForFilter() {
    let step = loaded(.grade(3))
    #expect(step.state.phase == .loaded)
    #expect(step.state.isEmptyForFilter)
    #expect(!loaded().state.isEmptyForFilter)
    #expect(!start().state.isEmptyForFilter)
  }

  @Test("any state, setFilter: the same phase, visible worked out anew, nothing asked")
  func setFilter() {
    for before in [start(), start().after(.appear), loaded()] {
      let step = before.then(.setFilter(.grade(1)))
      #expect(step.transitions.map(\.from.name) == step.transitions.map(\.to.name))
      #expect(step.effects.isEmpty)
      #expect(step.transitions.map(\.cause) == [.setFilter])
    }
    let step = loaded().then(.setFilter(.grade(1)))
    #expect(shown(step) == [1, 2, 5])
    #expect(step.transitions[0].diff.removed.map(\.id) == ["guidance:3", "guidance:4"])
  }

  @Test("loaded, requestDelete: confirming with the student and the reason")
  func requestDelete() {
    let step = loaded().then(.requestDelete(id: 3))
    #expect(step.phases == ["loaded requestDelete confirming"])
    #expect(step.state.question == "2학년 8반 1번 가나다\n실내화 없음")
    #expect(step.effects.isEmpty)
  }

  @Test("loaded, requestDelete of one that is not shown: notFound, nothing else")
  func requestUnknown() {
    #expect(loaded().then(.requestDelete(id: 9)).notices == [.notFound(id: 9)])
    let hidden = loaded(.grade(1)).then(.requestDelete(id: 3))
    #expect(hidden.notices == [.notFound(id: 3)])
    #expect(hidden.transitions.isEmpty)
  }

  @Test("confirming, cancel: loaded, nothing asked")
  func cancel() {
    let step = loaded().then(.requestDelete(id: 1), .cancel)
    #expect(step.phases.last == "confirming cancel loaded")
    #expect(step.effects.isEmpty)
    #expect(step.state.question == nil)
  }

  @Test("confirming, confirm: deleting, and the service is asked once")
  func confirm() {
    let step = loaded().then(.requestDelete(id: 1), .confirm, .confirm)
    #expect(step.phases.last == "confirming confirm deleting")
    #expect(step.effects == [.delete(id: 1, request: 2)])
    #expect(step.notices == [.nothingToDo])
    // The question is over with the answer, and with a list that is read anew.
    #expect(step.state.question == nil)
    #expect(loaded().then(.requestDelete(id: 1), .appear).state.question == nil)
  }

  @Test("what means nothing where the screen is does nothing, and says so")
  func nothing() {
    let asked = loaded().after(.requestDelete(id: 1))
    for step in [
      start().after(.requestDelete(id: 1)), start().after(.complete(id: 1)),
      start().after(.confirm),
      start().after(.cancel), start().after(.retry), loaded().then(.retry), loaded().then(.cancel),
      loaded().then(.confirm), asked.then(.requestDelete(id: 2)), asked.then(.restore(id: 2)),
    ] {
      #expect(step.notices == [.nothingToDo])
      #expect(step.transitions.isEmpty && step.effects.isEmpty)
    }
  }

  @Test("an answer to a request of before, and one that nobody waits for, are stale")
  func staleAnswers() {
    let during = loaded().then(.complete(id: 1), .answered(.success([]), request: 1))
    #expect(during.notices == [.staleIgnored])
    #expect(during.state.phase == .changing(id: 1))
    #expect(loaded().then(.answered(.success([]), request: 1)).notices == [.staleIgnored])
    #expect(shown(loaded().then(.answered(.success([]), request: 1))) == [1, 2, 3, 4, 5])
  }

  @Test("C-32: deleting, list: loaded with the service's list, the filter kept, one removal")
  func deleted() {
    let step = loaded(.classNumber(grade: 1, 1))
      .then(.requestDelete(id: 1), .confirm, .answered(.success(without(1)), request: 2))
    #expect(step.phases.last == "deleting deleted loaded")
    #expect(step.state.master.count == 4)
    #expect(shown(step) == [2])
    #expect(step.state.filter == .classNumber(grade: 1, 1))
    let diff = step.transitions.last?.diff
    #expect(diff?.removed == [.init(id: "guidance:1", index: 0)])
    #expect(diff?.inserted.isEmpty == true)
  }

  @Test("loading and deleting, failure: failed, the list stays; retry asks the same again")
  func failure() {
    let loading = start().after(.appear, .answered(.failure(offline), request: 1))
    #expect(loading.phases.last == "loading failure failed")
    #expect(loading.then(.retry).phases == ["failed retry loading"])
    let deleting = loaded()
      .then(.requestDelete(id: 1), .confirm, .answered(.failure(offline), request: 2))
    #expect(deleting.phases.last == "deleting failure failed")
    #expect(deleting.state.master.count == 5)
    let again = deleting.then(.retry)
    #expect(again.phases == ["failed retry deleting"])
    #expect(again.effects == [.delete(id: 1, request: 3)])
  }

  @Test("deleting, appear: the list is read again after the delete")
  func appearDuringDelete() {
    let step = loaded()
      .then(.requestDelete(id: 1), .confirm, .appear, .answered(.success(without(1)), request: 2))
    #expect(
      step.phases.suffix(2) == ["deleting deleted loaded", "loaded appear loading"])
    #expect(step.effects == [.delete(id: 1, request: 2), .fetch(request: 3)])
  }

  @Test("an answer of before cannot bring a deleted guidance back")
  func staleList() {
    let step = loaded()
      .then(.requestDelete(id: 1), .confirm, .answered(.success(without(1)), request: 2))
      .then(.answered(.success(five), request: 1))
    #expect(step.notices == [.staleIgnored])
    #expect(shown(step) == [2, 3, 4, 5])
  }

  @Test("restore, complete, delay: changing, then the service's list")
  func changes() throws {
    let day = try #require(CalendarDay("2026-03-05"))
    let all: [(Model.Event, Model.Effect)] = [
      (.restore(id: 7), .restore(id: 7, request: 2)),
      (.complete(id: 7), .complete(id: 7, request: 2)),
      (.delay(id: 7, day), .delay(id: 7, day, request: 2)),
    ]
    for (event, effect) in all {
      let step = loaded().then(event, .answered(.success(without(2)), request: 2))
      #expect(step.phases == ["loaded change changing", "changing changed loaded"])
      #expect(step.effects == [effect])
      #expect(shown(step) == [1, 3, 4, 5])
    }
  }

  @Test("intents during a request wait for its end, in order")
  func queued() {
    let step = loaded().then(
      .complete(id: 1), .complete(id: 2), .requestDelete(id: 3),
      .answered(.success(without(1)), request: 2))
    #expect(step.phases.suffix(2) == ["changing changed loaded", "loaded change changing"])
    let end = step.then(.answered(.success([five[2]]), request: 3))
    #expect(
      end.phases == ["changing changed loaded", "loaded requestDelete confirming"])
  }

  @Test("a list that comes by itself is shown; a question about one that is gone is dropped")
  func changed() {
    let step = loaded().then(.changed(without(5)))
    #expect(step.phases == ["loaded externalChange loaded"])
    let asked = loaded().then(.requestDelete(id: 1), .changed(without(2)))
    #expect(asked.phases.last == "confirming externalChange confirming")
    #expect(asked.state.phase == .confirming(id: 1))
    #expect(shown(asked) == [1, 3, 4, 5])
    #expect(asked.state.question != nil)
    let gone = loaded().then(.requestDelete(id: 1), .changed(without(1)))
    #expect(gone.state.phase == .loaded)
    #expect(gone.notices == [.goneMeanwhile(id: 1)])
    #expect(gone.state.question == nil)
    #expect(start().after(.changed(five)).notices == [.staleIgnored])
  }

  @Test("a list that comes by itself during a request has it read again afterwards")
  func changedMeanwhile() {
    let step = loaded().then(
      .complete(id: 1), .changed(five), .answered(.success(five), request: 2))
    #expect(step.phases.last == "loaded appear loading")
    // However often it came, it is read once.
    let often = loaded().then(
      .complete(id: 1), .changed(five), .changed(five), .answered(.success(five), request: 2))
    #expect(often.effects == [.complete(id: 1, request: 2), .fetch(request: 3)])
    #expect(often.then(.answered(.success(five), request: 3)).state.phase == .loaded)
  }

  @Test("a service that repeats a number: the first stands, the other is counted")
  func repeated() {
    let step = start().after(.appear, .answered(.success(five + [five[0]]), request: 1))
    #expect(step.state.master.count == 5)
    #expect(step.state.master.droppedDuplicates == 1)
  }
}

@Suite("Register guidance: the state machine")
struct RegisterGuidanceReduceTests {
  typealias Model = RegisterGuidanceModel

  private var ready: Step<Model> { Step(state: Model.State(studentID: 101)) }
  private let kept = Make.guidance(7, 1, 1, .others(detail: "d"))
  private let offline = GuidanceError(.badResponse, "no", isRetryable: true)

  private func draft(_ reason: GuidanceReason) -> GuidanceDraft {
    GuidanceDraft(studentID: 101, reason: reason)
  }

  @Test("ready, 기타 without detail: enteringDetail, nothing asked")
  func others() {
    let step = ready.after(.choose(.others(detail: nil)))
    #expect(step.phases == ["ready choose enteringDetail"])
    #expect(step.effects.isEmpty)
  }

  @Test("enteringDetail, blank: enteringDetail and detailRequired")
  func blank() {
    for text in ["", "  ", "\n"] {
      let step = ready.after(.choose(.others(detail: nil)), .detail(text))
      #expect(step.state.phase == .enteringDetail)
      #expect(step.notices == [.detailRequired])
    }
    let chosen = ready.after(.choose(.others(detail: " ")))
    #expect(chosen.notices == [.detailRequired])
    #expect(chosen.phases == ["ready choose enteringDetail"])
  }

  @Test("enteringDetail, a detail: submitting with the trimmed text")
  func detail() {
    let step = ready.after(.choose(.others(detail: nil)), .detail(" 복도에서 뛰어다님 "))
    #expect(step.phases.last == "enteringDetail detail submitting")
    #expect(step.effects == [.register(draft(.others(detail: "복도에서 뛰어다님")), request: 1)])
  }

  @Test("enteringDetail, cancel: ready")
  func cancel() {
    let step = ready.after(.choose(.others(detail: nil)), .cancel)
    #expect(step.phases.last == "enteringDetail cancel ready")
    let given = ready.after(.choose(.noShoes), .answered(.failure(offline), request: 1), .cancel)
    #expect(given.phases.last == "failed cancel ready")
    // Nothing of it is left to be registered by mistake.
    #expect(given.state.draft == nil)
  }

  @Test("ready, any other reason, or 기타 with its detail: submitting")
  func direct() {
    for reason in [GuidanceReason.wrongClothes, .noShoes, .trespassing, .others(detail: "x")] {
      let step = ready.after(.choose(reason))
      #expect(step.phases == ["ready choose submitting"])
      #expect(step.effects == [.register(draft(reason), request: 1)])
    }
  }

  @Test("a reason that nobody can register is refused")
  func unlisted() {
    let step = ready.after(.choose(.unlisted("지각")))
    #expect(step.transitions.isEmpty)
    #expect(step.notices.map(\.name) == ["refused"])
  }

  @Test("submitting: a second tap does nothing, so nothing is registered twice")
  func doubleTap() {
    let step = ready.after(.choose(.noShoes), .choose(.noShoes), .retry)
    #expect(step.effects.count == 1)
    #expect(step.notices == [.alreadySubmitting, .alreadySubmitting])
  }

  @Test("submitting, answer: registered, with the service's own record in the message")
  func registered() {
    let step = ready.after(.choose(.noShoes), .answered(.success(kept), request: 1))
    #expect(step.phases.last == "submitting registered registered")
    #expect(step.state.phase == .registered(kept))
    #expect(step.state.message == "1학년 1반 1번 가나다\n기타(d)")
    let ok = step.then(.ok)
    #expect(ok.phases == ["registered ok ready"])
    #expect(ok.notices == [.backToStart])
    #expect(ok.state.draft == nil)
  }

  @Test("submitting, failure: failed, and retry submits the same again")
  func failed() {
    let step = ready.after(.choose(.noShoes), .answered(.failure(offline), request: 1), .retry)
    #expect(
      step.phases.suffix(2) == ["submitting failure failed", "failed retry submitting"])
    #expect(
      step.effects == [
        .register(draft(.noShoes), request: 1), .register(draft(.noShoes), request: 2),
      ])
    #expect(step.then(.answered(.success(kept), request: 1)).notices == [.staleIgnored])
    #expect(ready.after(.answered(.success(kept), request: 0)).notices == [.staleIgnored])
  }

  @Test("what means nothing where the screen is does nothing")
  func nothing() {
    #expect(ready.after(.ok, .cancel, .retry, .detail("x")).transitions.isEmpty)
  }
}
