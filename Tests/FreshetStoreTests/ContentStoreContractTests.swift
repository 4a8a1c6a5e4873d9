import Freshet
import Synchronization
import Testing

@testable import FreshetStore

/// An engine under test; a new one runs all of this by one more case.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case flatFile, memory

  var testDescription: String { rawValue }

  /// An empty store, and how to make it forget all but its last commits.
  func make() throws -> Rig {
    switch self {
    case .flatFile:
      let directory = try TemporaryDirectory()
      var options = StoreOptions()
      options.retention = .none
      // A segment a commit, so that something can be forgotten.
      options.segmentBytes = 1
      let store = try DatabaseManager.open(at: directory.store, options: options)
      return Rig(store: store, keeps: directory) { _ = try await store.compact().value() }
    case .memory:
      let store = MemoryStore()
      return Rig(store: store, keeps: store) { store.compact(keeping: 0) }
    }
  }

  struct Rig {
    let store: any ContentStore
    let keeps: any AnyObject & Sendable
    let forget: @Sendable () async throws -> Void
  }
}

/// The numbered rules of `ContentStore`, against every engine.
@Suite("Content store contract", .serialized)
struct ContentStoreContractTests {
  private func ids(_ store: some ContentStore, _ query: Query = .all) async throws -> [String] {
    try await store.page(query, after: nil, limit: .max, at: nil).value().records.map(\.id)
  }

  /// The flow's first elements.
  private func first(
    _ count: Int, of store: some ContentStore, since start: StartPosition
  ) async -> (sets: [ChangeSet], end: End<StoreError>?) {
    let collector = Collector(store.changes(since: start))
    let sets = await collector.values(count)
    let end = collector.end
    collector.dispose()
    return (sets, end)
  }

  @Test("1: saves, deletes, restores and delete-all answer alike", arguments: Engine.allCases)
  func outcomes(engine: Engine) async throws {
    let rig = try engine.make()
    try await outcomes(rig.store)
  }

  private func outcomes(_ store: some ContentStore) async throws {
    func one(_ operation: FreshetStore.Operation) async throws -> Outcome {
      try await store.apply([operation]).value().outcomes[0]
    }
    #expect(try await one(.save(id: "a", body: body(1))) == .saved)
    #expect(try await one(.save(id: "b", body: body(2))) == .saved)
    #expect(try await one(.save(id: "a", body: body(1))) == .unchanged)
    #expect(try await one(.save(id: "a", body: body(3))) == .replaced)
    #expect(try await one(.restore(id: "a")) == .notDeleted)
    #expect(try await one(.delete(id: "a")) == .deleted)
    #expect(try await one(.delete(id: "a")) == .notFound)
    #expect(try await one(.restore(id: "a")) == .restored)
    #expect(try await one(.restore(id: "z")) == .notFound)
    #expect(try await ids(store) == ["a", "b"])
    #expect(try await one(.deleteAll) == .deletedAll(2))
    #expect(try await one(.deleteAll) == .deletedAll(0))
    #expect(try await ids(store) == [])
    #expect(try await one(.restore(id: "b")) == .restored)
    #expect(try await one(.save(id: "a", body: body(4))) == .saved)
    // Saved anew it goes to the end.
    #expect(try await ids(store) == ["b", "a"])
  }

  @Test("1: a batch is one commit, all or nothing, in one change set", arguments: Engine.allCases)
  func batches(engine: Engine) async throws {
    let rig = try engine.make()
    try await batches(rig.store)
  }

  private func batches(_ store: some ContentStore) async throws {
    let receipt = try await store.apply([
      .save(id: "a", body: body(1)), .save(id: "b", body: body(2)), .delete(id: "c"),
    ]).value()
    #expect(receipt.outcomes == [.saved, .saved, .notFound])
    let token = try #require(receipt.token)
    #expect(try await store.latest().value() == token)
    await #expect(throws: StoreError.self) {
      try await store.apply([.save(id: "d", body: body(4)), .save(id: "", body: body(5))]).value()
    }
    #expect(try await ids(store) == ["a", "b"])
    #expect(try await store.latest().value() == token)
    let (sets, _) = await first(1, of: store, since: .oldest)
    #expect(sets.map(\.revision) == [token.revision])
    #expect(sets[0].changes.map(\.id) == ["a", "b"])
    #expect(sets[0].changes.map(\.kind) == [.added, .added])
    #expect(sets[0].changes.map(\.count) == [2, 2])
    let nothing = try await store.apply([.delete(id: "zzz")]).value()
    #expect(nothing.token == nil)
  }

  @Test("1: as many operations as every engine takes", arguments: Engine.allCases)
  func portableBatch(engine: Engine) async throws {
    let rig = try engine.make()
    try await portableBatch(rig.store)
  }

  private func portableBatch(_ store: some ContentStore) async throws {
    #expect(store.operationLimit >= ContentStoreLimits.portableOperations)
    let many = (0..<ContentStoreLimits.portableOperations).map {
      FreshetStore.Operation.save(id: "item-\($0)", body: body($0))
    }
    #expect(try await store.apply(many).value().outcomes.allSatisfy { $0 == .saved })
    #expect(try await ids(store).count == many.count)
  }

  @Test("2: compare and set", arguments: Engine.allCases)
  func compareAndSet(engine: Engine) async throws {
    let rig = try engine.make()
    try await compareAndSet(rig.store)
  }

  private func compareAndSet(_ store: some ContentStore) async throws {
    #expect(try await store.save(id: "a", body: body(1), if: .present).value() == .conflict(nil))
    #expect(try await store.save(id: "a", body: body(1), if: .absent).value() == .saved)
    let read = try #require(
      try await store.fetch(id: "a", includingDeleted: false).value()?.revision)
    #expect(try await store.save(id: "a", body: body(2), if: .absent).value() == .conflict(read))
    #expect(
      try await store.save(id: "a", body: body(2), if: .revision(read)).value() == .replaced)
    let next = try #require(
      try await store.fetch(id: "a", includingDeleted: false).value()?.revision)
    #expect(next > read)
    #expect(
      try await store.save(id: "a", body: body(3), if: .revision(read)).value() == .conflict(next))
    let receipt = try await store.apply([
      .save(id: "b", body: body(9)), .expect(id: "b", .present), .expect(id: "a", .present),
    ]).value()
    #expect(receipt.outcomes == [.notTried, .conflict(nil), .met])
    #expect(receipt.isConflict)
    #expect(try await ids(store) == ["a"])
    #expect(try await store.delete(id: "a", if: .revision(next)).value() == .deleted)
    #expect(try await store.delete(id: "a", if: .revision(next)).value() == .conflict(nil))
  }

  @Test("2: of many at once one wins", arguments: Engine.allCases)
  func race(engine: Engine) async throws {
    let rig = try engine.make()
    try await race(rig.store)
  }

  private func race(_ store: some ContentStore) async throws {
    _ = try await store.save(id: "a", body: body(0)).value()
    var revision = try await store.latest().value().revision
    for round in 1...10 {
      let wins = await withTaskGroup(of: Bool.self) { group in
        for caller in 0..<8 {
          group.addTask { [revision] in
            let outcome = try? await store.save(
              id: "a", body: body(round * 10 + caller), if: .revision(revision)
            ).value()
            return outcome == .replaced
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(wins == 1)
      revision = try await store.latest().value().revision
    }
  }

  @Test("3: an answer is seen by the next read", arguments: Engine.allCases)
  func readYourWrites(engine: Engine) async throws {
    let rig = try engine.make()
    try await readYourWrites(rig.store)
  }

  private func readYourWrites(_ store: some ContentStore) async throws {
    for number in 1...20 {
      _ = try await store.save(id: "a", body: body(number)).value()
      #expect(try await store.fetch(id: "a", includingDeleted: false).value()?.body == body(number))
    }
    _ = try await store.delete(id: "a").value()
    #expect(try await store.fetch(id: "a", includingDeleted: false).value() == nil)
    let deleted = try await store.fetch(id: "a", includingDeleted: true).value()
    #expect(deleted?.isDeleted == true)
    #expect(deleted?.body == body(20))
  }

  @Test("4: pages by key, of one state with its token", arguments: Engine.allCases)
  func pages(engine: Engine) async throws {
    let rig = try engine.make()
    try await pages(rig.store)
  }

  private func pages(_ store: some ContentStore) async throws {
    for number in 0..<10 {
      _ = try await store.save(id: "i\(number)", body: body(9 - number)).value()
    }
    for order in [
      Order.insertion, .id, .revision, .field("n"), .insertion.descending, .field("n").descending,
    ] {
      let query = Query.all.ordered(by: order)
      let all = try await ids(store, query)
      #expect(all.count == 10)
      var seen: [String] = []
      var page = try await store.page(query, after: nil, limit: 3, at: nil).value()
      let token = page.token
      while true {
        seen += page.records.map(\.id)
        #expect(page.token == token)
        guard let key = page.next else { break }
        let text = try #require(PageKey(key.description))
        #expect(text == key)
        page = try await store.page(query, after: key, limit: 3, at: token).value()
      }
      #expect(seen == all, "\(order)")
    }
    #expect(try await ids(store, .all.ordered(by: .field("n"))).first == "i9")
    #expect(try await ids(store, .all.ordered(by: .insertion.descending)).first == "i9")
    await #expect(throws: StoreError.self) {
      try await store.page(.all, after: nil, limit: 0, at: nil).value()
    }
  }

  @Test("4: a page of an old commit; commits meanwhile move nothing", arguments: Engine.allCases)
  func oldStates(engine: Engine) async throws {
    let rig = try engine.make()
    try await oldStates(rig.store)
  }

  private func oldStates(_ store: some ContentStore) async throws {
    for id in ["a", "b", "c", "d"] { _ = try await store.save(id: id, body: body(1)).value() }
    let page = try await store.page(.all, after: nil, limit: 2, at: nil).value()
    let key = try #require(page.next)
    _ = try await store.delete(id: "a").value()
    _ = try await store.delete(id: "d").value()
    _ = try await store.save(id: "c", body: body(2)).value()
    _ = try await store.save(id: "e", body: body(3)).value()
    let old = try await store.page(.all, after: key, limit: 9, at: page.token).value()
    #expect(old.records.map(\.id) == ["c", "d"])
    #expect(old.records.map(\.body) == [body(1), body(1)])
    let now = try await store.page(.all, after: key, limit: 9, at: nil).value()
    #expect(now.records.map(\.id) == ["c", "e"])
  }

  @Test("5: every commit after a token, once, in order", arguments: Engine.allCases)
  func resume(engine: Engine) async throws {
    let rig = try engine.make()
    try await resume(rig.store)
  }

  private func resume(_ store: some ContentStore) async throws {
    var tokens: [Token] = []
    for number in 0..<6 {
      _ = try await store.save(id: "a", body: body(number)).value()
      tokens.append(try await store.latest().value())
    }
    let (all, _) = await first(6, of: store, since: .oldest)
    #expect(all.map(\.revision) == tokens.map(\.revision))
    let (rest, _) = await first(3, of: store, since: .after(tokens[2]))
    #expect(rest == Array(all[3...]))
    let live = Collector(store.changes(since: .now))
    _ = try await store.deleteAllWhole()
    _ = try await store.save(id: "b", body: body(7)).value()
    let news = await live.values(2)
    #expect(news.map { $0.changes.map(\.kind) } == [[.removed], [.added]])
    #expect(news[0].changes[0].body == body(5))
    store.close()
    let end = await live.ended()
    if case .finished? = end {
    } else {
      Issue.record("the feed did not finish: \(String(describing: end))")
    }
    await #expect(throws: StoreError.self) { try await store.save(id: "c", body: body(8)).value() }
  }

  @Test("5: tokens that lead nowhere are typed failures", arguments: Engine.allCases)
  func tokens(engine: Engine) async throws {
    let rig = try engine.make()
    try await tokens(rig.store)
  }

  private func tokens(_ store: some ContentStore) async throws {
    _ = try await store.save(id: "a", body: body(1)).value()
    let token = try await store.latest().value()
    let foreign = Token(storeID: String(repeating: "0", count: 32), epoch: 1, revision: 1)
    let future = Token(storeID: token.storeID, epoch: token.epoch, revision: token.revision + 5)
    for (bad, code) in [(foreign, StoreError.Code.differentStore), (future, .diverged)] {
      let (_, end) = await first(1, of: store, since: .after(bad))
      guard case .failed(let error)? = end else {
        Issue.record("\(bad) was taken")
        continue
      }
      #expect(error.code == code)
      let refused = await #expect(throws: StoreError.self) {
        try await store.page(.all, after: nil, limit: 1, at: bad).value()
      }
      #expect(refused?.code == code)
    }
  }

  @Test(
    "5: what was forgotten is a typed failure, and then list and follow goes on",
    arguments: Engine.allCases)
  func compacted(engine: Engine) async throws {
    let rig = try engine.make()
    try await compacted(rig.store, rig.forget)
  }

  private func compacted(
    _ store: some ContentStore, _ forget: @Sendable () async throws -> Void
  ) async throws {
    for number in 0..<5 { _ = try await store.save(id: "i\(number)", body: body(number)).value() }
    let start = try await store.oldest().value()
    try await forget()
    let oldest = try await store.oldest().value()
    try #require(oldest.revision > start.revision)
    let (_, end) = await first(1, of: store, since: .after(start))
    guard case .failed(let error)? = end else {
      Issue.record("a token of a forgotten commit was taken")
      return
    }
    #expect(error.code == .compacted)
    let page = try await store.page(.all, after: nil, limit: .max, at: nil).value()
    #expect(page.records.count == 5)
    let live = Collector(store.changes(since: .after(page.token)))
    _ = try await store.save(id: "new", body: body(9)).value()
    #expect(await live.values(1).first?.changes.map(\.id) == ["new"])
  }

  @Test("5: a feed that pauses skips nothing", arguments: Engine.allCases)
  func pace(engine: Engine) async throws {
    let rig = try engine.make()
    try await pace(rig.store)
  }

  private func pace(_ store: some ContentStore) async throws {
    let count = 200
    var revisions = store.changes(since: .oldest).values.makeAsyncIterator()
    for number in 0..<count { _ = try await store.save(id: "a", body: body(number)).value() }
    var last: Int64 = 0
    for _ in 0..<count {
      let next = try #require(try await revisions.next())
      #expect(next.revision > last)
      last = next.revision
    }
  }

  @Test("a model: the same operations give the same everywhere", arguments: 1...20)
  func model(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let rigs = try Engine.allCases.map { try $0.make() }
    for step in 0..<60 {
      let operation: FreshetStore.Operation =
        switch random.next() % 8 {
        case 0...3: .save(id: "i\(random.next() % 6)", body: body(Int(random.next() % 3)))
        case 4, 5: .delete(id: "i\(random.next() % 6)")
        case 6: .restore(id: "i\(random.next() % 6)")
        default: step % 7 == 0 ? .deleteAll : .delete(id: "i0")
        }
      let expectation = FreshetStore.Operation.expect(
        id: "i\(random.next() % 6)", random.next() % 2 == 0 ? .absent : .present)
      let batch =
        random.next() % 3 == 0 && operation != .deleteAll ? [expectation, operation] : [operation]
      var answers: [[Outcome]] = []
      for rig in rigs {
        answers.append(try await rig.store.apply(batch).value().outcomes.map(\.withoutRevision))
      }
      #expect(Set(answers).count == 1, "seed \(seed), step \(step): \(answers)")
    }
    var lists: [[String]] = []
    for rig in rigs {
      let page = try await rig.store.page(.all, after: nil, limit: .max, at: nil).value()
      lists.append(page.records.map { "\($0.id) \(text($0.body))" })
    }
    #expect(Set(lists).count == 1, "seed \(seed)")
  }
}

extension ContentStore {
  fileprivate func deleteAllWhole() async throws -> CommitReceipt {
    try await apply([.deleteAll]).value()
  }
}

extension Outcome {
  /// Revisions may differ from engine to engine.
  fileprivate var withoutRevision: Outcome {
    if case .conflict(let revision?) = self, revision > 0 { .conflict(1) } else { self }
  }
}

/// SplitMix64: the same numbers for the same seed.
private struct SeededGenerator {
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
