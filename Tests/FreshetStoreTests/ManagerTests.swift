import Freshet
import Testing

@testable import FreshetStore

@Suite("DatabaseManager")
struct ManagerTests {
  @Test("what is saved is there after opening again, in insertion order")
  func reopen() async throws {
    let directory = try TemporaryDirectory()
    let first = try DatabaseManager.open(at: directory.store, options: .fixed())
    #expect(try await first.save(id: "b", body: body(1)).value() == .saved)
    #expect(try await first.save(id: "a", body: body(2)).value() == .saved)
    #expect(try await first.save(id: "b", body: body(3)).value() == .replaced)
    #expect(try await first.save(id: "b", body: body(3)).value() == .unchanged)
    #expect(try await first.contents() == [#"b={"n":3}"#, #"a={"n":2}"#])
    #expect(first.token.revision == 3)
    first.close()

    let second = try DatabaseManager.open(at: directory.store, options: .fixed())
    #expect(try await second.contents() == [#"b={"n":3}"#, #"a={"n":2}"#])
    #expect(second.token == Token(storeID: second.storeID, epoch: 1, revision: 3))
    #expect(try second.oldestToken.revision == 0)
  }

  @Test("observe gives the state, then one list per commit")
  func observe() async throws {
    let directory = try TemporaryDirectory()
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await manager.save(id: "a", body: body(1)).value()
    let lists = Collector(manager.observe())
    #expect(await lists.values(1)[0].isInitial)
    _ = try await manager.save(id: "b", body: body(2)).value()
    let second = await lists.values(2)[1]
    #expect(second.records.map(\.id) == ["a", "b"])
    #expect(second.diff == ListDiff(inserted: [.init(id: "b", index: 1)]))
    manager.close()
    #expect(await lists.ended() == .finished)
  }
}

extension StoreError: Equatable {
  /// Compares what a command would print.
  public static func == (a: StoreError, b: StoreError) -> Bool {
    a.code == b.code && a.message == b.message
  }
}
