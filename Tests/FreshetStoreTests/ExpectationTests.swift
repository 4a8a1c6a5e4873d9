import Freshet
import FreshetStore
import Testing

@Suite("Compare and set")
struct ExpectationTests {
  @Test("a save that expects the revision it read wins once")
  func expectedRevision() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await store.save(id: "a", body: body(1)).value()
    let read = try #require(try await store.fetch(id: "a").value()).revision
    let first = try await store.save(id: "a", body: body(2), if: .revision(read)).value()
    let second = try await store.save(id: "a", body: body(3), if: .revision(read)).value()
    #expect(first == .replaced)
    #expect(second == .conflict(2))
    #expect(try await store.contents() == [#"a={"n":2}"#])
  }

  @Test("absent and present are about live items only")
  func absent() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    #expect(try await store.save(id: "a", body: body(1), if: .present).value() == .conflict(nil))
    #expect(try await store.save(id: "a", body: body(1), if: .absent).value() == .saved)
    #expect(try await store.save(id: "a", body: body(2), if: .absent).value() == .conflict(1))
    #expect(try await store.delete(id: "a", if: .revision(9)).value() == .conflict(1))
    #expect(try await store.delete(id: "a", if: .present).value() == .deleted)
    #expect(try await store.save(id: "a", body: body(3), if: .absent).value() == .saved)
  }

  @Test("one conflict leaves the whole batch unwritten")
  func batch() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await store.save(id: "a", body: body(1)).value()
    let before = store.token
    let receipt = try await store.apply([
      .expect(id: "a", .present), .save(id: "b", body: body(2)), .expect(id: "b", .present),
      .delete(id: "a"),
    ]).value()
    #expect(receipt.outcomes == [.met, .notTried, .conflict(nil), .notTried])
    #expect(receipt.isConflict)
    #expect(receipt.token == nil)
    #expect(store.token == before)
    #expect(try await store.contents() == [#"a={"n":1}"#])
  }

  @Test("expectations are about the state before the batch, wherever they stand in it")
  func place() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    let receipt = try await store.apply([
      .save(id: "a", body: body(1)), .expect(id: "a", .absent),
    ]).value()
    #expect(receipt.outcomes == [.saved, .met])
    #expect(receipt.token?.revision == 1)
  }

  @Test("expectations alone write nothing")
  func nothing() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    let receipt = try await store.apply([.expect(id: "a", .absent)]).value()
    #expect(receipt.outcomes == [.met])
    #expect(receipt.token == nil)
  }

  @Test("of many that expect the same revision exactly one wins, also between two managers")
  func race() async throws {
    let directory = try TemporaryDirectory()
    let stores = [
      try DatabaseManager.open(at: directory.store, options: .fixed()),
      try DatabaseManager.open(at: directory.store, options: .fixed()),
    ]
    _ = try await stores[0].save(id: "a", body: body(0)).value()
    var expected: Int64 = 1
    for round in 1...20 {
      let outcomes = await withTaskGroup(of: Outcome?.self) { group in
        for caller in 0..<8 {
          group.addTask { [expected] in
            try? await stores[caller % 2].save(
              id: "a", body: body(100 * round + caller), if: .revision(expected)
            ).value()
          }
        }
        return await group.reduce(into: [Outcome?]()) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 == .replaced }.count == 1)
      #expect(outcomes.filter { if case .conflict = $0 { true } else { false } }.count == 7)
      expected += 1
    }
  }
}
