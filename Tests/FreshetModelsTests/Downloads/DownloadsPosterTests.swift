import Freshet
import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

@Suite("Downloads: the pictures of the rows in view")
struct DownloadsPosterTests {
  typealias Model = DownloadsModel

  private let missing = CatalogError(.notFound, "no")

  private var start: Step<Model> {
    Step(state: Model.State(address: { $0.id.hasSuffix("0") ? nil : "http://x/" + $0.id }))
  }

  private func list(
    _ revision: Int64, _ ids: [String], removed: [String] = [], updated: [String] = []
  ) -> Model.Event {
    let diff = ListDiff(
      inserted: [], removed: removed.map { .init(id: $0, index: 0) }, moved: [], updated: updated)
    return .list(
      LiveList(
        token: Token(storeID: "s", epoch: 1, revision: revision),
        records: ids.map { Make.record($0) }, diff: diff, changes: nil, isInitial: revision == 1),
      query: 1)
  }

  private func picture(_ bytes: [UInt8]) -> ImageModel.Picture { .init(path: "/p", bytes: bytes) }
  private var loaded: Step<Model> { start.after(.appear, list(1, ["a", "b", "c0"])) }

  @Test("a row in view: its picture is looked for, and its steps are transitions with the state")
  func appears() {
    let step = loaded.then(
      .rowAppeared(id: "a"),
      .poster(id: "a", .progress(doneBytes: 1, totalBytes: nil, request: 1)),
      .poster(id: "a", .loaded(.success(picture([1])), request: 1)))
    #expect(step.phases == Array(repeating: "loaded poster loaded", count: 3))
    #expect(step.effects == [.poster(id: "a", .look("http://x/a", request: 1))])
    #expect(step.state.posters["a"]?.picture == picture([1]))
    let told = step.transitions[1].state.summary["posters"]?.arrayValue?.first?.objectValue
    #expect(told?["id"] == "a" && told?["state"] == "loading" && told?["done"] == 1)
    // In view once more, it is there.
    #expect(step.then(.rowAppeared(id: "a")).effects.isEmpty)
  }

  @Test("rows are apart: each has its picture, its failure and its work")
  func apart() {
    let step = loaded.then(
      .rowAppeared(id: "a"), .rowAppeared(id: "b"),
      .poster(id: "b", .loaded(.failure(missing), request: 1)))
    #expect(step.state.posters["a"]?.phase == .loading)
    #expect(step.state.posters["b"]?.phase == .failed(ScreenError(missing)))
    #expect(Set(step.effects.map(\.slot)) == ["poster a", "poster b"])
    #expect(step.state.phase.name == "loaded")
  }

  @Test("out of view: the picture is stopped and let go; what still comes of it is stale")
  func disappears() {
    let step = loaded.then(.rowAppeared(id: "a"), .rowDisappeared(id: "a"))
    #expect(step.effects.last == .poster(id: "a", .stop))
    #expect(step.effects.last?.isStop == true)
    #expect(step.state.posters.isEmpty)
    #expect(
      step.then(.poster(id: "a", .cached(picture([1]), request: 1))).notices == [.stale])
    let stale = loaded.after(.rowAppeared(id: "a"))
      .then(.poster(id: "a", .cached(picture([1]), request: 0)))
    #expect(stale.notices == [.stale])
    #expect(stale.transitions.isEmpty)
    let shown = loaded.after(
      .rowAppeared(id: "a"), .poster(id: "a", .cached(picture([1]), request: 1)))
    #expect(shown.then(.rowDisappeared(id: "a")).effects.isEmpty)
  }

  @Test("a row that is deleted takes its picture along; one that changed shows its own")
  func changes() {
    let shown = loaded.after(.rowAppeared(id: "a"), .rowAppeared(id: "b"))
    let removed = shown.then(list(2, ["b", "c0"], removed: ["a"]))
    #expect(removed.effects == [.poster(id: "a", .stop)])
    #expect(removed.state.posters.keys.sorted() == ["b"])
    let failed = shown.after(.poster(id: "b", .loaded(.failure(missing), request: 1)))
    let updated = failed.then(list(2, ["a", "b", "c0"], updated: ["b"]))
    #expect(updated.effects == [.poster(id: "b", .look("http://x/b", request: 2))])
    #expect(updated.phases == ["loaded externalChange loaded", "loaded poster loaded"])
  }

  @Test("downloaded: a picture that could not be had is looked for again")
  func downloaded() {
    let item = Make.book("1")
    let step = start.after(.appear, list(1, ["book:local:1"])).after(
      .rowAppeared(id: "book:local:1"),
      .poster(id: "book:local:1", .loaded(.failure(missing), request: 1)), .download(item)
    ).then(.transferred(id: "book:local:1", .success(.saved(.unchanged))))
    #expect(step.phases == ["loaded downloaded loaded", "loaded poster loaded"])
  }

  @Test("no such row, no picture, nobody who loads: nothing is looked for")
  func nothing() {
    #expect(loaded.then(.rowAppeared(id: "x")).notices == [.noRow])
    #expect(loaded.then(.rowDisappeared(id: "a")).notices == [.noRow])
    let bare = loaded.then(.rowAppeared(id: "c0"))
    #expect(bare.effects.isEmpty && bare.transitions.isEmpty)
    let unasked = Step<Model>(state: Model.State()).after(.appear, list(1, ["a"]))
    #expect(unasked.then(.rowAppeared(id: "a")).notices == [.noRow])
  }

  @Test(
    "the screen over a store: rows come into view, scroll out, and a download brings the picture")
  func overStore() async throws {
    let folder = try StoreFolder()
    let assets = HandedAssets()
    for name in ["1", "2"] {
      let book = Make.picturedBook(name, "http://x/" + name)
      _ = try await folder.manager.save(id: book.id.text, body: book.jsonBytes).value()
    }
    let model = DownloadsModel(manager: folder.manager, assets: assets)
    model.appear()
    for await _ in model.states.filter({ $0.records.count == 2 }).take(1).values {}
    model.rowAppeared(id: "book:local:1")
    model.rowAppeared(id: "book:local:2")
    assets.finish("http://x/1", [1])
    #expect(model.state.posters["book:local:1"]?.picture?.bytes == [1])
    #expect(assets.addresses == ["http://x/2"])
    model.rowDisappeared(id: "book:local:2")
    assets.finish("http://x/2", [2])
    #expect(model.state.posters["book:local:2"] == nil)
    model.rowAppeared(id: "book:local:2")
    #expect(model.state.posters["book:local:2"]?.phase == .cached)
    model.delete(id: "book:local:1")
    for await _ in model.states.filter({ $0.posters.count == 1 }).take(1).values {}
    model.close()
    try folder.remove()
  }
}
