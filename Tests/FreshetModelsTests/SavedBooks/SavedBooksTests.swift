import Freshet
import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

@Suite("Saved books: the state machine")
struct SavedBooksReduceTests {
  typealias Model = SavedBooksModel

  private func record(_ name: String, body: String? = nil) -> Record {
    Make.record("book:local:\(name)", body: body.map { Array($0.utf8) })
  }

  private func list(_ revision: Int64, _ records: Record..., isInitial: Bool = false) -> Model.Event
  {
    .list(.list(Make.list(revision, records, isInitial: isInitial), query: 1))
  }

  private func deleted(_ revision: Int64) -> Model.Event {
    .list(
      .deleteAnswered(
        .success(
          CommitReceipt(
            token: Token(storeID: "s", epoch: 1, revision: revision), outcomes: [.deleted])),
        request: 1))
  }

  private let full = StoreError(.diskFull, "The disk is full.")

  private var start: Step<Model> { Step(state: Model.State()) }
  private var loaded: Step<Model> {
    start.after(.appear, list(1, record("a"), record("b"), isInitial: true))
  }

  private func ids(_ step: Step<Model>) -> [String] { step.state.books.rows.map(\.id.native) }

  @Test("idle, appear: loading; then loaded or empty")
  func appear() {
    #expect(loaded.phases == ["idle appear loading", "loading fetched loaded"])
    #expect(ids(loaded) == ["a", "b"])
    #expect(loaded.transitions[1].diff.inserted.count == 2)
    let empty = start.after(.appear, list(0, isInitial: true))
    #expect(empty.phases.last == "loading fetched empty")
  }

  @Test("a row that is no book is left out and counted, the rest are shown")
  func badRow() {
    let step = start.after(
      .appear, list(1, record("a"), record("b", body: "{\"id\":7}"), record("c"), isInitial: true))
    #expect(ids(step) == ["a", "c"])
    #expect(step.state.skipped == ["book:local:b"])
    #expect(step.notices == [.rowsSkipped(1)])
  }

  @Test("a list after another shows the same books as if it were the first")
  func secondList() {
    func row(_ name: String, _ place: Int64, _ title: String?) -> Record {
      let book = "{\"id\":\"book:local:\(name)\",\"title\":\"\(title ?? "")\"}"
      return Make.record(
        "book:local:\(name)", created: place, body: Array((title == nil ? "{\"id\":7}" : book).utf8)
      )
    }
    let first = start.after(
      .appear,
      list(
        1, row("a", 1, "1"), row("b", 2, "1"), row("c", 3, nil), row("d", 4, nil),
        row("e", 5, "1"), row("g", 6, "1"), isInitial: true))
    // As it was, a book now, still none, none now, changed, new, deleted and saved again.
    let rows = [
      row("a", 1, "1"), row("c", 3, "1"), row("d", 4, nil), row("e", 5, nil), row("g", 6, "2"),
      row("f", 7, "1"), row("b", 8, "1"),
    ]
    let second = first.then(.list(.list(Make.list(2, rows, isInitial: true), query: 1)))
    let alone = start.after(
      .appear, .list(.list(Make.list(2, rows, isInitial: true), query: 1)))
    #expect(ids(second) == ["a", "c", "g", "f", "b"])
    #expect(second.state.books.rows == alone.state.books.rows)
    #expect(second.state.skipped == alone.state.skipped)
  }

  @Test("loaded, delete: deleting until the store's own list; then loaded, or empty")
  func delete() {
    let step = loaded.then(.delete(id: "book:local:a"), deleted(2), list(2, record("b")))
    #expect(step.phases == ["loaded delete deleting", "deleting deleted loaded"])
    #expect(step.transitions[0].state.books.count == 2)
    #expect(step.transitions[1].diff.removed == [.init(id: "book:local:a", index: 0)])
    let last = step.then(.delete(id: "book:local:b"))
    #expect(last.phases == ["loaded delete deleting"])
  }

  @Test("loaded, delete all: the committed list is empty, and so is the screen")
  func deleteAll() {
    let step = loaded.then(.deleteAll, deleted(2), list(2))
    #expect(step.phases == ["loaded deleteAll deletingAll", "deletingAll deleted empty"])
    #expect(step.state.books.isEmpty)
    #expect(step.transitions[1].diff.removed.count == 2)
  }

  @Test("deleting, failure: failed with the items unchanged")
  func failure() {
    for event in [Model.Event.deleteAll, .delete(id: "book:local:a")] {
      let step = loaded.then(event, .list(.deleteAnswered(.failure(full), request: 1)))
      #expect(step.state.phase.name == "failed")
      #expect(ids(step) == ["a", "b"])
    }
  }

  @Test("delete of an unknown id: notFound, the list unchanged, the store not asked")
  func unknown() {
    let step = loaded.then(.delete(id: "book:local:z"))
    #expect(step.notices == [.notFound(id: "book:local:z")])
    #expect(step.transitions.isEmpty && step.effects.isEmpty)
  }

  @Test("add: the first tab is to be shown")
  func add() {
    #expect(loaded.then(.add).notices == [.switchTab(0)])
    #expect(loaded.then(.add).transitions.isEmpty)
  }
}

@Suite("Saved books: the screen over a store")
struct SavedBooksModelTests {
  @Test("delete all deletes the books, and neither films nor settings; each comes back")
  func deleteAll() async throws {
    let folder = try StoreFolder()
    let ids = ["book:local:1", "film:local:1", "book:local:2", "setting:x"]
    _ = try await folder.manager.apply(
      ids.map { .save(id: $0, body: Array("{\"id\":\"\($0)\"}".utf8)) }
    ).value()
    let model = SavedBooksModel(manager: folder.manager)
    model.appear()
    #expect(try await model.settled().value().books.count == 2)
    model.deleteAll()
    #expect(try await model.settled().value().phase.name == "empty")
    #expect(try await folder.manager.fetch().value().map(\.id) == ["film:local:1", "setting:x"])
    _ = try await folder.manager.restore(id: "book:local:2").value()
    for await state in model.states.filter({ $0.books.count == 1 }).take(1).values {
      #expect(state.phase.name == "loaded")
    }
    try folder.remove()
  }

  @Test("a delete-all of the content items brings back everything else, in one commit")
  func contentDeletion() async throws {
    let folder = try StoreFolder()
    let ids = ["book:local:1", "student:1", "film:local:1"]
    _ = try await folder.manager.apply(
      ids.map { .save(id: $0, body: Array("{\"id\":\"\($0)\"}".utf8)) }
    ).value()
    let deletion = try await folder.manager.contentDeletion().value()
    #expect(deletion.count == 2)
    let receipt = try await folder.manager.apply([.deleteAll] + deletion.restores).value()
    #expect(receipt.token?.revision == 2)
    #expect(try await folder.manager.fetch().value().map(\.id) == ["student:1"])
    let manager = try folder.restarted()
    #expect(try await manager.fetch().value().map(\.id) == ["student:1"])
    manager.close()
    try folder.remove()
  }
}
