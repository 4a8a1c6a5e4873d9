import Freshet
import Testing

@testable import FreshetStore

@Suite("Live lists in other orders")
struct OrderedListTests {
  private func body(_ rank: UInt64, _ note: Int) -> [UInt8] {
    Array((rank == 9 ? #"{"note":\#(note)}"# : #"{"rank":\#(rank),"note":\#(note)}"#).utf8)
  }

  /// Replays a diff as its documentation says.
  private func replay(_ diff: ListDiff, on old: [String]) -> [String] {
    var rows: [String?] = old
    for row in diff.removed { rows[row.index] = nil }
    for move in diff.moved { rows[move.from] = nil }
    var list = rows.compactMap { $0 }
    let put = (diff.inserted.map { ($0.index, $0.id) } + diff.moved.map { ($0.to, $0.id) })
      .sorted { $0.0 < $1.0 }
    for (index, id) in put { list.insert(id, at: min(index, list.count)) }
    return list
  }

  @Test("each element is what sorting gives, and its diff leads there", arguments: 1...12)
  func random(seed: Int) async throws {
    var random = Numbers(seed: UInt64(seed))
    let orders: [Order] = [
      .field("rank"), .field("rank").descending, .id, .revision, .revision.descending,
      .insertion.descending,
    ]
    let order = orders[seed % orders.count]
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for number in 0..<6 {
      _ = try await store.save(id: "i\(number)", body: body(random.next() % 10, 0)).value()
    }
    let collector = Collector(store.observe(.all.ordered(by: order)))
    _ = await collector.values(1)
    var commits = 1
    for step in 1...40 {
      var operations: [FreshetStore.Operation] = []
      for _ in 0...(random.next() % 3) {
        let id = "i\(random.next() % 10)"
        switch random.next() % 10 {
        case 0...5: operations.append(.save(id: id, body: body(random.next() % 10, step)))
        case 6, 7: operations.append(.delete(id: id))
        case 8: operations.append(.restore(id: id))
        default: operations.append(step % 9 == 0 ? .deleteAll : .delete(id: id))
        }
      }
      guard try await store.apply(operations).value().token != nil else { continue }
      commits += 1
      let lists = await collector.values(commits)
      let list = try #require(lists.last)
      let page = try await store.page(.all.ordered(by: order), limit: .max).value()
      #expect(list.records == page.records, "seed \(seed), step \(step)")
      let before = lists[lists.count - 2].records
      #expect(
        replay(list.diff, on: before.map(\.id)) == list.records.map(\.id),
        "seed \(seed), step \(step): \(list.diff)")
      let bodies = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.body) })
      let changed = list.records.filter { record in
        bodies[record.id].map { $0 != record.body } ?? false
      }
      #expect(Set(list.diff.updated) == Set(changed.map(\.id)), "seed \(seed), step \(step)")
    }
  }

  @Test("a row whose key changes moves; one that stays among its neighbours does not")
  func moves() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for (id, rank) in [("a", 1), ("b", 3), ("c", 5)] {
      _ = try await store.save(id: id, body: body(UInt64(rank), 0)).value()
    }
    let collector = Collector(store.observe(.all.ordered(by: .field("rank"))))
    _ = await collector.values(1)
    _ = try await store.save(id: "b", body: body(4, 0)).value()
    _ = try await store.save(id: "a", body: body(7, 0)).value()
    let lists = await collector.values(3)
    #expect(lists[1].diff == ListDiff(updated: ["b"]))
    #expect(
      lists[2].diff == ListDiff(moved: [.init(id: "a", from: 0, to: 2)], updated: ["a"]))
    #expect(lists[2].records.map(\.id) == ["b", "c", "a"])
  }
}

/// SplitMix64: the same numbers for the same seed.
private struct Numbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
