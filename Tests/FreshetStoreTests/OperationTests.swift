import Freshet
import Testing

@testable import FreshetStore

@Suite("Operations")
struct OperationTests {
  private let directory: TemporaryDirectory
  private let manager: DatabaseManager

  init() throws {
    directory = try TemporaryDirectory()
    manager = try DatabaseManager.open(at: directory.store, options: .fixed())
  }

  private func reopened() throws -> DatabaseManager {
    manager.close()
    return try DatabaseManager.open(at: directory.store, options: .fixed())
  }

  @Test("nothing is written before somebody subscribes, and each subscription writes once")
  func lazy() async throws {
    let saving = manager.save(id: "a", body: body(1))
    let deleting = manager.delete(id: "a")
    #expect(manager.token.revision == 0)
    #expect(try await saving.value() == .saved)
    #expect(try await saving.value() == .unchanged)
    #expect(try await deleting.value() == .deleted)
    #expect(try await saving.value() == .saved)
    #expect(manager.token.revision == 3)
  }

  @Test("the same bytes again write nothing")
  func unchanged() async throws {
    _ = try await manager.save(id: "a", body: body(1)).value()
    let bytes = try directory.read(FileNames.segment(1))
    #expect(try await manager.save(id: "a", body: body(1)).value() == .unchanged)
    let receipt = try await manager.apply([
      .save(id: "a", body: body(1)), .delete(id: "x"), .restore(id: "a"),
    ]).value()
    #expect(receipt == CommitReceipt(token: nil, outcomes: [.unchanged, .notFound, .notDeleted]))
    #expect(try directory.read(FileNames.segment(1)) == bytes)
  }

  @Test("a deleted item leaves the list, can be seen and restored at its old place")
  func deleteAndRestore() async throws {
    for id in ["a", "b", "c"] { _ = try await manager.save(id: id, body: body(1)).value() }
    #expect(try await manager.delete(id: "b").value() == .deleted)
    #expect(try await manager.delete(id: "b").value() == .notFound)
    #expect(try await manager.fetch(id: "b").value() == nil)
    let gone = try #require(try await manager.fetch(id: "b", includingDeleted: true).value())
    #expect(gone.isDeleted && gone.body == body(1) && gone.revision == 4 && gone.created == 2)
    #expect(try await manager.fetch(includingDeleted: true).value().map(\.id) == ["a", "b", "c"])
    #expect(try await manager.restore(id: "b").value() == .restored)
    #expect(try await manager.restore(id: "b").value() == .notDeleted)
    #expect(try await manager.restore(id: "nobody").value() == .notFound)
    #expect(try await manager.fetch().value().map(\.id) == ["a", "b", "c"])
    #expect(try await reopened().fetch().value().map(\.id) == ["a", "b", "c"])
  }

  @Test("an item saved again after a delete is new and goes to the end")
  func saveAfterDelete() async throws {
    for id in ["a", "b"] { _ = try await manager.save(id: id, body: body(1)).value() }
    _ = try await manager.delete(id: "a").value()
    #expect(try await manager.save(id: "a", body: body(1)).value() == .saved)
    #expect(try await manager.fetch().value().map(\.id) == ["b", "a"])
    let again = try reopened()
    #expect(try await again.fetch(includingDeleted: true).value().map(\.id) == ["b", "a"])
  }

  @Test("deleteAll is one line, whatever the number, and each item can be restored")
  func deleteAll() async throws {
    _ = try await manager.apply((1...50).map { .save(id: "i\($0)", body: body($0)) }).value()
    _ = try await manager.delete(id: "i7").value()
    let size = try directory.read(FileNames.segment(1)).count
    #expect(try await manager.deleteAll().value() == .deletedAll(49))
    #expect(try directory.read(FileNames.segment(1)).count - size < 100)
    #expect(try await manager.deleteAll().value() == .deletedAll(0))
    #expect(try await manager.fetch().value().isEmpty)
    #expect(try await manager.restore(id: "i3").value() == .restored)
    #expect(try await manager.restore(id: "i7").value() == .restored)
    #expect(try await manager.restore(id: "i1").value() == .restored)
    let again = try reopened()
    #expect(try await again.contents() == [#"i1={"n":1}"#, #"i3={"n":3}"#, #"i7={"n":7}"#])
  }

  @Test("a batch is one revision; each operation sees those before it")
  func batch() async throws {
    _ = try await manager.save(id: "old", body: body(0)).value()
    let receipt = try await manager.apply([
      .save(id: "a", body: body(1)), .save(id: "a", body: body(2)), .delete(id: "a"),
      .restore(id: "a"), .deleteAll, .save(id: "b", body: body(3)), .restore(id: "old"),
      .save(id: "b", body: body(3)), .delete(id: "nobody"),
    ]).value()
    #expect(
      receipt.outcomes == [
        .saved, .replaced, .deleted, .restored, .deletedAll(2), .saved, .restored, .unchanged,
        .notFound,
      ])
    #expect(receipt.token?.revision == 2)
    let expected = [#"old={"n":0}"#, #"b={"n":3}"#]
    #expect(try await manager.contents() == expected)
    #expect(try await reopened().contents() == expected)
  }

  @Test("a batch with one bad operation writes nothing")
  func badBatch() async throws {
    let batch = manager.apply([
      .save(id: "a", body: body(1)), .save(id: "b", body: Array("[]".utf8)),
    ])
    let error = await #expect(throws: StoreError.self) { try await batch.value() }
    #expect(error?.code == .invalidBody)
    #expect(error?.message.hasPrefix("operation 2 of 2: the body of b cannot be saved") == true)
    #expect(try await manager.fetch().value().isEmpty && manager.token.revision == 0)
  }

  @Test("ids and bodies beyond their limits are refused, at them they are taken")
  func limits() async throws {
    func code(_ id: String, _ body: [UInt8]) async -> StoreError.Code? {
      do {
        _ = try await manager.save(id: id, body: body).value()
        return nil
      } catch {
        return (error as? StoreError)?.code
      }
    }
    #expect(await code(String(repeating: "i", count: 512), body(1)) == nil)
    #expect(await code(String(repeating: "\"", count: 512), body(1)) == nil)
    #expect(await code(String(repeating: "i", count: 513), body(1)) == .tooLarge)
    #expect(await code(String(repeating: "é", count: 257), body(1)) == .tooLarge)
    #expect(await code("", body(1)) == .invalidID)
    for control in ["a\u{0}", "\n", "a\tb", "\u{7F}", "\u{85}"] {
      #expect(await code(control, body(1)) == .invalidID)
    }
    let frame = #"{"x":""}"#.utf8.count
    func large(_ count: Int) -> [UInt8] {
      Array((#"{"x":""# + String(repeating: "y", count: count - frame) + #""}"#).utf8)
    }
    #expect(await code("big", large(1 << 20)) == nil)
    #expect(await code("big", large(1 << 20 + 1)) == .tooLarge)
    #expect(await code("a", Array("{\n}".utf8)) == .invalidBody)
    #expect(try await manager.fetch(id: "big").value()?.body.count == 1 << 20)

    let megabyte = large(1 << 20)
    let batch = (0..<17).map { FreshetStore.Operation.save(id: "m\($0)", body: megabyte) }
    let error = await #expect(throws: StoreError.self) {
      try await manager.apply(batch).value()
    }
    #expect(error?.code == .tooLarge)
    _ = try await manager.apply(Array(batch.dropLast(2))).value()
    #expect(try await manager.deleteAll().value() == .deletedAll(18))
    #expect(try await reopened().fetch(includingDeleted: true).value().count == 18)
  }

  @Test("deleting large items carries only as much as fits; restoring brings all back")
  func largeDeletes() async throws {
    let text = #"{"x":""# + String(repeating: "y", count: 700_000) + #""}"#
    let ids = ["a", "b", "c"]
    _ = try await manager.apply(ids.map { .save(id: $0, body: Array(text.utf8)) }).value()
    _ = try await manager.apply(ids.map { .delete(id: $0) }).value()
    #expect(try directory.read(FileNames.segment(1)).count < 3_000_000)
    let again = try reopened()
    #expect(try await again.fetch().value().isEmpty)
    #expect(
      try await again.apply(ids.map { .restore(id: $0) }).value().outcomes
        == [.restored, .restored, .restored])
    #expect(try await again.fetch().value().map(\.body.count) == [700_008, 700_008, 700_008])
  }

  @Test("ids that look the same but have other bytes are other items")
  func idBytes() async throws {
    _ = try await manager.save(id: "e\u{301}", body: body(1)).value()
    _ = try await manager.save(id: "\u{E9}", body: body(2)).value()
    #expect(try await manager.fetch().value().count == 2)
    #expect(try await manager.fetch(id: "\u{E9}").value()?.body == body(2))
    #expect(try await reopened().fetch(id: "e\u{301}").value()?.body == body(1))
  }

  @Test("callers at the same time all get their own answer, in one journal")
  func concurrent() async throws {
    let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
      for number in 0..<400 {
        group.addTask { [manager] in
          try await manager.save(id: "i\(number % 100)", body: body(number)).value()
        }
      }
      var all: [Outcome] = []
      for try await outcome in group { all.append(outcome) }
      return all
    }
    #expect(outcomes.filter { $0 == .saved }.count == 100)
    #expect(outcomes.filter { $0 == .replaced }.count == 300)
    let live = try await manager.contents()
    #expect(live.count == 100 && manager.token.revision == 400)
    #expect(try await reopened().contents() == live)
  }

  @Test("a save that is disposed of before its turn writes nothing")
  func cancel() async throws {
    let lock = try LiveFileSystem().open(directory.file("LOCK"), .update)
    #expect(try lock.lock(wait: true))
    let first = Collector(manager.save(id: "first", body: body(1)))
    let second = Collector(manager.save(id: "second", body: body(2)))
    second.dispose()
    lock.unlock()
    _ = await first.ended()
    _ = try await manager.save(id: "third", body: body(3)).value()
    #expect(try await manager.fetch().value().map(\.id).contains("second") == false)
  }

  @Test("random operations leave what a dictionary and a list would, also after reopening")
  func model() async throws {
    var seeds = SystemRandomNumberGenerator()
    let seed = seeds.next()
    var random = SeededRandom(seed: seed)
    var store = manager
    var model = ListModel()
    for step in 0..<600 {
      let id = "i\(random.next() % 12)"
      let operation: FreshetStore.Operation
      switch random.next() % 20 {
      case 0..<10: operation = .save(id: id, body: body(Int(random.next() % 4)))
      case 10..<14: operation = .delete(id: id)
      case 14..<17: operation = .restore(id: id)
      case 17: operation = .deleteAll
      default:
        store.close()
        store = try DatabaseManager.open(at: directory.store, options: .fixed())
        continue
      }
      _ = try await store.apply([operation]).value()
      model.apply([operation])
      #expect(try await store.contents() == model.contents, "step \(step), seed \(seed)")
    }
  }
}

/// A small generator whose runs can be repeated.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
