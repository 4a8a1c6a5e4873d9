import Foundation
import Freshet
import Synchronization
import Testing

@testable import FreshetStore

/// I10: compaction changes no answer to any read at or after its revision; I7: whichever snapshot
/// the journal is folded from, the state is the same.
@Suite("Compaction")
struct CompactionTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Everything that a read can tell, as text.
  private func all(_ manager: DatabaseManager) async throws -> [String] {
    try await manager.fetch(includingDeleted: true).value().map {
      "\($0.id) \($0.revision) \($0.created) \($0.createdIndex) \($0.isDeleted) \(text($0.body))"
    }
  }

  private func fill(_ manager: DatabaseManager) async throws {
    for number in 1...30 {
      _ = try await manager.save(id: #"i"\#(number)\"#, body: body(number)).value()
    }
    _ = try await manager.apply((1...5).map { .save(id: "batch\($0)", body: body($0)) }).value()
    for number in 5...15 {
      _ = try await manager.save(id: #"i"\#(number)\"#, body: body(number * 100)).value()
    }
    for number in 20...25 { _ = try await manager.delete(id: #"i"\#(number)\"#).value() }
    _ = try await manager.restore(id: #"i"22\"#).value()
    _ = try await manager.save(id: #"i"21\"#, body: body(7)).value()
  }

  @Test("a compacted store has the same items, in the same order, before and after opening again")
  func sameItems() async throws {
    let manager = try directory.open()
    let reader = try directory.open { $0.isReadOnly = true }
    let other = try directory.open()
    try await fill(manager)
    let before = try await all(manager)
    let report = try await manager.compact().value()
    #expect(report.token == manager.token && report.oldest.revision == 0)
    #expect(report.liveCount == 31 && report.deletedCount == 4 && report.erasedCount == 0)
    #expect(report.bytesAfter > report.bytesBefore)
    #expect(try directory.names("snap-").count == 2 && directory.names("log-").count == 2)
    for each in [manager, reader, other] { #expect(try await all(each) == before) }
    for each in [manager, other] {
      #expect(try await each.save(id: "batch1", body: body(1)).value() == .unchanged)
      #expect(try await each.fetch(id: #"i"6\"#).value()?.body == body(600))
      #expect(try await each.fetch(id: #"i"20\"#).value() == nil)
    }
    for each in [manager, reader, other] { each.close() }
    let again = try directory.open()
    #expect(try await all(again) == before)
    #expect(again.token == report.token)
    #expect(try await again.verify().value().problems == [])

    // What comes after the snapshot changes what is in it.
    #expect(try await again.restore(id: #"i"20\"#).value() == .restored)
    #expect(try await again.save(id: "batch3", body: body(33)).value() == .replaced)
    #expect(try await again.delete(id: "batch2").value() == .deleted)
    #expect(try await again.save(id: "new", body: body(0)).value() == .saved)
    let changed = try await all(again)
    again.close()
    let third = try directory.open { $0.isReadOnly = true }
    #expect(try await all(third) == changed)
    #expect(try await third.fetch(id: "batch3").value().map { [$0.created] } == [31])
  }

  @Test("without retention one snapshot and an empty segment are left, and the old bytes are free")
  func smallest() async throws {
    let manager = try directory.open { $0.retention = .none }
    for round in 0..<20 {
      for number in 1...10 {
        _ = try await manager.save(id: "i\(number)", body: body(round)).value()
      }
    }
    let report = try await manager.compact().value()
    #expect(report.oldest == report.token && report.bytesAfter * 5 < report.bytesBefore)
    #expect(
      try directory.names() == [
        "COMPACT", "HEAD", "LOCK", "STORE", FileNames.segment(201),
        FileNames.snapshotIndex(200), FileNames.snapshot(200),
      ])
    #expect(try directory.read(FileNames.segment(201)).isEmpty)
    let stats = try await manager.stats().value()
    #expect(stats.liveCount == 10 && stats.deadBytes == 0 && stats.tailBytes == 0)
    #expect(stats.bytes == report.bytesAfter && stats.snapshotRevision == 200)

    // Nothing new: nothing to do.
    #expect(try await manager.compact().value().bytesAfter == report.bytesAfter)
    _ = try await manager.save(id: "i1", body: body(99)).value()
    _ = try await manager.compact().value()
    #expect(
      try directory.names("snap-").sorted() == [
        FileNames.snapshotIndex(201), FileNames.snapshot(201),
      ])
  }

  @Test("an empty store is compacted to itself")
  func empty() async throws {
    let manager = try directory.open { $0.retention = .none }
    let report = try await manager.compact().value()
    #expect(report.liveCount == 0 && report.token.revision == 0)
    #expect(try directory.names("snap-").isEmpty)
    _ = try await manager.save(id: "a", body: body(1)).value()
    _ = try await manager.deleteAll().value()
    _ = try await manager.compact().value()
    #expect(try await all(manager).count == 1)
    #expect(try await manager.restore(id: "a").value() == .restored)
  }

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

  @Test("an index that is missing or damaged anywhere is made again, and nothing is missed")
  func damagedIndex() async throws {
    let manager = try directory.open { $0.retention = .none }
    try await fill(manager)
    let report = try await manager.compact().value()
    let before = try await all(manager)
    manager.close()
    let name = FileNames.snapshotIndex(report.token.revision)
    let whole = try directory.read(name)
    #expect(whole.count == SnapshotTable.fileBytes(for: 35))
    for at in Array(stride(from: 0, to: whole.count, by: 37)) + [whole.count] {
      if at == whole.count {
        try FileManager.default.removeItem(atPath: directory.file(name))
      } else {
        var damaged = whole
        damaged[at] ^= 8
        try directory.write(damaged, to: name)
      }
      let reader = try directory.open { $0.isReadOnly = true }
      #expect(try await all(reader) == before)
      #expect(try await reader.fetch(id: #"i"6\"#).value()?.body == body(600))
      #expect(try await reader.verify().value().problems.map(\.file) == [name])
      reader.close()
      let writer = try directory.open()
      #expect(try await all(writer) == before)
      writer.close()
      #expect(try directory.read(name) == whole)
    }
    #expect(try directory.names("snap-").count == 2)
  }

  @Test("every flipped byte of a snapshot is found, on opening or by the first read of its item")
  func damagedSnapshot() async throws {
    let manager = try directory.open { $0.retention = .none }
    for number in 1...12 {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
    }
    _ = try await manager.compact().value()
    let before = try await all(manager)
    manager.close()
    let name = FileNames.snapshot(12)
    let whole = try directory.read(name)
    for at in whole.indices {
      var damaged = whole
      damaged[at] ^= 1
      try directory.write(damaged, to: name)
      let error = await #expect(throws: StoreError.self, "byte \(at)") {
        let reader = try directory.open { $0.isReadOnly = true }
        _ = try await all(reader)
      }
      #expect(error?.code == .damaged, "byte \(at)")
    }
    try directory.write(Array(whole.dropLast(3)), to: name)
    #expect(throws: StoreError.self) { try directory.open() }
    try directory.write(whole, to: name)
    #expect(try await all(directory.open()) == before)
  }

  @Test("a damaged snapshot costs nothing while the journal before it is kept")
  func damagedSnapshotWithJournal() async throws {
    let manager = try directory.open()
    try await fill(manager)
    let report = try await manager.compact().value()
    _ = try await manager.save(id: "after", body: body(1)).value()
    let before = try await all(manager)
    manager.close()
    let name = FileNames.snapshot(report.token.revision)
    try directory.write(Array(try directory.read(name).dropLast(3)), to: name)
    let again = try directory.open()
    #expect(try await all(again) == before)
    #expect(try await again.verify().value().problems.map(\.file) == [name])
    // The next compaction makes a good one.
    _ = try await again.compact().value()
    again.close()
    #expect(try await all(directory.open()) == before)
  }

  @Test("without its first segment and without a snapshot a journal is refused")
  func noBase() async throws {
    let manager = try directory.open { $0.retention = .none }
    _ = try await manager.save(id: "a", body: body(1)).value()
    _ = try await manager.compact().value()
    _ = try await manager.save(id: "b", body: body(1)).value()
    manager.close()
    for name in try directory.names("snap-") {
      try FileManager.default.removeItem(atPath: directory.file(name))
    }
    for isReadOnly in [false, true] {
      let error = #expect(throws: StoreError.self) {
        try directory.open { $0.isReadOnly = isReadOnly }
      }
      #expect(error?.code == .damaged && error?.message.contains("no snapshot") == true)
    }
  }

  @Test("a compaction that stops at any call leaves a whole store, and the next one cleans up")
  func crashes() async throws {
    let probe = FaultyFileSystem()
    func options(_ disk: FaultyFileSystem) -> StoreOptions {
      .fixed {
        $0.fileSystem = disk
        $0.retention = .none
        $0.compactsAutomatically = false
        $0.segmentBytes = 2000
      }
    }
    /// A store with one compaction behind it, and something to compact.
    func prepare(_ directory: TemporaryDirectory, _ disk: FaultyFileSystem) async throws
      -> DatabaseManager
    {
      let manager = try DatabaseManager.open(at: directory.store, options: options(disk))
      try await fill(manager)
      _ = try await manager.compact().value()
      for number in 1...12 {
        _ = try await manager.save(id: "n\(number)", body: body(number)).value()
      }
      return manager
    }
    let first = try await prepare(directory, probe)
    let before = try await all(first)
    probe.forget()
    _ = try await first.compact().value()
    let total = probe.calls.count
    #expect(total > 40)
    for stop in 0..<total {
      for isOnce in [false, true] {
        let directory = try TemporaryDirectory()
        let disk = FaultyFileSystem()
        let manager = try await prepare(directory, disk)
        let seen = Counter()
        disk.set { _ in
          let call = seen.next()
          return call == Int64(stop) || (!isOnce && call > Int64(stop)) ? .fail(EIO) : nil
        }
        let outcome = await Collector(manager.compact()).ended()
        disk.set(nil)
        let call = "call \(stop) \(probe.calls[stop]) \(String(describing: outcome))"
        if isOnce, case .finished? = outcome {
          #expect(try await all(manager) == before, "\(call)")
        }
        manager.close()
        let reopened = try DatabaseManager.open(at: directory.store, options: options(disk))
        #expect(try await all(reopened) == before, "\(call)")
        #expect(!(try directory.names().contains(where: FileNames.isLeftOver)), "\(call)")
        _ = try await reopened.save(id: "z", body: body(0)).value()
        let report = try await reopened.compact().value()
        #expect(report.oldest == report.token, "\(call)")
        #expect(try await reopened.verify().value().problems == [], "\(call)")
        let files = try directory.names().filter(FileNames.isData)
        #expect(files.count == 3, "\(call): \(files)")
        reopened.close()
      }
    }
  }

  @Test("without room for the copy it is refused before anything is written")
  func noRoom() async throws {
    let disk = FaultyFileSystem()
    let manager = try directory.open { $0.fileSystem = disk }
    try await fill(manager)
    disk.setRoom(1000)
    let error = await #expect(throws: StoreError.self) { try await manager.compact().value() }
    #expect(error?.code == .diskFull && error?.message.contains("1000 are free") == true)
    #expect(try directory.names("snap-").isEmpty)
    disk.setRoom(nil)
    _ = try await manager.compact().value()
  }

  @Test("one compaction at a time; a reader cannot; a newer kind of record is not folded away")
  func refusals() async throws {
    let manager = try directory.open()
    _ = try await manager.save(id: "a", body: body(1)).value()
    let claim = try LiveFileSystem().open(directory.file("COMPACT"), .create)
    #expect(try claim.lock(wait: false))
    let busy = await #expect(throws: StoreError.self) { try await manager.compact().value() }
    #expect(busy?.code == .locked)
    claim.unlock()
    let reader = try directory.open { $0.isReadOnly = true }
    let refused = await #expect(throws: StoreError.self) { try await reader.compact().value() }
    #expect(refused?.code == .notWritable)
    manager.close()
    let closed = await #expect(throws: StoreError.self) { try await manager.compact().value() }
    #expect(closed?.code == .closed)

    var line: [UInt8] = []
    Frame.open(&line)
    line += Array(#","r":2,"b":0,"o":"sparkle","k":"x","p":0,"t":1}"#.utf8)
    Frame.close(&line, from: 0)
    let log = FileNames.segment(1)
    try directory.write(try directory.read(log) + line, to: log)
    let newer = try directory.open()
    let unknown = await #expect(throws: StoreError.self) { try await newer.compact().value() }
    #expect(unknown?.code == .newerFormat)
    #expect(newer.skippedRecords == 1)
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

  @Test("a store compacts itself when most of it is dead, and tells when it could not")
  func automatic() async throws {
    let disk = FaultyFileSystem()
    let manager = try directory.open {
      $0.fileSystem = disk
      $0.compactsAutomatically = true
      $0.compactionBytes = 4000
      $0.retention = .none
    }
    disk.setRoom(0)
    func churn() async throws {
      for number in 0..<100 {
        _ = try await manager.save(id: "i\(number % 3)", body: body(number)).value()
      }
      // Statistics run after what was begun before them.
      _ = try await manager.stats().value()
    }
    try await churn()
    #expect(try await manager.stats().value().compactionProblem?.contains("disk_full") == true)
    #expect(try directory.names("snap-").isEmpty)
    disk.setRoom(nil)
    try await churn()
    let stats = try await manager.stats().value()
    #expect(stats.compactionProblem == nil && stats.snapshotRevision != nil)
    #expect(stats.bytes < 8000 && stats.liveCount == 3)
    #expect(try await manager.verify().value().problems == [])
  }

  @Test("random operations, compactions and openings leave what a plain list would, everywhere")
  func model() async throws {
    var seeds = SystemRandomNumberGenerator()
    let seed = seeds.next()
    var random = SeededRandom(seed: seed)
    var store = try directory.open { $0.retention = .none }
    let other = try directory.open {
      $0.retention.commits = 20
      $0.retention.age = .zero
      $0.segmentBytes = 3000
    }
    let reader = try directory.open { $0.isReadOnly = true }
    let lists = Collector(other.observe())
    _ = await lists.values(1)
    var model = ListModel()
    for step in 0..<500 {
      var batch: [FreshetStore.Operation] = []
      for _ in 0...(random.next() % 3) {
        let id = "i\(random.next() % 90)"
        switch random.next() % 40 {
        case 0..<20: batch.append(.save(id: id, body: body(Int(random.next() % 4))))
        case 20..<30: batch.append(.delete(id: id))
        case 30..<39: batch.append(.restore(id: id))
        default: batch.append(.deleteAll)
        }
      }
      switch random.next() % 25 {
      case 0:
        store.close()
        store = try directory.open { $0.retention = .none }
      case 1: _ = try await store.compact().value()
      case 2: _ = try await other.compact().value()
      default:
        _ = try await (random.next() % 3 == 0 ? other : store).apply(batch).value()
        model.apply(batch)
      }
      #expect(try await store.contents() == model.contents, "step \(step), seed \(seed)")
      if step % 10 == 0 {
        #expect(try await other.contents() == model.contents, "step \(step), seed \(seed)")
        #expect(try await reader.contents() == model.contents, "step \(step), seed \(seed)")
      }
    }
    #expect(try await all(store) == all(other), "seed \(seed)")
    #expect(try await all(store) == all(directory.open { $0.isReadOnly = true }), "seed \(seed)")
    #expect(try await store.verify().value().problems == [], "seed \(seed)")
    // The last list comes without a further commit, unless the follower slept past a compaction.
    _ = try await store.save(id: "end", body: body(0)).value()
    let last = store.token
    while lists.end == nil, lists.values.last?.token != last {
      _ = await lists.values(lists.values.count + 1)
    }
    if lists.end == nil {
      #expect(try await lists.values.last?.records == store.fetch().value(), "seed \(seed)")
    }
  }
}
