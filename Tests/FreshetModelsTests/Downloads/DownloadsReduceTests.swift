import FreshetStore
import Testing

@testable import FreshetModels

/// The rows of the screen's table, one test each, on values alone.
@Suite("Downloads: the state machine")
struct DownloadsReduceTests {
  typealias Model = DownloadsModel

  // MARK: Making values

  private func record(_ id: String, created: Int64 = 1, revision: Int64? = nil) -> Record {
    Record(
      id: id, revision: revision ?? created, created: created, createdIndex: 0, isDeleted: false,
      body: Array("{\"id\":\"\(id)\"}".utf8))
  }

  private func list(
    _ revision: Int64, _ ids: [String], diff: ListDiff = ListDiff(), isInitial: Bool = false
  ) -> LiveList {
    LiveList(
      token: Token(storeID: "s", epoch: 1, revision: revision), records: ids.map { record($0) },
      diff: diff, changes: nil, isInitial: isInitial)
  }

  private func deleted(_ revision: Int64) -> Result<CommitReceipt, StoreError> {
    .success(
      CommitReceipt(
        token: Token(storeID: "s", epoch: 1, revision: revision), outcomes: [.deleted]))
  }

  private let nothingDeleted = Result<CommitReceipt, StoreError>.success(
    CommitReceipt(token: nil, outcomes: [.notFound]))
  private let full = StoreError(.diskFull, "The disk is full.")

  /// All steps of some events, folded.
  private func run(_ events: Model.Event...) -> Step<DownloadsModel> {
    var all = Model.reduce(Model.State(), events[0])
    for event in events.dropFirst() {
      let step = Model.reduce(all.state, event)
      all = all.followed(by: step)
    }
    return all
  }

  private func phases(_ step: Step<DownloadsModel>) -> [String] {
    step.transitions.map { "\($0.from.name) \($0.cause.rawValue) \($0.to.name)" }
  }

  private func ids(_ step: Step<DownloadsModel>) -> [String] { step.state.records.map(\.id) }

  // MARK: Appearing

  @Test("idle: appear loads and asks the store")
  func appear() {
    let step = run(.appear)
    #expect(phases(step) == ["idle appear loading"])
    #expect(step.effects == [.observe(query: 1)])
  }

  @Test("loading: the first list is shown")
  func loaded() {
    let step = run(.appear, .list(list(3, ["a", "b"], isInitial: true), query: 1))
    #expect(phases(step) == ["idle appear loading", "loading fetched loaded"])
    #expect(ids(step) == ["a", "b"])
    #expect(step.state.revision == 3)
    #expect(step.transitions[1].diff.inserted.map(\.id) == ["a", "b"])
    #expect(step.transitions[1].revision == 3)
  }

  @Test("loading: nothing found is empty, which is not idle")
  func empty() {
    let step = run(.appear, .list(list(0, [], isInitial: true), query: 1))
    #expect(phases(step).last == "loading fetched empty")
  }

  @Test("loading: a failure keeps what was shown, and appear tries again")
  func loadFails() {
    let step = run(
      .appear, .list(list(1, ["a"], isInitial: true), query: 1), .queryEnded(full, query: 1),
      .appear, .queryEnded(full, query: 2))
    #expect(
      phases(step).suffix(3) == [
        "loaded queryFailed failed", "failed appear loading", "loading queryFailed failed",
      ])
    #expect(ids(step) == ["a"])
    #expect(step.effects == [.observe(query: 1), .observe(query: 2)])
    guard case .failed(let error) = step.state.phase else {
      Issue.record("not failed")
      return
    }
    #expect(error.code == .diskFull)
  }

  @Test("a list of before the failure and again after it differs in nothing")
  func reloadDiff() {
    let step = run(
      .appear, .list(list(1, ["a"], isInitial: true), query: 1), .queryEnded(full, query: 1),
      .appear, .list(list(2, ["a", "b"], isInitial: true), query: 2))
    #expect(step.transitions.last?.diff.inserted.map(\.id) == ["b"])
    #expect(step.transitions.last?.diff.removed.isEmpty == true)
  }

  @Test("loading and loaded: appear changes nothing, the list is live")
  func appearAgain() {
    #expect(run(.appear, .appear).notices == [.alreadyShown])
    let step = run(.appear, .list(list(1, ["a"], isInitial: true), query: 1), .appear)
    #expect(step.notices == [.alreadyShown])
    #expect(step.effects.count == 1)
  }

  @Test("loaded: a change from outside is shown with its own difference")
  func externalChange() {
    let diff = ListDiff(inserted: [.init(id: "b", index: 1)])
    let step = run(
      .appear, .list(list(1, ["a"], isInitial: true), query: 1),
      .list(list(2, ["a", "b"], diff: diff), query: 1), .list(list(3, []), query: 1),
      .list(list(4, ["c"]), query: 1))
    #expect(
      phases(step).suffix(3) == [
        "loaded externalChange loaded", "loaded externalChange empty",
        "empty externalChange loaded",
      ])
    #expect(step.transitions[2].diff == diff)
  }

  @Test("an answer to a query of before is stale")
  func staleList() {
    let step = run(
      .appear, .queryEnded(full, query: 1), .appear, .list(list(9, ["x"]), query: 1),
      .queryEnded(nil, query: 1))
    #expect(step.notices == [.stale, .stale])
    #expect(step.state.phase.name == "loading")
  }

  // MARK: Deleting

  private var shown: Step<DownloadsModel> {
    run(.appear, .list(list(1, ["a", "b"], isInitial: true), query: 1))
  }

  private func run(from step: Step<DownloadsModel>, _ events: Model.Event...) -> Step<
    DownloadsModel
  > {
    events.reduce(Step<DownloadsModel>.start(step.state)) { all, event in
      all.followed(by: Model.reduce(all.state, event))
    }
  }

  private let withoutA = ListDiff(removed: [.init(id: "a", index: 0)])

  @Test("loaded: delete asks the store and shows the item until it has answered")
  func delete() {
    let step = run(from: shown, .delete(id: "a"))
    #expect(phases(step) == ["loaded delete deleting"])
    #expect(step.effects == [.delete(id: "a", request: 1)])
    #expect(ids(step) == ["a", "b"])
  }

  @Test("deleting: the list changes with the commit, whichever of answer and list comes first")
  func deletedEitherOrder() {
    let answer = Model.Event.deleteAnswered(deleted(2), request: 1)
    let change = Model.Event.list(list(2, ["b"], diff: withoutA), query: 1)
    for step in [
      run(from: shown, .delete(id: "a"), answer, change),
      run(from: shown, .delete(id: "a"), change, answer),
    ] {
      #expect(phases(step) == ["loaded delete deleting", "deleting deleted loaded"])
      #expect(ids(step) == ["b"])
      #expect(step.transitions[1].diff == withoutA)
    }
  }

  @Test("deleting the last item ends in empty")
  func deletedLast() {
    let one = run(.appear, .list(list(1, ["a"], isInitial: true), query: 1))
    let step = run(
      from: one, .delete(id: "a"), .deleteAnswered(deleted(2), request: 1),
      .list(list(2, [], diff: withoutA), query: 1))
    #expect(phases(step).last == "deleting deleted empty")
  }

  @Test("deleting what is not there leaves the list as it is")
  func deleteNothing() {
    let step = run(from: shown, .delete(id: "x"), .deleteAnswered(nothingDeleted, request: 1))
    #expect(phases(step).last == "deleting deleted loaded")
    #expect(ids(step) == ["a", "b"])
    #expect(step.transitions.last?.diff.isEmpty == true)
  }

  @Test("deleting: a failure keeps the items and carries the error")
  func deleteFails() {
    let step = run(from: shown, .delete(id: "a"), .deleteAnswered(.failure(full), request: 1))
    #expect(phases(step).last == "deleting deleteFailed failed")
    #expect(ids(step) == ["a", "b"])
    let again = run(from: step, .appear)
    #expect(phases(again) == ["failed appear loaded"])
    #expect(again.effects.isEmpty)
  }

  @Test("deleting: events wait and get their turn in order")
  func queued() {
    let step = run(
      from: shown, .delete(id: "a"), .delete(id: "b"), .appear,
      .list(list(2, ["a", "b", "c"]), query: 1), .deleteAnswered(deleted(3), request: 1),
      .list(list(3, ["b", "c"]), query: 1))
    // The list of commit 2 came before the delete's own and is passed over; what it told is in the
    // difference of the next.
    #expect(
      phases(step) == [
        "loaded delete deleting", "deleting deleted loaded", "loaded delete deleting",
      ])
    #expect(step.transitions[1].diff.removed.map(\.id) == ["a"])
    #expect(step.transitions[1].diff.inserted.map(\.id) == ["c"])
    #expect(step.effects == [.delete(id: "a", request: 1), .delete(id: "b", request: 2)])
    let end = run(
      from: step, .deleteAnswered(deleted(4), request: 2), .list(list(4, ["c"]), query: 1))
    #expect(phases(end) == ["deleting deleted loaded"])
    #expect(end.notices == [.alreadyShown])
    #expect(ids(end) == ["c"])
  }

  @Test("a commit after the delete's own, queued with it, is shown by itself")
  func laterCommit() {
    let step = run(
      from: shown, .delete(id: "a"), .list(list(2, ["b"], diff: withoutA), query: 1),
      .list(list(3, ["b", "c"], diff: ListDiff(inserted: [.init(id: "c", index: 1)])), query: 1),
      .deleteAnswered(deleted(2), request: 1))
    #expect(
      phases(step).suffix(2) == ["deleting deleted loaded", "loaded externalChange loaded"])
    #expect(step.transitions.last?.diff.inserted.map(\.id) == ["c"])
    #expect(step.state.revision == 3)
  }

  @Test("the item deleted by somebody else meanwhile never comes back")
  func deletedElsewhere() {
    let step = run(
      from: shown, .delete(id: "a"), .list(list(2, ["b"], diff: withoutA), query: 1),
      .deleteAnswered(nothingDeleted, request: 1))
    #expect(
      phases(step).suffix(2) == ["deleting deleted loaded", "loaded externalChange loaded"])
    #expect(ids(step) == ["b"])
  }

  @Test("a second answer to a delete is stale")
  func staleAnswer() {
    let step = run(
      from: shown, .delete(id: "a"), .deleteAnswered(nothingDeleted, request: 1),
      .deleteAnswered(deleted(9), request: 1))
    #expect(step.notices == [.stale])
    #expect(step.state.phase.name == "loaded")
  }

  @Test("the store lost during a delete is a failure, not a wait without end")
  func storeLost() {
    let early = run(
      from: shown, .delete(id: "a"), .queryEnded(full, query: 1),
      .deleteAnswered(deleted(2), request: 1))
    let late = run(
      from: shown, .delete(id: "a"), .deleteAnswered(deleted(2), request: 1),
      .queryEnded(full, query: 1))
    #expect(phases(early).last == "deleting queryFailed failed")
    #expect(phases(late).last == "deleting queryFailed failed")
  }

  @Test("idle: there is nothing to delete from")
  func deleteIdle() {
    #expect(run(.delete(id: "a")).notices == [.notShown])
  }

  @Test("loading: a delete waits for the list")
  func deleteWhileLoading() {
    let step = run(
      .appear, .delete(id: "a"), .list(list(1, ["a"], isInitial: true), query: 1))
    #expect(
      phases(step) == [
        "idle appear loading", "loading fetched loaded", "loaded delete deleting",
      ])
    #expect(step.effects.last == .delete(id: "a", request: 1))
  }
}

extension Step<DownloadsModel> {
  static func start(_ state: DownloadsModel.State) -> Step { Step(state: state) }
}
