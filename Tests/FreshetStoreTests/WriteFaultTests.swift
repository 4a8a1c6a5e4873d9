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
    #expect(await save(manager, "b") == .storeFailed)
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
    #expect(await save(first, "b") == .storeFailed)
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

  @Test("each single failing call, once: never a wrong answer, and the store opens again")
  func everyCall() async throws {
    let operations: [[FreshetStore.Operation]] = [
      [.save(id: "a", body: body(1))], [.save(id: "a", body: body(2))], [.delete(id: "a")],
      [.restore(id: "a")], [.save(id: "b", body: body(3)), .save(id: "c", body: body(4))],
      [.deleteAll], [.restore(id: "c"), .save(id: "d", body: body(5))],
    ]
    func run(_ manager: DatabaseManager) async -> [Bool] {
      var done: [Bool] = []
      for operation in operations {
        do {
          _ = try await manager.apply(operation).value()
          done.append(true)
        } catch {
          done.append(false)
        }
      }
      return done
    }
    let probe = FaultyFileSystem()
    let probeDirectory = try TemporaryDirectory()
    let first = try DatabaseManager.open(
      at: probeDirectory.store,
      options: .fixed {
        $0.fileSystem = probe; $0.segmentBytes = 300
      })
    probe.forget()
    _ = await run(first)
    let total = probe.calls.count
    for failing in 0..<total {
      let directory = try TemporaryDirectory()
      let disk = FaultyFileSystem()
      let options = StoreOptions.fixed {
        $0.fileSystem = disk; $0.segmentBytes = 300
      }
      let manager = try DatabaseManager.open(at: directory.store, options: options)
      let seen = Counter()
      disk.set { _ in seen.next() == Int64(failing) ? .fail(EIO) : nil }
      let done = await run(manager)
      disk.set(nil)
      manager.close()
      // What was acknowledged is there: replay it on a store without faults and compare. An
      // operation whose outcome is unknown may be there or not, so only the clean runs compare.
      let reopened = try DatabaseManager.open(at: directory.store, options: options)
      if done.allSatisfy({ $0 }) {
        #expect(try await reopened.contents() == [#"c={"n":4}"#, #"d={"n":5}"#])
      }
      #expect(await save(reopened, "z") == nil, "after call \(failing)")
    }
  }
}
