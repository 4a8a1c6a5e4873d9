import Freshet
import Glibc
import Testing

@testable import FreshetStore

/// I8: a failed call changed nothing, or says that it does not know.
@Suite("Write faults")
struct WriteFaultTests {
  private let log = FileNames.segment(1)

  private func isWriteToLog(_ call: FaultyFileSystem.Call) -> Bool {
    if case .write(let name, _, _) = call { return name.hasPrefix("log-") }
    return false
  }

  private func isSyncOfLog(_ call: FaultyFileSystem.Call) -> Bool {
    if case .synchronize(let name) = call { return name.hasPrefix("log-") }
    return false
  }

  private func save(_ manager: DatabaseManager, _ id: String) async -> StoreError.Code? {
    do {
      _ = try await manager.save(id: id, body: body(1)).value()
      return nil
    } catch let error as StoreError {
      return error.code
    } catch {
      Issue.record(error)
      return nil
    }
  }

  @Test("a write that comes in pieces, or is interrupted, is completed")
  func shortWrites() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let options = StoreOptions.fixed { $0.fileSystem = disk }
    let manager = try DatabaseManager.open(at: directory.store, options: options)
    let turn = Counter()
    disk.set { call in
      guard case .write(_, _, let count) = call else { return nil }
      return turn.next() % 2 == 0 ? .fail(EINTR) : .short(max(1, count / 3))
    }
    #expect(await save(manager, "a") == nil)
    #expect(await save(manager, "b") == nil)
    disk.set(nil)
    manager.close()
    let reopened = try DatabaseManager.open(at: directory.store)
    #expect(try await reopened.contents() == [#"a={"n":1}"#, #"b={"n":1}"#])
  }

  @Test("a full disk takes nothing, at whatever byte it is full, and the store goes on after that")
  func diskFull() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let options = StoreOptions.fixed { $0.fileSystem = disk }
    let manager = try DatabaseManager.open(at: directory.store, options: options)
    #expect(await save(manager, "a") == nil)
    let whole = try directory.read(log)
    for code in [ENOSPC, EDQUOT, EFBIG, EIO] {
      for room in [0, 1, 14, 40] {
        let turn = Counter()
        disk.set { call in
          guard case .write(let name, _, _) = call, name.hasPrefix("log-") else { return nil }
          return room > 0 && turn.next() == 0 ? .short(room) : .fail(code)
        }
        #expect(await save(manager, "b") == (code == EIO ? .ioError : .diskFull))
        #expect(try directory.read(log) == whole)
      }
    }
    disk.set(nil)
    #expect(try await manager.contents() == [#"a={"n":1}"#])
    #expect(await save(manager, "c") == nil)
    #expect(manager.token.revision == 2)
    manager.close()
    #expect(
      try await DatabaseManager.open(at: directory.store).contents()
        == [#"a={"n":1}"#, #"c={"n":1}"#])
  }

  @Test("when a failed write cannot be taken back, nothing more is written until recovery")
  func truncateFails() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let options = StoreOptions.fixed { $0.fileSystem = disk }
    let manager = try DatabaseManager.open(at: directory.store, options: options)
    #expect(await save(manager, "a") == nil)
    let turn = Counter()
    disk.set { call in
      switch call {
      case .write(let name, _, _) where name.hasPrefix("log-"):
        return turn.next() == 0 ? .short(20) : .fail(ENOSPC)
      case .truncate: return .fail(EIO)
      default: return nil
      }
    }
    #expect(await save(manager, "b") == .durabilityUnknown)
    disk.set(nil)
    #expect(await save(manager, "c") == .storeFailed)
    #expect(try await manager.contents() == [#"a={"n":1}"#])
    manager.close()
    let reopened = try DatabaseManager.open(at: directory.store, options: options)
    #expect(reopened.lostFile != nil)
    #expect(await save(reopened, "d") == nil)
    #expect(try await reopened.contents() == [#"a={"n":1}"#, #"d={"n":1}"#])
  }

  @Test("another writer cleans up a torn append before it writes")
  func otherWriterRecovers() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let first = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.fileSystem = disk })
    let second = try DatabaseManager.open(at: directory.store, options: .fixed())
    #expect(await save(first, "a") == nil)
    let turn = Counter()
    disk.set { call in
      switch call {
      case .write(let name, _, _) where name.hasPrefix("log-"):
        return turn.next() == 0 ? .short(30) : .fail(ENOSPC)
      case .truncate: return .fail(EIO)
      default: return nil
      }
    }
    #expect(await save(first, "b") == .durabilityUnknown)
    #expect(await save(second, "c") == nil)
    #expect(try await second.contents() == [#"a={"n":1}"#, #"c={"n":1}"#])
    #expect(try directory.names().contains { $0.hasPrefix("lost+1-") })
  }

  @Test("after a failed sync nothing is acknowledged, by any process, until recovery")
  func syncFails() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let options = StoreOptions.fixed { $0.fileSystem = disk }
    let manager = try DatabaseManager.open(at: directory.store, options: options)
    let other = try DatabaseManager.open(at: directory.store, options: .fixed())
    let changes = Collector(other.changes(since: .oldest))
    #expect(await save(manager, "a") == nil)
    _ = await changes.values(1)
    disk.set { [isSyncOfLog] call in isSyncOfLog(call) ? .fail(EIO) : nil }
    #expect(await save(manager, "b") == .durabilityUnknown)
    // The disk says it is fine again. It lies: the pages are marked clean and may be lost.
    disk.set(nil)
    disk.forget()
    #expect(await save(manager, "c") == .storeFailed)
    #expect(!disk.calls.contains { isSyncOfLog($0) || isWriteToLog($0) })
    #expect(await save(other, "d") == .storeFailed)
    #expect(try await manager.contents() == [#"a={"n":1}"#])
    #expect(try await other.contents() == [#"a={"n":1}"#])
    manager.close()
    other.close()
    _ = await changes.ended()
    #expect(changes.values.map(\.revision) == [1])

    // Exactly the acknowledged prefix is left, and no revision is used twice.
    let reopened = try DatabaseManager.open(at: directory.store, options: options)
    #expect(try await reopened.contents() == [#"a={"n":1}"#])
    #expect(reopened.epoch == 2 && reopened.token.revision == 1 + Limits.epochGap)
    #expect(reopened.lostFile != nil)
    #expect(await save(reopened, "e") == nil)
    #expect(reopened.token.revision == 2 + Limits.epochGap)
  }

  @Test("HEAD that cannot be written leaves the commit unknown and the store failed")
  func headFails() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let manager = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.fileSystem = disk })
    disk.set { call in
      if case .write("HEAD", _, _) = call { return .fail(EIO) }
      return nil
    }
    #expect(await save(manager, "a") == .durabilityUnknown)
    disk.set(nil)
    #expect(await save(manager, "b") == .ioError)
    manager.close()
    let reopened = try DatabaseManager.open(at: directory.store)
    #expect(try await reopened.contents() == [#"a={"n":1}"#])
  }

  @Test("a commit is synced before HEAD tells of it, a segment before it has a successor")
  func order() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let options = StoreOptions.fixed {
      $0.fileSystem = disk
      $0.segmentBytes = 100
    }
    let manager = try DatabaseManager.open(at: directory.store, options: options)
    func steps() -> [String] {
      defer { disk.forget() }
      return disk.calls.compactMap { call in
        switch call {
        case .write(let name, _, _) where name != "LOCK": "write \(name.prefix(4))"
        case .synchronize(let name): "sync \(name.prefix(4))"
        case .synchronizeDirectory: "sync directory"
        case .open(let name): "open \(name.prefix(4))"
        default: nil
        }
      }
    }
    #expect(
      steps() == [
        "open LOCK", "open log-", "open HEAD", "write HEAD", "write HEAD", "sync HEAD",
        "sync directory", "open STOR", "write STOR", "sync STOR", "open STOR", "open HEAD",
        "sync directory", "sync directory", "sync directory", "open log-",
        "sync log-", "sync HEAD",
      ])
    let commit = ["write log-", "sync log-", "write HEAD"]
    #expect(await save(manager, "a") == nil)
    #expect(steps() == commit)
    // Nothing to write, and everything durable: nothing to sync.
    #expect(await save(manager, "a") == nil)
    #expect(steps() == [])
    #expect(await save(manager, "b") == nil)
    #expect(steps() == commit)
    #expect(await save(manager, "c") == nil)
    #expect(steps() == ["sync log-", "open log-", "sync directory", "write HEAD"] + commit)
  }

  @Test("an answer that rests on another process's commit waits until that is durable")
  func unsyncedForeignCommit() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let relaxed = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.durability = .interval(.seconds(3600)) })
    let strict = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.fileSystem = disk })
    let feed = Collector(strict.changes(since: .now))
    _ = try await relaxed.save(id: "a", body: body(1)).value()
    #expect(try await strict.contents() == [])
    disk.forget()
    #expect(try await strict.save(id: "a", body: body(1)).value() == .unchanged)
    #expect(disk.calls.contains { isSyncOfLog($0) })
    #expect(try await strict.contents() == [#"a={"n":1}"#])
    #expect(await feed.values(1).map(\.revision) == [1])
    #expect(try await strict.delete(id: "a").value() == .deleted)
    #expect(try await relaxed.save(id: "a", body: body(1)).value() == .saved)
  }

  @Test("each single failing call, once: never a wrong answer, and the store opens again")
  func everyCall() async throws {
    let steps: [[FreshetStore.Operation]] = [
      [.save(id: "a", body: body(1))], [.save(id: "a", body: body(2))], [.delete(id: "a")],
      [.restore(id: "a")], [.save(id: "b", body: body(3)), .save(id: "c", body: body(4))],
      [.deleteAll], [.restore(id: "c"), .save(id: "d", body: body(5))],
    ]
    /// Runs the steps; what must be there then, and what may be there instead.
    func run(_ manager: DatabaseManager) async throws -> (ListModel, ListModel?) {
      var model = ListModel()
      var alternative: ListModel?
      for step in steps {
        do {
          _ = try await manager.apply(step).value()
          #expect(alternative == nil, "nothing succeeds after an unknown outcome")
          model.apply(step)
        } catch let error as StoreError {
          if error.code == .durabilityUnknown {
            alternative = model
            alternative?.apply(step)
          }
        }
        // A read may be the call that fails; then it says so.
        if let live = try? await manager.contents() { #expect(live == model.contents) }
      }
      return (model, alternative)
    }
    let probe = FaultyFileSystem()
    let probeDirectory = try TemporaryDirectory()
    func options(_ disk: FaultyFileSystem) -> StoreOptions {
      .fixed {
        $0.fileSystem = disk
        $0.segmentBytes = 300
      }
    }
    let first = try DatabaseManager.open(at: probeDirectory.store, options: options(probe))
    probe.forget()
    let (complete, _) = try await run(first)
    #expect(complete.contents == [#"c={"n":4}"#, #"d={"n":5}"#])
    for failing in probe.calls.indices {
      let directory = try TemporaryDirectory()
      let disk = FaultyFileSystem()
      let manager = try DatabaseManager.open(at: directory.store, options: options(disk))
      let seen = Counter()
      disk.set { _ in seen.next() == Int64(failing) ? .fail(EIO) : nil }
      let (model, alternative) = try await run(manager)
      disk.set(nil)
      manager.close()
      let reopened = try DatabaseManager.open(at: directory.store, options: options(disk))
      let live = try await reopened.contents()
      #expect(
        live == model.contents || live == alternative?.contents,
        "call \(failing): \(probe.calls[failing])")
      #expect(await save(reopened, "z") == nil, "call \(failing): \(probe.calls[failing])")
    }
  }
}

/// What the live list should be, by the plainest means.
struct ListModel {
  private var rows: [(id: String, body: [UInt8], isLive: Bool)] = []

  var contents: [String] { rows.filter(\.isLive).map { "\($0.id)=\(text($0.body))" } }

  mutating func apply(_ operations: [FreshetStore.Operation]) {
    for operation in operations {
      switch operation {
      case .save(let id, let body):
        if let at = rows.firstIndex(where: { $0.id == id && $0.isLive }) {
          rows[at].body = body
        } else {
          rows.removeAll { $0.id == id }
          rows.append((id, body, true))
        }
      case .delete(let id):
        if let at = rows.firstIndex(where: { $0.id == id }) { rows[at].isLive = false }
      case .restore(let id):
        if let at = rows.firstIndex(where: { $0.id == id }) { rows[at].isLive = true }
      case .deleteAll:
        for at in rows.indices { rows[at].isLive = false }
      case .expect: break
      }
    }
  }
}
