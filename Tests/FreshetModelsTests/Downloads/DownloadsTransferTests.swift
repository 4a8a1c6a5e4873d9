import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

@Suite("Downloads: the state machine of what is being downloaded")
struct DownloadsTransferTests {
  typealias Model = DownloadsModel

  private let one = Make.book("1")
  private let two = Make.book("2")
  private let cut = ScreenError(code: "connection_lost", message: "cut", isRetryable: true)
  private var id: String { one.id.text }

  private var start: Step<Model> { Step(state: Model.State()) }
  private var shown: Step<Model> {
    start.after(.appear, .list(Make.list(1, [Make.record("a")], isInitial: true), query: 1))
  }

  @Test("any state, download: queued, and every step of it a transition of that state")
  func steps() {
    for before in [start, start.after(.appear), shown] {
      let phase = before.state.phase.name
      let step = before.then(
        .download(one), .transferred(id: id, .success(.progress(doneBytes: 3, totalBytes: 9))),
        .transferred(id: id, .success(.saved(.saved))))
      #expect(
        step.phases == ["download", "progress", "downloaded"].map { "\(phase) \($0) \(phase)" })
      #expect(step.effects == [.download(one)])
      #expect(
        step.transitions.map { $0.state.transfers[id] } == [
          .queued, .downloading(doneBytes: 3, totalBytes: 9), .done,
        ])
    }
  }

  @Test("one that runs is not begun again; one that is done or failed is, and clears the others")
  func again() {
    let running = shown.after(.download(one))
    #expect(running.then(.download(one)).notices == [.alreadyDownloading])
    #expect(running.then(.download(one)).effects.isEmpty)
    let failed = running.after(.transferred(id: id, .failure(cut)))
    #expect(failed.phases.last == "loaded downloadFailed loaded")
    #expect(failed.state.transfers[id] == .failed(cut))
    let other = failed.then(.download(two))
    #expect(other.state.transfers == [two.id.text: .queued])
    #expect(failed.then(.download(one)).state.transfers == [id: .queued])
  }

  @Test("called off: stopped and gone from the state; what still comes of it is stale")
  func cancel() {
    let step = shown.then(.download(one), .download(two), .cancelDownload(id: id))
    #expect(step.phases.last == "loaded downloadFailed loaded")
    #expect(step.effects.last == .stopDownload(id: id))
    #expect(step.effects.last?.isStop == true)
    #expect(Set(step.effects.map(\.slot)) == ["download \(id)", "download \(two.id.text)"])
    #expect(step.state.transfers == [two.id.text: .queued])
    let late = step.then(.transferred(id: id, .success(.saved(.saved))))
    #expect(late.notices == [.stale])
    #expect(late.transitions.isEmpty)
    #expect(step.then(.cancelDownload(id: id)).notices == [.notDownloading])
    let done = step.after(.transferred(id: two.id.text, .success(.saved(.unchanged))))
    #expect(done.then(.cancelDownload(id: two.id.text)).notices == [.notDownloading])
    #expect(done.then(.transferred(id: two.id.text, .failure(cut))).notices == [.stale])
  }

  @Test("settled when no download runs any more, whatever came of it")
  func settled() {
    #expect(shown.state.isSettled)
    let running = shown.after(.download(one))
    #expect(!running.state.isSettled)
    #expect(running.after(.transferred(id: id, .failure(cut))).state.isSettled)
    #expect(running.then(.cancelDownload(id: id)).state.isSettled)
  }

  @Test("delete all: the rows stay until the commit, whatever comes first, and failures keep them")
  func deleteAll() {
    let step = shown.then(.deleteAll)
    #expect(step.phases == ["loaded deleteAll deletingAll"])
    #expect(step.effects == [.deleteAll(request: 1)])
    #expect(step.state.records.count == 1)
    let receipt = CommitReceipt(
      token: Token(storeID: "s", epoch: 1, revision: 2), outcomes: [.deletedAll(1)])
    let end = step.then(
      .list(Make.list(2, []), query: 1), .deleteAnswered(.success(receipt), request: 1))
    #expect(end.phases == ["deletingAll deleted empty"])
    let full = StoreError(.diskFull, "The disk is full.")
    let failed = step.then(.deleteAnswered(.failure(full), request: 1))
    #expect(failed.phases == ["deletingAll deleteFailed failed"])
    #expect(failed.state.records.count == 1)
    #expect(start.then(.deleteAll).notices == [.notShown])
    let waiting = start.after(.appear, .deleteAll)
    #expect(waiting.effects == [.observe(query: 1)])
  }

  @Test("an answer to another delete is stale; a failed list has nothing to delete from")
  func stale() {
    let deleting = shown.then(.delete(id: "a"))
    let other = deleting.then(.deleteAnswered(.failure(StoreError(.closed, "")), request: 0))
    #expect(other.notices == [.stale])
    #expect(other.state.phase.name == "deleting")
    let lost = shown.after(.queryEnded(nil, query: 1))
    #expect(lost.state.phase.name == "failed")
    #expect(lost.then(.delete(id: "a")).notices == [.notShown])
    #expect(lost.then(.deleteAll).notices == [.notShown])
    #expect(start.then(.list(Make.list(1, []), query: 0)).notices == [.stale])
    // After a delete that failed the list is live, and the next delete is taken.
    let failed = deleting.after(
      .deleteAnswered(.failure(StoreError(.diskFull, "")), request: 1))
    #expect(failed.then(.delete(id: "a")).effects == [.delete(id: "a", request: 2)])
    #expect(
      failed.then(.list(Make.list(2, []), query: 1)).phases == ["failed externalChange empty"])
  }

  @Test(
    "the commit of one delete says nothing about the next, also when the store was lost between")
  func nextDelete() {
    func answer(_ revision: Int64, _ request: Int) -> Model.Event {
      .deleteAnswered(
        .success(
          CommitReceipt(
            token: Token(storeID: "s", epoch: 1, revision: revision), outcomes: [.deleted])),
        request: request)
    }
    let awaiting = shown.after(.delete(id: "a"), answer(2, 1))
    #expect(awaiting.then(answer(9, 1)).notices == [.stale])
    // A list from before the delete's commit is not its list.
    let older = shown.after(.delete(id: "a"), answer(3, 1))
      .then(.list(Make.list(2, [Make.record("a")]), query: 1))
    #expect(older.transitions.isEmpty)
    // What waited gets its turn, however the delete ended.
    let lost = shown.then(
      .delete(id: "a"), .appear, answer(2, 1), .queryEnded(nil, query: 1))
    #expect(lost.phases.suffix(2) == ["deleting queryFailed failed", "failed appear loading"])
    let failed = shown.then(
      .delete(id: "a"), .delete(id: "b"),
      .deleteAnswered(.failure(StoreError(.diskFull, "")), request: 1))
    #expect(failed.phases.suffix(2) == ["deleting deleteFailed failed", "failed delete deleting"])
    let again = awaiting.after(
      .queryEnded(nil, query: 1), .appear,
      .list(Make.list(3, [Make.record("a"), Make.record("b")], isInitial: true), query: 2),
      .delete(id: "b"))
    // A list of somebody else's commit is not the delete's own.
    let early = again.then(.list(Make.list(4, [Make.record("a"), Make.record("b")]), query: 2))
    #expect(early.state.phase.name == "deleting")
    #expect(early.transitions.isEmpty)
    let end = early.then(answer(5, 2), .list(Make.list(5, [Make.record("a")]), query: 2))
    #expect(end.phases == ["deleting deleted loaded"])
  }
}
