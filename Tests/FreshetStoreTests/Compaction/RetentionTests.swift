import Foundation
import Freshet
import Synchronization
import Testing

@testable import FreshetStore

/// I10: what compaction keeps, for how long and for whom; what is older is told to be gone.
@Suite("Retention")
struct RetentionTests: CompactionSuite {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("tokens within the retention go on, also for lists; older ones are compacted")
  func retention() async throws {
    let manager = try directory.open {
      $0.retention.commits = 10
      $0.retention.age = .zero
    }
    func save(_ range: ClosedRange<Int>) async throws {
      for number in range {
        _ = try await manager.save(id: "i\(number % 4)", body: body(number)).value()
      }
    }
    try await save(1...20)
    #expect(try await manager.compact().value().oldest.revision == 0)
    try await save(21...29)
    // Nine commits after the snapshot at 20: it is too young to begin with.
    #expect(try await manager.compact().value().oldest.revision == 0)
    try await save(30...30)
    #expect(try await manager.compact().value().oldest.revision == 20)
    #expect(try manager.oldestToken.revision == 20)
    // The one at 29 may become the base later.
    #expect(try directory.names("snap-").filter { $0.hasSuffix(".ndjson") }.count == 3)
    let id = manager.storeID
    let within = Token(storeID: id, epoch: 1, revision: 23)
    for each in [manager, try directory.open { $0.isReadOnly = true }] {
      let sets = await Collector(each.changes(since: .after(within))).values(7)
      #expect(sets.map(\.revision) == Array(24...30))
      let lists = await Collector(each.observe(from: .after(within))).values(8)
      #expect(lists[0].records.map { text($0.body) }.sorted() == (20...23).map { #"{"n":\#($0)}"# })
      #expect(try await each.fetch().value() == lists.last?.records)
      for start in [
        StartPosition.after(Token(storeID: id, epoch: 1, revision: 19)),
        .after(Token(storeID: id, epoch: 1, revision: 0)),
      ] {
        for end in [
          await Collector(each.changes(since: start)).ended(),
          await Collector(each.observe(from: start)).ended(),
        ] {
          guard case .failed(let error)? = end else {
            Issue.record("\(start) should fail")
            continue
          }
          #expect(error.code == .compacted && error.oldest?.revision == 20)
        }
      }
      #expect(
        await Collector(each.changes(since: .oldest)).values(10).map(\.revision)
          == Array(21...30))
    }
  }

  @Test("by age: what is younger stays, however many commits came since")
  func age() async throws {
    let clock = Mutex<Int64>(1_764_485_763_000_000)
    let manager = try directory.open {
      $0.now = { clock.withLock { $0 } }
      $0.retention.commits = 0
      $0.retention.age = .seconds(60)
    }
    _ = try await manager.save(id: "a", body: body(1)).value()
    #expect(try await manager.compact().value().oldest.revision == 0)
    _ = try await manager.save(id: "a", body: body(2)).value()
    clock.withLock { $0 += 59_000_000 }
    #expect(try await manager.compact().value().oldest.revision == 0)
    clock.withLock { $0 += 1_000_000 }
    #expect(try await manager.compact().value().oldest.revision == 1)
    // A clock that is set back keeps more, never less.
    clock.withLock { $0 -= 31_536_000_000_000 }
    _ = try await manager.save(id: "a", body: body(3)).value()
    #expect(try await manager.compact().value().oldest.revision == 1)
  }

  @Test("compacted in a loop, a store keeps no more than a few snapshots to begin with later")
  func steppingStones() async throws {
    let manager = try directory.open {
      $0.retention.commits = 80
      $0.retention.age = .zero
    }
    var oldest: Int64 = 0
    for number in 1...200 {
      _ = try await manager.save(id: "a", body: body(number)).value()
      guard number % 3 == 0 else { continue }
      let report = try await manager.compact().value()
      #expect(report.oldest.revision >= oldest)
      oldest = report.oldest.revision
      #expect(try directory.names("snap-").count <= 2 * 10)
      #expect(Int64(number) - oldest < 80 + 10 + 6)
    }
    #expect(oldest >= 100)
    #expect(try await manager.verify().value().problems == [])
  }

  @Test("a lease keeps the changes of a follower that is away, until it ends or expires")
  func leases() async throws {
    let clock = Mutex<Int64>(1_764_485_763_000_000)
    let manager = try directory.open {
      $0.retention = .none
      $0.now = { clock.withLock { $0 } }
    }
    for number in 1...5 { _ = try await manager.save(id: "a", body: body(number)).value() }
    let token = manager.token
    let lease = try await manager.keepChanges(after: token, for: "away", during: .seconds(60))
      .value()
    #expect(lease.expires == 1_764_485_823_000_000)
    #expect(try await manager.stats().value().followers == [lease])
    _ = try await manager.save(id: "b", body: body(6)).value()
    #expect(try await manager.compact().value().oldest.revision == 0)
    _ = try await manager.save(id: "b", body: body(7)).value()
    #expect(
      await Collector(manager.changes(since: .after(token))).values(2).map(\.revision) == [6, 7])

    // The snapshot at 6 is beyond the lease; one that moves on lets it be the beginning.
    _ = try await manager.keepChanges(after: manager.token, for: "away", during: .seconds(60))
      .value()
    #expect(try await manager.compact().value().oldest.revision == 7)
    let late = await #expect(throws: StoreError.self) {
      try await manager.keepChanges(after: token, for: "late", during: .seconds(60)).value()
    }
    #expect(late?.code == .compacted)
    _ = try await manager.save(id: "b", body: body(8)).value()
    #expect(try await manager.compact().value().oldest.revision == 7)
    clock.withLock { $0 += 61_000_000 }
    #expect(try await manager.stats().value().followers.isEmpty)
    _ = try await manager.save(id: "b", body: body(9)).value()
    #expect(try await manager.compact().value().oldest.revision == 9)
    #expect(try await manager.endLease(of: "away").value())
    #expect(try await manager.endLease(of: "away").value() == false)
    let bad = await #expect(throws: StoreError.self) {
      try await manager.keepChanges(after: manager.token, for: "../x", during: .seconds(1)).value()
    }
    #expect(bad?.code == .invalidID)
    // A lease that does not check holds nothing.
    _ = try await manager.keepChanges(after: manager.token, for: "torn", during: .seconds(60))
      .value()
    let whole = try directory.read("followers/torn")
    try directory.write(whole.dropLast(20) + [0x0A], to: "followers/torn")
    #expect(try await manager.stats().value().followers.isEmpty)
  }

  @Test("lists and feeds that began before a compaction go on without a gap")
  func followAcross() async throws {
    let manager = try directory.open { $0.retention = .none }
    let reader = try directory.open { $0.isReadOnly = true }
    for number in 1...10 {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
    }
    for each in [manager, reader] {
      let before = each === manager ? 0 : 6
      let box = Stepper<LiveList>()
      each.observe().subscribe(StepObserver(box))
      let first = await box.next()
      #expect(first.records.count == 10 + before)
      // The list is held; the follower has not read on yet.
      for number in 1...3 {
        _ = try await manager.save(id: "n\(before + number)", body: body(number)).value()
      }
      _ = try await manager.compact().value()
      #expect(try directory.names("log-").count == 1)
      for number in 4...6 {
        _ = try await manager.save(id: "n\(before + number)", body: body(number)).value()
      }
      var seen = first.rows.count
      for step in 1...6 {
        box.resume()
        let list = await box.next()
        seen += 1
        #expect(list.rows.count == seen)
        #expect(list.token.revision == first.token.revision + Int64(step))
      }
    }
    #expect(try await reader.contents() == manager.contents())
  }

  @Test("a feed that sleeps past the retention is told so, after what it can still read")
  func overslept() async throws {
    let manager = try directory.open { $0.retention = .none }
    _ = try await manager.save(id: "a", body: body(1)).value()
    let box = Stepper<ChangeSet>()
    manager.changes(since: .oldest).subscribe(StepObserver(box))
    #expect(await box.next().revision == 1)
    for number in 2...4 { _ = try await manager.save(id: "a", body: body(number)).value() }
    _ = try await manager.compact().value()
    for number in 5...6 { _ = try await manager.save(id: "a", body: body(number)).value() }
    _ = try await manager.compact().value()
    // The segment it was in is held, the one after is gone.
    for revision in 2...4 {
      box.resume()
      #expect(await box.next().revision == Int64(revision))
    }
    box.resume()
    guard case .failed(let error) = await box.ended() else {
      Issue.record("it must fail")
      return
    }
    #expect(error.code == .compacted && error.oldest?.revision == 6)
  }

  @Test("deleted items are kept for their time, then erased, in every process")
  func erase() async throws {
    let clock = Mutex<Int64>(1_764_485_763_000_000)
    func aged(_ change: inout StoreOptions) {
      change.now = { clock.withLock { $0 } }
      change.retention = .none
      change.retention.deleted = .seconds(100)
    }
    let manager = try directory.open { aged(&$0) }
    let other = try directory.open { aged(&$0) }
    for id in ["a", "b", "c"] { _ = try await manager.save(id: id, body: body(1)).value() }
    _ = try await manager.delete(id: "a").value()
    _ = try await manager.deleteAll().value()
    _ = try await manager.restore(id: "c").value()
    #expect(try await manager.compact().value().deletedCount == 2)
    _ = try await manager.delete(id: "c").value()
    clock.withLock { $0 += 99_000_000 }
    #expect(try await manager.compact().value().erasedCount == 0)
    clock.withLock { $0 += 1_000_000 }
    _ = try await other.save(id: "d", body: body(4)).value()
    let report = try await manager.compact().value()
    #expect(report.erasedCount == 2 && report.deletedCount == 1)
    for each in [manager, other, try directory.open { aged(&$0) }] {
      #expect(try await each.restore(id: "a").value() == .notFound)
      #expect(try await each.fetch(includingDeleted: true).value().map(\.id) == ["c", "d"])
    }
    // Saved anew it is a new item; one that is still kept comes back at its place.
    #expect(try await other.save(id: "b", body: body(5)).value() == .saved)
    #expect(try await manager.restore(id: "c").value() == .restored)
    #expect(try await manager.fetch().value().map(\.id) == ["c", "d", "b"])
    #expect(try await directory.open().fetch().value() == manager.fetch().value())
    #expect(try await manager.verify().value().problems == [])
    // For ever is for ever.
    let keeper = try directory.open {
      aged(&$0)
      $0.retention.deleted = nil
    }
    _ = try await keeper.delete(id: "d").value()
    clock.withLock { $0 += 1_000_000_000_000 }
    for number in 0..<3 {
      _ = try await keeper.save(id: "c", body: body(number)).value()
      #expect(try await keeper.compact().value().erasedCount == 0)
    }
    #expect(try await keeper.restore(id: "d").value() == .restored)
  }
}
