import Freshet
import Testing

@testable import FreshetStore

@Suite("Live lists")
struct LiveListTests {
  private let directory: TemporaryDirectory
  private let manager: DatabaseManager

  init() throws {
    directory = try TemporaryDirectory()
    manager = try DatabaseManager.open(at: directory.store, options: .fixed())
  }

  private func diff(
    after prepare: [FreshetStore.Operation], _ operations: [FreshetStore.Operation]
  ) async throws -> LiveList {
    _ = try await manager.apply(prepare).value()
    let lists = Collector(manager.observe())
    _ = await lists.values(1)
    _ = try await manager.apply(operations).value()
    return await lists.values(2)[1]
  }

  private let abc: [FreshetStore.Operation] = ["a", "b", "c"].map {
    .save(id: $0, body: body(0))
  }

  @Test("an insertion is at the end, an update stays, a removal closes the gap")
  func basics() async throws {
    let list = try await diff(
      after: abc,
      [.save(id: "d", body: body(1)), .save(id: "b", body: body(2)), .delete(id: "a")])
    #expect(list.records.map(\.id) == ["b", "c", "d"])
    #expect(
      list.diff
        == ListDiff(
          inserted: [.init(id: "d", index: 2)], removed: [.init(id: "a", index: 0)],
          updated: ["b"]))
    #expect(list.changes?.changes.map(\.kind) == [.added, .changed, .removed])
  }

  @Test("several queries: an element for every commit, nil where it changed nothing of a query")
  func sideBySide() async throws {
    _ = try await manager.apply([.save(id: "a1", body: body(0))]).value()
    let lists = Collector(
      manager.observe([.ids(startingWith: "a"), .ids(startingWith: "b"), .all], from: .oldest))
    _ = try await manager.apply([.save(id: "b1", body: body(1))]).value()
    _ = try await manager.apply([.save(id: "c1", body: body(2))]).value()
    _ = try await manager.apply([.delete(id: "a1"), .save(id: "b2", body: body(3))]).value()
    _ = try await manager.apply([.deleteAll]).value()
    let seen = await lists.values(6)
    let rows = seen.map { $0.lists.map { $0?.records.map(\.id) } }
    #expect(rows[0] == [[], [], []])
    #expect(rows[1] == [["a1"], nil, ["a1"]])
    #expect(rows[2] == [nil, ["b1"], ["a1", "b1"]])
    #expect(rows[3] == [nil, nil, ["a1", "b1", "c1"]])
    #expect(rows[4] == [[], ["b1", "b2"], ["b1", "c1", "b2"]])
    #expect(rows[5] == [nil, [], []])
    #expect(seen.map(\.token.revision) == [0, 1, 2, 3, 4, 5])
    #expect(seen.map(\.isInitial) == [true, false, false, false, false, false])
    #expect(seen.map(\.changeCount) == [0, 1, 1, 1, 2, 3])
    #expect(seen[0].isLatest == false)
    #expect(seen[5].isLatest)
    #expect(seen[4].lists[1]?.diff == ListDiff(inserted: [.init(id: "b2", index: 1)]))
    #expect(seen[4].lists[0]?.changes?.changes.map(\.id) == ["a1"])
  }

  @Test("several queries in another order are refused")
  func sideBySideOrder() async {
    let flow = manager.observe([.all, Query.all.ordered(by: .id)])
    await #expect(throws: StoreError.self) { for try await _ in flow.values {} }
  }

  @Test("a restored item is inserted at its old place")
  func restore() async throws {
    let list = try await diff(after: abc + [.delete(id: "b")], [.restore(id: "b")])
    #expect(list.records.map(\.id) == ["a", "b", "c"])
    #expect(list.diff == ListDiff(inserted: [.init(id: "b", index: 1)]))
  }

  @Test("an item deleted and saved anew in one commit moves to the end")
  func move() async throws {
    let list = try await diff(after: abc, [.delete(id: "a"), .save(id: "a", body: body(9))])
    #expect(list.records.map(\.id) == ["b", "c", "a"])
    #expect(list.diff == ListDiff(moved: [.init(id: "a", from: 0, to: 2)], updated: ["a"]))
  }

  @Test("a delete-all removes every row; what is restored later comes back in order")
  func clear() async throws {
    let list = try await diff(after: abc, [.deleteAll])
    #expect(list.records.isEmpty)
    #expect(list.diff.removed == ["a", "b", "c"].enumerated().map { .init(id: $1, index: $0) })
    #expect(list.changes?.changes.map(\.kind) == [.removed, .removed, .removed])
    let lists = Collector(manager.observe())
    _ = await lists.values(1)
    _ = try await manager.restore(id: "c").value()
    _ = try await manager.restore(id: "a").value()
    #expect(await lists.values(3)[2].records.map(\.id) == ["a", "c"])
  }

  @Test("a query sees its own commits only, numbered as in the whole commit")
  func query() async throws {
    let lists = Collector(manager.observe(.ids(startingWith: "film:")))
    _ = await lists.values(1)
    _ = try await manager.save(id: "book:1", body: body(1)).value()
    _ = try await manager.apply([
      .save(id: "book:2", body: body(2)), .save(id: "film:1", body: body(3)),
    ]).value()
    _ = try await manager.deleteAll().value()
    let all = await lists.values(3)
    #expect(all.map(\.token.revision) == [0, 2, 3])
    #expect(all[1].changes?.changes.map { "\($0.id) \($0.index)/\($0.count)" } == ["film:1 2/2"])
    #expect(all[2].changes?.changes.map { "\($0.id) \($0.index)/\($0.count)" } == ["film:1 3/3"])
    #expect(all[2].records.isEmpty)
  }

  @Test("replaying the diffs on the first list gives every later list; folding equals fetching")
  func fold() async throws {
    var seeds = SystemRandomNumberGenerator()
    let seed = seeds.next()
    var random = SeededRandom(seed: seed)
    let lists = Collector(manager.observe())
    _ = await lists.values(1)
    for _ in 0..<150 {
      var batch: [FreshetStore.Operation] = []
      for _ in 0...(random.next() % 4) {
        let id = "i\(random.next() % 8)"
        switch random.next() % 12 {
        case 0..<6: batch.append(.save(id: id, body: body(Int(random.next() % 5))))
        case 6..<9: batch.append(.delete(id: id))
        case 9..<11: batch.append(.restore(id: id))
        default: batch.append(.deleteAll)
        }
      }
      _ = try await manager.apply(batch).value()
    }
    let last = manager.token.revision
    let all = await lists.values(Int(last) + 1)
    var replayed: [String] = []
    for list in all {
      replayed = ListReplay.apply(list.diff, to: replayed, new: list.records.map(\.id))
      #expect(replayed == list.records.map(\.id), "revision \(list.token.revision) seed \(seed)")
      let token = Token(storeID: manager.storeID, epoch: 1, revision: list.token.revision)
      if list.token.revision % 30 == 0 {
        let then = await Collector(manager.observe(from: .after(token))).values(1)[0]
        #expect(then.records == list.records, "revision \(list.token.revision) seed \(seed)")
      }
    }
    #expect(try await manager.fetch().value() == all.last?.records)
    let again = try DatabaseManager.open(at: directory.store, options: .fixed())
    #expect(try await again.fetch().value() == all.last?.records)
  }
}

/// Replays a diff as its documentation says.
private enum ListReplay {
  static func apply(_ diff: ListDiff, to old: [String], new: [String]) -> [String] {
    let gone = Set(diff.removed.map(\.index) + diff.moved.map(\.from))
    var rows = old.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    let arrivals = diff.inserted.map { ($0.index, $0.id) } + diff.moved.map { ($0.to, $0.id) }
    for (index, id) in arrivals.sorted(by: { $0.0 < $1.0 }) {
      rows.insert(id, at: min(index, rows.count))
    }
    return rows
  }
}
