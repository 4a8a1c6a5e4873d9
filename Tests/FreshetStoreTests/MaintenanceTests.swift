import Foundation
import Freshet
import Glibc
import Synchronization
import Testing

@testable import FreshetStore

/// What long lives of stores are made of: stopped processes, restarts, long journals, long lists.
@Suite("Maintenance")
struct MaintenanceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    _ change: @escaping (inout StoreOptions) -> Void = { _ in }
  ) throws -> DatabaseManager {
    try DatabaseManager.open(at: directory.store, options: .fixed(change))
  }

  @Test("SipHash-2-4 gives the published values")
  func sipHash() {
    let hash = ItemHash(storeID: "000102030405060708090a0b0c0d0e0f")
    let vectors: [(Int, UInt64)] = [
      (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
      (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5),
    ]
    for (count, expected) in vectors {
      #expect(hash.of((0..<count).map { UInt8($0) }) == expected, "\(count) bytes")
    }
  }

  @Test("a stopped process that holds HEAD is waited for, not for ever, and nothing is lost")
  func heldHead() async throws {
    let manager = try open { $0.lockTimeout = .milliseconds(50) }
    _ = try await manager.save(id: "a", body: body(1)).value()
    let head = try LiveFileSystem().open(directory.file("HEAD"), .update)
    #expect(try head.lock(wait: true))
    let error = await #expect(throws: StoreError.self) {
      try await manager.save(id: "b", body: body(2)).value()
    }
    #expect(error?.code == .durabilityUnknown && error?.message.contains("HEAD") == true)
    #expect(try await manager.contents() == [#"a={"n":1}"#])
    head.unlock()
    // It goes on without being opened again, and tells of both.
    #expect(try await manager.save(id: "c", body: body(3)).value() == .saved)
    #expect(try await manager.contents() == [#"a={"n":1}"#, #"b={"n":2}"#, #"c={"n":3}"#])
    #expect(manager.token.revision == 3)
  }

  @Test("a save that changes nothing does not hide that another process has begun a segment")
  func quietSegment() async throws {
    let manager = try open()
    let other = try open { $0.compactsAutomatically = false }
    _ = try await manager.save(id: "a", body: body(1)).value()
    _ = try await other.compact().value()
    #expect(try await manager.save(id: "a", body: body(1)).value() == .unchanged)
    #expect(try await manager.save(id: "b", body: body(2)).value() == .saved)
    #expect(try await other.save(id: "c", body: body(3)).value() == .saved)
    #expect(other.token.revision == 3)
    #expect(try await manager.contents() == [#"a={"n":1}"#, #"b={"n":2}"#, #"c={"n":3}"#])
    #expect(try directory.read(FileNames.segment(2)).isEmpty == false)
  }

  @Test("after a new start of the machine a relaxed store begins an epoch, a strict one does not")
  func bootTag() async throws {
    let boot = Mutex<UInt32>(77)
    let tag: @Sendable () -> UInt32 = { boot.withLock { $0 } }
    func reopen(_ durability: StoreOptions.Durability) throws -> DatabaseManager {
      try open {
        $0.boot = tag
        $0.durability = durability
      }
    }
    var manager = try reopen(.everyCommit)
    _ = try await manager.save(id: "a", body: body(1)).value()
    manager.close()
    boot.withLock { $0 = 78 }
    manager = try reopen(.everyCommit)
    #expect(manager.token.epoch == 1 && manager.token.revision == 1)
    manager.close()
    manager = try reopen(.interval(.seconds(3600)))
    _ = try await manager.save(id: "a", body: body(2)).value()
    #expect(manager.token.revision == 2)
    // What the power takes may leave no trace: the file ends where it ended before.
    let log = try directory.read(FileNames.segment(1))
    let end = try #require(log.dropLast().lastIndex(of: 0x0A)) + 1
    let crashed = try TemporaryDirectory()
    try directory.copy(to: crashed)
    try crashed.write(Array(log[..<end]), to: FileNames.segment(1))
    for isNewStart in [false, true] {
      if isNewStart { boot.withLock { $0 = 79 } }
      let after = try DatabaseManager.open(
        at: crashed.store, options: .fixed { $0.boot = tag })
      #expect(after.token.epoch == (isNewStart ? 2 : 1))
      #expect(after.token.revision == (isNewStart ? 1 + Limits.epochGap : 1))
      after.close()
    }
    // Once per start.
    let again = try DatabaseManager.open(
      at: crashed.store, options: .fixed { $0.boot = tag })
    #expect(again.token.epoch == 2)
    let gone = Token(storeID: again.storeID, epoch: 1, revision: 2)
    guard case .failed(let error)? = await Collector(again.changes(since: .after(gone))).ended()
    else {
      Issue.record("the lost revision must not resume")
      return
    }
    #expect(error.code == .diverged)
  }

  @Test("what nobody has proven durable is written again before it is synced")
  func rewritten() async throws {
    let manager = try open()
    _ = try await manager.save(id: "a", body: body(1)).value()
    let head = try directory.read("HEAD")
    _ = try await manager.save(id: "b", body: body(2)).value()
    manager.close()
    // As if the sync of the second had failed, and the process had not yet got to telling of it.
    try directory.write(head, to: "HEAD")
    let disk = FaultyFileSystem()
    let log = FileNames.segment(1)
    let size = try directory.read(log).count
    let opened = try open { $0.fileSystem = disk }
    let calls = disk.calls.filter { call in
      switch call {
      case .write(let name, _, _), .synchronize(let name): name == log || name == "HEAD"
      default: false
      }
    }
    guard case .write(log, let offset, let count)? = calls.first else {
      Issue.record("\(calls)")
      return
    }
    #expect(offset > 0 && Int(offset) + count == size)
    #expect(calls.dropFirst().first == .synchronize(log))
    #expect(try await opened.contents() == [#"a={"n":1}"#, #"b={"n":2}"#])
  }

  @Test("a token in the middle of a long segment is found without reading all before it")
  func waypoints() async throws {
    let manager = try open()
    let text = Array((#"{"x":""# + String(repeating: "y", count: 2000) + #""}"#).utf8)
    for number in 1...1000 { _ = try await manager.save(id: "i\(number)", body: text).value() }
    manager.close()
    let disk = FaultyFileSystem()
    let reader = try open {
      $0.fileSystem = disk
      $0.isReadOnly = true
    }
    disk.forget()
    for revision in [990, 500, 100] as [Int64] {
      let token = Token(storeID: reader.storeID, epoch: 1, revision: revision)
      let feed = Collector(reader.changes(since: .after(token)).take(1))
      #expect(await feed.values(1).map(\.revision) == [revision + 1])
    }
    let reads = disk.calls.count { $0 == .read(FileNames.segment(1)) }
    // Each needs a chunk or two of 256 KiB; from the beginning the first would take eight.
    #expect(reads <= 6)
  }

  @Test("a delete-all is spelled out without reading the journal from its beginning")
  func clear() async throws {
    let disk = FaultyFileSystem()
    let manager = try open {
      $0.fileSystem = disk
      $0.segmentBytes = 2000
    }
    for number in 1...200 {
      _ = try await manager.save(id: "i\(number % 5)", body: body(number)).value()
    }
    let feed = Collector(manager.changes(since: .now))
    let lists = Collector(manager.observe())
    _ = await lists.values(1)
    disk.forget()
    _ = try await manager.deleteAll().value()
    #expect(
      await feed.values(1)[0].changes.map { text($0.body) }
        == (196...200).map {
          #"{"n":\#($0)}"#
        }.sorted { $0 < $1 })
    #expect(await lists.values(2)[1].diff.removed.count == 5)
    let segments = Set(
      disk.calls.compactMap { call -> String? in
        if case .read(let name) = call, name.hasPrefix("log-") { name } else { nil }
      })
    #expect(segments.count <= 2, "\(segments)")
  }

  @Test("with visible reads and feeds, commits are seen before they are durable, across processes")
  func visible() async throws {
    let writer = try open {
      $0.durability = .interval(.seconds(3600))
      $0.visibility = .visible
      $0.segmentBytes = 400
    }
    let durable = try open { $0.isReadOnly = true }
    let reader = try open {
      $0.isReadOnly = true
      $0.visibility = .visible
    }
    let own = Collector(writer.changes(since: .now))
    let other = Collector(reader.changes(since: .now))
    let lists = Collector(reader.observe())
    _ = await lists.values(1)
    for number in 1...12 { _ = try await writer.save(id: "a", body: body(number)).value() }
    #expect(await own.values(12).map(\.revision) == Array(1...12))
    #expect(await other.values(12).map(\.revision) == Array(1...12))
    #expect(await lists.values(13).last?.records.map(\.body) == [body(12)])
    #expect(try await reader.contents() == [#"a={"n":12}"#])
    #expect(durable.token.revision < 12)
    #expect(try await durable.contents() != [#"a={"n":12}"#])
    writer.close()
    #expect(try await durable.contents() == [#"a={"n":12}"#])
  }

  @Test("a visible follower of commits that a recovery has taken back is told so")
  func takenBack() async throws {
    for cut in [0.5, 0.1] {
      let directory = try TemporaryDirectory()
      let relaxed: (inout StoreOptions) -> Void = {
        $0.durability = .interval(.seconds(3600))
        $0.visibility = .visible
      }
      let options = StoreOptions.fixed(relaxed)
      let writer = try DatabaseManager.open(at: directory.store, options: options)
      for number in 1...3 { _ = try await writer.save(id: "a", body: body(number)).value() }
      let copy = try TemporaryDirectory()
      try directory.copy(to: copy)
      for number in 4...8 { _ = try await writer.save(id: "b", body: body(number)).value() }
      let reader = try DatabaseManager.open(
        at: directory.store,
        options: .fixed {
          relaxed(&$0)
          $0.isReadOnly = true
        })
      let changes = Collector(reader.changes(since: .oldest))
      let lists = Collector(reader.observe())
      #expect(await changes.values(8).last?.revision == 8)
      _ = await lists.values(1)
      // As after a power loss: the journal ends in the middle of a commit that was shown.
      let name = FileNames.segment(1)
      let whole = try directory.read(name)
      let kept = try copy.read(name).count
      let size = kept + Int(Double(whole.count - kept) * cut)
      let file = try LiveFileSystem().open(directory.file(name), .update)
      try file.truncate(to: Int64(size))
      let next = try DatabaseManager.open(at: directory.store, options: .fixed())
      #expect(next.epoch == 2)
      for number in 20...40 { _ = try await next.save(id: "c", body: body(number)).value() }
      guard case .failed(let error)? = await changes.ended() else {
        Issue.record("the feed goes on")
        return
      }
      #expect(error.code == .diverged, "\(error)")
      guard case .failed(let other)? = await lists.ended() else {
        Issue.record("the list goes on")
        return
      }
      #expect(other.code == .diverged, "\(other)")
      // The answer to it: read the state, and follow from there.
      #expect(try await reader.contents() == next.contents())
      let again = Collector(reader.changes(since: .now))
      _ = try await next.save(id: "d", body: body(1)).value()
      #expect(await again.values(1).first?.changes.first?.id == "d")
      reader.close()
      next.close()
      writer.close()
    }
  }

  @Test("verify names what is wrong and goes on after it")
  func verify() async throws {
    let manager = try open {
      $0.segmentBytes = 1000
      $0.compactsAutomatically = false
    }
    for number in 1...40 {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
    }
    _ = try await manager.compact().value()
    for number in 1...5 { _ = try await manager.save(id: "n\(number)", body: body(number)).value() }
    let sound = try await manager.verify().value()
    #expect(sound.isSound && sound.commitCount == 45 && sound.recordCount == 85)
    let segments = try directory.names().filter { $0.hasPrefix("log-") }
    #expect(sound.snapshotCount == 1 && sound.segmentCount == segments.count)
    // A line in an old segment, which no opening reads any more.
    let first = FileNames.segment(1)
    var bytes = try directory.read(first)
    bytes[200] ^= 1
    try directory.write(bytes, to: first)
    let reader = try open { $0.isReadOnly = true }
    #expect(try await reader.fetch().value().count == 45)
    let report = try await reader.verify().value()
    #expect(report.problems.map(\.file) == [first])
    #expect(report.problems[0].offset > 0 && report.problems[0].offset <= 200)
    #expect(report.commitCount >= 5 && !report.isSound)
    bytes[200] ^= 1
    try directory.write(bytes, to: first)

    // A snapshot whose lines all check, and which says something else than the journal.
    let name = FileNames.snapshot(40)
    let lines = try directory.read(name).split(separator: 0x0A)
    var other = SnapshotFileBuilder(header: Array(lines[0]) + [0x0A])
    for number in 1...40 {
      other.append(id: "i\(number)", body: body(number == 7 ? 8 : number), revision: Int64(number))
    }
    try directory.write(other.finish(revision: 40), to: name)
    let second = try open { $0.isReadOnly = true }
    let wrong = try await second.verify().value()
    #expect(wrong.problems.map(\.file) == [name])
  }

  @Test("a list of rows behaves as an array, whatever is done to it")
  func recordList() {
    var seeds = SystemRandomNumberGenerator()
    let seed = seeds.next()
    var random = SeededRandom(seed: seed)
    func record(_ created: Int64, _ number: Int = 0) -> Record {
      Record(
        id: "\(created)", revision: created, created: created, createdIndex: 1, isDeleted: false,
        body: body(number))
    }
    var array = (1...700).map { record(Int64($0) * 10) }
    var list = RecordList(array)
    for step in 0..<3000 {
      let created = Int64(random.next() % 7100)
      let place = array.firstIndex { $0.created >= created } ?? array.count
      #expect(list.place(Origin(created: created, index: 1)) == place, "seed \(seed)")
      switch random.next() % 3 {
      case 0 where place < array.count && array[place].created != created,
        0 where place == array.count:
        array.insert(record(created), at: place)
        list.insert(record(created), at: place)
      case 1 where place < array.count && step % 2 == 0:
        array.remove(at: place)
        list.remove(at: place)
      case 2 where place < array.count:
        array[place] = record(array[place].created, step)
        list.replace(array[place], at: place)
      default: break
      }
      if step % 100 == 0 {
        #expect(Array(list) == array && list.count == array.count, "step \(step), seed \(seed)")
        #expect(list.indices.allSatisfy { list[$0] == array[$0] }, "step \(step), seed \(seed)")
      }
    }
    while !array.isEmpty {
      array.removeLast()
      list.remove(at: list.count - 1)
    }
    #expect(list.isEmpty && list == RecordList())
  }

  @Test("marks of snapshots are thinned, the youngest stay")
  func marks() {
    var marks: [SnapshotHeader.Mark] = []
    for number in 1...500 {
      marks = Compaction.thinned(
        marks + [SnapshotHeader.Mark(revision: Int64(number), time: Int64(number))], limit: 64)
    }
    #expect(marks.count <= 64 && marks.last?.revision == 500)
    #expect(marks.map(\.revision) == marks.map(\.revision).sorted())
    #expect(marks.suffix(20).map(\.revision) == Array(481...500))
  }
}

/// Puts a snapshot's bytes together by hand.
private struct SnapshotFileBuilder {
  private var bytes: [UInt8]
  private var count: Int64 = 0

  init(header: [UInt8]) { bytes = header }

  mutating func append(id: String, body: [UInt8], revision: Int64) {
    let id = Array(id.utf8)
    id.withUnsafeBytes { id in
      body.withUnsafeBytes { body in
        _ = SnapshotLine.append(
          to: &bytes, revision: revision, created: revision, createdIndex: 1, isDeleted: false,
          escapedID: id, body: body)
      }
    }
    count += 1
  }

  func finish(revision: Int64) -> [UInt8] {
    bytes
      + SnapshotFooter(
        revision: revision, items: count, deleted: 0, offset: Int64(bytes.count)
      ).encoded
  }
}
