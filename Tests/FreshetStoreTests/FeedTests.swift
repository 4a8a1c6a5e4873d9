import Foundation
import Freshet
import Synchronization
import Testing

@testable import FreshetStore

/// I2, I4: a feed delivers every commit after its start once, in order, or a typed error.
@Suite("Feeds")
struct FeedTests {
  private let directory: TemporaryDirectory
  private let manager: DatabaseManager

  init() throws {
    directory = try TemporaryDirectory()
    manager = try DatabaseManager.open(at: directory.store, options: .fixed())
  }

  private func open(
    _ change: @escaping (inout StoreOptions) -> Void = { _ in }
  ) throws -> DatabaseManager {
    try DatabaseManager.open(at: directory.store, options: .fixed(change))
  }

  @Test("added, changed, removed and restored are told apart, a delete-all is spelled out")
  func kinds() async throws {
    _ = try await manager.save(id: "a", body: body(1)).value()
    _ = try await manager.save(id: "a", body: body(2)).value()
    _ = try await manager.delete(id: "a").value()
    _ = try await manager.restore(id: "a").value()
    _ = try await manager.apply([
      .save(id: "b", body: body(3)), .save(id: "a", body: body(4)),
    ]).value()
    _ = try await manager.deleteAll().value()
    _ = try await manager.apply([.save(id: "c", body: body(5)), .deleteAll]).value()
    _ = try await manager.save(id: "b", body: body(6)).value()
    let sets = await Collector(manager.changes(since: .oldest)).values(8)
    let lines = sets.map { set in
      set.changes.map { "\($0.kind.rawValue) \($0.id) \(text($0.body)) \($0.index)/\($0.count)" }
    }
    #expect(
      lines == [
        [#"added a {"n":1} 1/1"#], [#"changed a {"n":2} 1/1"#], [#"removed a {"n":2} 1/1"#],
        [#"restored a {"n":2} 1/1"#],
        [#"added b {"n":3} 1/2"#, #"changed a {"n":4} 2/2"#],
        [#"removed a {"n":4} 1/2"#, #"removed b {"n":3} 2/2"#],
        [#"added c {"n":5} 1/2"#, #"removed c {"n":5} 2/2"#],
        [#"added b {"n":6} 1/1"#],
      ])
    #expect(sets.map(\.revision) == Array(1...8))
    #expect(sets.allSatisfy { $0.epoch == 1 && $0.time > 1_764_485_763_000_000 })
  }

  @Test("another manager's feed sees every commit of this one, live, through all segments")
  func followsOther() async throws {
    let other = try open { $0.segmentBytes = 4096 }
    let writer = try open { $0.segmentBytes = 4096 }
    let feed = Collector(other.changes(since: .now))
    let lists = Collector(other.observe())
    _ = await lists.values(1)
    for number in 1...300 {
      _ = try await writer.save(id: "i\(number % 7)", body: body(number)).value()
    }
    #expect(await feed.values(300).map(\.revision) == Array(1...300))
    let all = await lists.values(301)
    #expect(all.map(\.token.revision) == Array(0...300))
    #expect(
      all.last?.records.map { text($0.body) }.sorted() == (294...300).map { #"{"n":\#($0)}"# })
    #expect(try directory.names().filter { $0.hasPrefix("log-") }.count > 4)
    #expect(try await open().fetch().value().count == 7)
  }

  @Test("without inotify the sweep finds every commit")
  func sweep() async throws {
    let other = try open {
      $0.fileSystem = FaultyFileSystem(hasNoNotifier: true)
      $0.sweepMilliseconds = 10
    }
    let feed = Collector(other.changes(since: .now))
    for number in 1...40 { _ = try await manager.save(id: "a", body: body(number)).value() }
    #expect(await feed.values(40).map(\.revision) == Array(1...40))
  }

  @Test("what another manager committed before the subscription is there without any wake-up")
  func beforeSubscribing() async throws {
    let other = try open()
    for number in 1...5 { _ = try await manager.save(id: "a", body: body(number)).value() }
    #expect(await Collector(other.changes(since: .oldest)).values(5).count == 5)
    let token = Token(storeID: other.storeID, epoch: 1, revision: 2)
    #expect(await Collector(other.observe(from: .after(token))).values(4).count == 4)
  }

  @Test("two managers interleave commits and segments; both feeds and both states agree")
  func interleaved() async throws {
    let other = try open { $0.segmentBytes = 2000 }
    let manager = try open { $0.segmentBytes = 2000 }
    let feeds = [Collector(manager.changes(since: .now)), Collector(other.changes(since: .now))]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (name, writer) in [("a", manager), ("b", other)] {
        group.addTask {
          for number in 0..<150 {
            let id = number % 3 == 0 ? "shared" : "\(name)\(number % 5)"
            _ = try await writer.save(id: id, body: Array(#"{"\#(name)":\#(number)}"#.utf8)).value()
          }
        }
      }
      try await group.waitForAll()
    }
    let first = await feeds[0].values(300)
    let second = await feeds[1].values(300)
    #expect(first.map(\.revision) == Array(1...300))
    #expect(first == second)
    let mine = try await manager.contents()
    #expect(try await other.contents() == mine)
    #expect(try await open().contents() == mine)
  }

  @Test("a resumed feed goes on after its token, in this process and the next")
  func resume() async throws {
    for number in 1...20 {
      _ = try await manager.save(id: "i\(number % 3)", body: body(number)).value()
    }
    let token = Token(storeID: manager.storeID, epoch: 1, revision: 13)
    #expect(
      await Collector(manager.changes(since: .after(token))).values(7).map(\.revision)
        == Array(14...20))
    let again = try open { $0.segmentBytes = 512 }
    let lists = await Collector(again.observe(from: .after(token))).values(8)
    #expect(lists[0].isInitial && lists[0].token == token && lists[0].changes == nil)
    #expect(lists[0].records.map { text($0.body) }.sorted() == (11...13).map { #"{"n":\#($0)}"# })
    #expect(lists.dropFirst().map(\.token.revision) == Array(14...20))
    #expect(try await again.fetch().value() == lists.last?.records)
    let atEnd = Collector(again.changes(since: .after(again.token)))
    _ = try await manager.save(id: "new", body: body(0)).value()
    #expect(await atEnd.values(1).map(\.revision) == [21])
  }

  @Test("tokens of another store, of a lost epoch or from the future are typed errors")
  func badTokens() async throws {
    _ = try await manager.save(id: "a", body: body(1)).value()
    let id = manager.storeID
    let tokens: [(Token, StoreError.Code)] = [
      (Token(storeID: "ffffffffffffffffffffffffffffffff", epoch: 1, revision: 0), .differentStore),
      (Token(storeID: id, epoch: 2, revision: 0), .diverged),
      (Token(storeID: id, epoch: 1, revision: -1), .diverged),
    ]
    for (token, code) in tokens {
      for end in [
        await Collector(manager.changes(since: .after(token))).ended(),
        await Collector(manager.observe(from: .after(token))).ended(),
      ] {
        guard case .failed(let error)? = end else {
          Issue.record("\(token) should fail")
          continue
        }
        #expect(error.code == code)
      }
    }
  }

  @Test("a token from before a recovery is good up to the cut and diverged beyond it")
  func epochs() async throws {
    let relaxed = try open { $0.durability = .interval(.seconds(3600)) }
    for number in 1...3 { _ = try await relaxed.save(id: "a", body: body(number)).value() }
    // A power loss takes the last commit, which had been acknowledged.
    let log = FileNames.segment(1)
    let whole = try directory.read(log)
    let crashed = try TemporaryDirectory()
    try directory.copy(to: crashed)
    let lastStart = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
    try crashed.write(Array(whole[..<(lastStart + 9)]), to: log)
    let after = try DatabaseManager.open(at: crashed.store, options: .fixed())
    #expect(after.epoch == 2)
    _ = try await after.save(id: "b", body: body(9)).value()
    let id = after.storeID
    let good = Token(storeID: id, epoch: 1, revision: 2)
    let sets = await Collector(after.changes(since: .after(good))).values(1)
    #expect(sets.map(\.epoch) == [2] && sets[0].revision == 3 + Limits.epochGap)
    let lost = Token(storeID: id, epoch: 1, revision: 3)
    guard case .failed(let error)? = await Collector(after.changes(since: .after(lost))).ended()
    else {
      Issue.record("the lost revision must not resume")
      return
    }
    #expect(error.code == .diverged)
  }

  @Test("a feed that pauses falls behind and then gets everything")
  func pause() async throws {
    let observer = PausingObserver<ChangeSet>()
    manager.changes(since: .oldest).subscribe(observer)
    for number in 1...30 { _ = try await manager.save(id: "a", body: body(number)).value() }
    for expected in 1...30 {
      #expect(await observer.box.next().revision == Int64(expected))
      observer.box.resume()
    }
  }

  @Test("a resume that comes before the feed has parked is not lost")
  func resumeBeforeParking() async throws {
    let observer = PausingObserver<ChangeSet>(resumesAtOnce: true)
    manager.changes(since: .oldest).subscribe(observer)
    for number in 1...30 {
      _ = try await manager.save(id: "a", body: body(number)).value()
      #expect(await observer.box.next().revision == Int64(number))
    }
  }

  @Test("a disposed feed is silent and let go of")
  func dispose() async throws {
    let feed = Collector(manager.changes(since: .oldest))
    _ = try await manager.save(id: "a", body: body(1)).value()
    _ = await feed.values(1)
    feed.dispose()
    let witness = Collector(manager.changes(since: .oldest))
    _ = try await manager.save(id: "a", body: body(2)).value()
    _ = await witness.values(2)
    #expect(feed.values.count == 1 && feed.end == nil)
  }

  @Test("closing finishes feeds and refuses what comes after")
  func close() async throws {
    let feed = Collector(manager.changes(since: .oldest))
    let list = Collector(manager.observe())
    _ = await list.values(1)
    manager.close()
    manager.close()
    #expect(await feed.ended() == .finished)
    #expect(await list.ended() == .finished)
    let error = await #expect(throws: StoreError.self) {
      try await manager.save(id: "a", body: body(1)).value()
    }
    #expect(error?.code == .closed)
    guard case .failed(let late)? = await Collector(manager.observe()).ended() else {
      Issue.record("a closed manager must refuse")
      return
    }
    #expect(late.code == .closed)
  }

  @Test("a store that is removed under a feed fails it")
  func removed() async throws {
    // The removal of HEAD wakes the follower; that of the directory sends no event while HEAD is open.
    let feed = Collector(manager.changes(since: .now))
    try FileManager.default.removeItem(atPath: directory.store)
    guard case .failed(let error)? = await feed.ended() else {
      Issue.record("the feed must fail")
      return
    }
    #expect(error.code == .ioError)
    let saving = await #expect(throws: StoreError.self) {
      try await manager.save(id: "a", body: body(1)).value()
    }
    #expect(saving != nil)
  }

  @Test("a read-only manager follows and reads, and refuses to write")
  func readOnly() async throws {
    _ = try await manager.save(id: "a", body: body(1)).value()
    let reader = try open { $0.isReadOnly = true }
    let feed = Collector(reader.changes(since: .oldest))
    _ = try await manager.save(id: "b", body: body(2)).value()
    #expect(await feed.values(2).map(\.revision) == [1, 2])
    #expect(try await reader.contents() == [#"a={"n":1}"#, #"b={"n":2}"#])
    let error = await #expect(throws: StoreError.self) {
      try await reader.save(id: "c", body: body(3)).value()
    }
    #expect(error?.code == .notWritable)
  }

  @Test(
    "with interval durability a feed sees commits once they are durable, and close makes them so")
  func interval() async throws {
    let relaxed = try open { $0.durability = .interval(.milliseconds(20)) }
    let feed = Collector(manager.changes(since: .now))
    for number in 1...5 { _ = try await relaxed.save(id: "a", body: body(number)).value() }
    #expect(await feed.values(5).map(\.revision) == Array(1...5))
    let slow = try open { $0.durability = .interval(.seconds(3600)) }
    _ = try await slow.save(id: "a", body: body(6)).value()
    #expect(try await slow.contents() == [#"a={"n":6}"#])
    slow.close()
    #expect(await feed.values(6).map(\.revision) == Array(1...6))
  }

  @Test("with no durability its own feeds see what is visible")
  func never() async throws {
    let cache = try open { $0.durability = .never }
    let feed = Collector(cache.changes(since: .now))
    _ = try await cache.save(id: "a", body: body(1)).value()
    #expect(await feed.values(1).map(\.revision) == [1])
  }
}

/// Pauses after each value.
private struct PausingObserver<Element: Sendable>: Observer {
  final class Box: Sendable {
    private struct State: Sendable {
      var value: Element?
      var waiter: CheckedContinuation<Element, Never>?
      var subscription: Subscription?
    }

    private let state = Mutex(State())

    func start(_ subscription: Subscription) {
      state.withLock { $0.subscription = subscription }
    }

    func put(_ value: Element) {
      let waiter = state.withLock { state in
        if state.waiter == nil { state.value = value }
        return state.waiter.take()
      }
      waiter?.resume(returning: value)
    }

    func next() async -> Element {
      await withCheckedContinuation { continuation in
        let value = state.withLock { state -> Element? in
          if let value = state.value.take() { return value }
          state.waiter = continuation
          return nil
        }
        if let value { continuation.resume(returning: value) }
      }
    }

    func resume() { state.withLock { $0.subscription }?.resume() }
  }

  init(resumesAtOnce: Bool = false) { self.resumesAtOnce = resumesAtOnce }

  typealias Failure = StoreError
  static var mayPause: Bool { true }
  let box = Box()
  let resumesAtOnce: Bool

  mutating func start(_ subscription: Subscription) { box.start(subscription) }

  mutating func receive(_ value: Element) -> Answer {
    box.put(value)
    if resumesAtOnce { box.resume() }
    return .pause
  }

  mutating func end(_ end: End<StoreError>) {}
}
