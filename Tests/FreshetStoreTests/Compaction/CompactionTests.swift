import Foundation
import Freshet
import Synchronization
import Testing

@testable import FreshetStore

/// I10: compaction changes no answer to any read at or after its revision; I7: whichever snapshot
/// the journal is folded from, the state is the same.
@Suite("Compaction")
struct CompactionTests: CompactionSuite {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

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
    // Counted before it is looked at: a list that comes in between is one more.
    var seen = lists.values
    while lists.end == nil, seen.last?.token != last {
      seen = await lists.values(seen.count + 1)
    }
    if lists.end == nil {
      #expect(try await lists.values.last?.records == store.fetch().value(), "seed \(seed)")
    }
  }
}
