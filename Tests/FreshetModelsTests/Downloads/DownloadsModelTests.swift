import Foundation
import Freshet
import FreshetModels
import FreshetStore
import Synchronization
import Testing

/// The screen over a real store in a folder of its own; every wait is for a state.
@Suite("Downloads: the screen over a store")
struct DownloadsModelTests {
  private let folder: URL
  private let manager: DatabaseManager

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "freshet-models-\(UUID().uuidString)")
    manager = try DatabaseManager.open(at: folder.path)
  }

  private func body(_ id: String, _ title: String = "t") -> [UInt8] {
    Array("{\"id\":\"\(id)\",\"title\":\"\(title)\"}".utf8)
  }

  private func save(_ ids: String...) async throws {
    _ = try await manager.apply(ids.map { .save(id: $0, body: body($0)) }).value()
  }

  /// Waits for the first state that fits.
  private func state(
    of model: DownloadsModel, where fits: @escaping @Sendable (DownloadsModel.State) -> Bool
  ) async -> DownloadsModel.State? {
    for await state in model.states.filter(fits).take(1).values { return state }
    return nil
  }

  private func cleanUp() throws {
    manager.close()
    try FileManager.default.removeItem(at: folder)
  }

  @Test("nothing is asked before it appears; then the list is shown and stays live")
  func live() async throws {
    let model = DownloadsModel(manager: manager)
    #expect(model.state.phase.name == "idle")
    model.appear()
    #expect(await state(of: model) { $0.phase.name == "empty" } != nil)
    try await save("book:local:a", "book:local:b")
    let shown = await state(of: model) { $0.records.count == 2 }
    #expect(shown?.records.map(\.id) == ["book:local:a", "book:local:b"])
    #expect(shown?.phase.name == "loaded")
    try cleanUp()
  }

  @Test("a delete goes through the store, and the commit is what changes the list")
  func delete() async throws {
    try await save("book:local:a", "book:local:b")
    let model = DownloadsModel(manager: manager)
    let seen = Mutex<[String]>([])
    let token = model.transitions.subscribe { transition in
      seen.withLock {
        $0.append("\(transition.from.name) \(transition.cause.rawValue) \(transition.to.name)")
      }
    }
    model.appear()
    _ = await state(of: model) { $0.phase.name == "loaded" }
    model.delete(id: "book:local:a")
    model.delete(id: "book:local:b")
    #expect(await state(of: model) { $0.phase.name == "empty" }?.records.isEmpty == true)
    #expect(try await manager.fetch().value().isEmpty)
    #expect(
      seen.withLock { $0 } == [
        "idle appear loading", "loading fetched loaded", "loaded delete deleting",
        "deleting deleted loaded", "loaded delete deleting", "deleting deleted empty",
      ])
    token.dispose()
    try cleanUp()
  }

  @Test("the store closed beneath it is a failed state, with what was shown")
  func closed() async throws {
    try await save("book:local:a")
    let model = DownloadsModel(manager: manager)
    model.appear()
    _ = await state(of: model) { $0.phase.name == "loaded" }
    manager.close()
    let failed = await state(of: model) { $0.phase.name == "failed" }
    #expect(failed?.records.map(\.id) == ["book:local:a"])
    model.appear()
    #expect(await state(of: model) { $0.phase.name == "failed" && $0.records.count == 1 } != nil)
    try cleanUp()
  }

  @Test("letting go of it stops its query and finishes its flows")
  func released() async throws {
    try await save("book:local:a")
    var model: DownloadsModel? = DownloadsModel(manager: manager)
    weak let kept = model
    model?.appear()
    if let model { _ = await state(of: model) { $0.phase.name == "loaded" } }
    let states = try #require(model).states
    model = nil
    #expect(kept == nil)
    // The flow ends, so this loop does.
    for await _ in states.values {}
    try cleanUp()
  }

  @Test("closing finishes the flows; later intents do nothing")
  func close() async throws {
    let model = DownloadsModel(manager: manager)
    model.close()
    model.appear()
    #expect(model.state.phase.name == "idle")
    for await _ in model.transitions.values {}
    try cleanUp()
  }

  @Test("followed from a place: the screen's first steps, then one step per commit")
  func follow() async throws {
    try await save("book:local:a")
    let start = manager.token
    try await save("book:local:b")
    _ = try await manager.apply([
      .delete(id: "book:local:a"), .save(id: "book:local:b", body: body("book:local:b", "x")),
    ]).value()
    var names: [[String]] = []
    let flow = DownloadsModel.follow(manager, from: .after(start)).take(3)
    for try await followed in flow.values {
      names.append(followed.transitions.map { "\($0.from.name)-\($0.to.name)" })
      #expect(followed.list.isInitial == (names.count == 1))
    }
    #expect(names == [["idle-loading", "loading-loaded"], ["loaded-loaded"], ["loaded-loaded"]])
    try cleanUp()
  }
}
