import Foundation
import Freshet
import Glibc
import Testing

@testable import FreshetStore

@Suite("Reading without writing")
struct ReadOnlyTests {
  private let directory: TemporaryDirectory
  private let disk = ReadOnlyDisk()

  init() throws { directory = try TemporaryDirectory() }

  private func writer() throws -> DatabaseManager {
    try DatabaseManager.open(at: directory.store, options: .fixed())
  }

  private func reader(
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws(StoreError) -> DatabaseManager {
    try DatabaseManager.open(
      at: directory.store,
      options: .fixed {
        $0.isReadOnly = true
        $0.fileSystem = disk
        change(&$0)
      })
  }

  private func code(_ work: () throws -> Void) -> StoreError.Code? {
    do {
      try work()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  /// Runs `work` as a user whom permissions concern, whoever runs the tests.
  ///
  /// The user for file access is one per thread; the call for it is in no module, so it is looked
  /// up by its name, with the type that its manual page gives.
  private func asOrdinaryUser<R>(_ work: () throws -> R) throws -> R {
    guard geteuid() == 0 else { return try work() }
    typealias SetUser = @convention(c) (uid_t) -> Int32
    let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
    _ = setUser(65_534)
    defer { _ = setUser(0) }
    return try work()
  }

  @Test("a read-only store is fetched, observed and followed live, and nothing is touched")
  func readOnlyDisk() async throws {
    let writer = try writer()
    _ = try await writer.save(id: "a", body: body(1)).value()
    let reader = try reader()
    #expect(try await reader.contents() == [#"a={"n":1}"#])
    #expect(try await reader.fetch(id: "a").value()?.body == body(1))
    #expect(try reader.oldestToken.revision == 0 && reader.token.revision == 1)

    let lists = Collector(reader.observe())
    let changes = Collector(reader.changes(since: .oldest))
    _ = await lists.values(1)
    _ = await changes.values(1)
    _ = try await writer.save(id: "b", body: body(2)).value()
    #expect(await lists.values(2).last?.records.map(\.id) == ["a", "b"])
    #expect(await changes.values(2).map(\.revision) == [1, 2])

    let operations: [FreshetStore.Operation] = [
      .save(id: "c", body: body(3)), .delete(id: "a"), .deleteAll,
    ]
    for operation in operations {
      let work = reader.apply([operation])
      let error = await #expect(throws: StoreError.self) { try await work.value() }
      #expect(error?.code == .notWritable)
    }
    reader.close()
    #expect(disk.refused.isEmpty, "\(disk.refused)")
  }

  @Test("with no inotify it follows by looking now and then")
  func polling() async throws {
    let writer = try writer()
    let reader = try reader {
      $0.fileSystem = FaultyFileSystem(hasNoNotifier: true)
      $0.sweepMilliseconds = 5
    }
    let changes = Collector(reader.changes(since: .oldest))
    _ = try await writer.save(id: "a", body: body(1)).value()
    #expect(await changes.values(1).map(\.revision) == [1])
  }

  @Test("files that may only be read are enough for a reader")
  func permissions() async throws {
    let writer = try writer()
    _ = try await writer.save(id: "a", body: body(1)).value()
    writer.close()
    let names = try directory.names()
    if geteuid() == 0 {
      for path in [directory.path, directory.store] + names.map(directory.file) {
        #expect(chown(path, 65_534, 65_534) == 0)
      }
    }
    for name in names { chmod(directory.file(name), name == "LOCK" ? 0 : 0o400) }
    chmod(directory.store, 0o500)
    defer { chmod(directory.store, 0o700) }
    let reader = try asOrdinaryUser { () throws in try self.reader() }
    #expect(try await reader.contents() == [#"a={"n":1}"#])
    #expect(disk.refused.isEmpty)

    // A writer is told which of the two it may not do.
    let open = { try DatabaseManager.open(at: directory.store, options: .fixed()).close() }
    chmod(directory.file("LOCK"), 0o400)
    #expect(code { try asOrdinaryUser(open) } == .notWritable)
    chmod(directory.file("LOCK"), 0)
    #expect(code { try asOrdinaryUser(open) } == .notReadable)
    chmod(directory.file("LOCK"), 0o600)
    chmod(directory.file("HEAD"), 0o600)
    #expect(code { try asOrdinaryUser(open) } == .notWritable)
    chmod(directory.file(FileNames.segment(1)), 0)
    #expect(code { try asOrdinaryUser(open) } == .notReadable)
  }

  @Test("what cannot be read is not readable", arguments: ["", "HEAD", "STORE", "log"])
  func unreadable(_ what: String) async throws {
    try writer().close()
    let name = what == "log" ? FileNames.segment(1) : what
    if geteuid() == 0 {
      for path in [directory.path, directory.store] + (try directory.names()).map(directory.file) {
        #expect(chown(path, 65_534, 65_534) == 0)
      }
    }
    chmod(directory.file(name), 0)
    defer { chmod(directory.file(name), 0o700) }
    #expect(code { try asOrdinaryUser { try reader().close() } } == .notReadable)
    let open = { try DatabaseManager.open(at: directory.store, options: .fixed()).close() }
    #expect(code { try asOrdinaryUser(open) } == .notReadable)
  }

  @Test("a writer that stopped with the lock in its hand keeps no reader out")
  func stoppedWriter() async throws {
    let writer = try writer()
    _ = try await writer.save(id: "a", body: body(1)).value()
    let lock = try LiveFileSystem().open(directory.file("LOCK"), .update)
    #expect(try lock.lock(wait: true))
    #expect(code { try self.writer().close() } == .locked)
    #expect(try await reader().contents() == [#"a={"n":1}"#])
    #expect(disk.refused.isEmpty)
    lock.unlock()
  }

  @Test("a newer format that readers of this one may read is read, and not written")
  func newer() async throws {
    let writer = try writer()
    _ = try await writer.save(id: "a", body: body(1)).value()
    writer.close()
    var description = try StoreDescription(directory.read("STORE"))
    description.format = 2
    description.minWriter = 2
    try directory.write(description.encoded, to: "STORE")
    let reader = try reader()
    #expect(try await reader.contents() == [#"a={"n":1}"#])
    let error = await #expect(throws: StoreError.self) {
      try await reader.save(id: "b", body: body(2)).value()
    }
    #expect(error?.code == .notWritable)
  }

  @Test("a torn end is left alone: a reader goes up to what was durable")
  func tornEnd() async throws {
    let writer = try writer()
    _ = try await writer.save(id: "a", body: body(1)).value()
    writer.close()
    let log = FileNames.segment(1)
    let torn = try directory.read(log) + Array(#"{"c":"half a li"#.utf8)
    try directory.write(torn, to: log)
    let reader = try reader()
    #expect(try await reader.contents() == [#"a={"n":1}"#])
    #expect(reader.lostFile == nil && disk.refused.isEmpty)
    #expect(try directory.read(log) == torn)
  }

  @Test("a reader tells of a missing segment rather than an older state")
  func missingSegment() async throws {
    let writer = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.segmentBytes = 512 })
    for number in 1...20 {
      _ = try await writer.save(id: "i\(number)", body: body(number)).value()
    }
    writer.close()
    let last = try #require(directory.names().compactMap(FileNames.firstRevision).max())
    #expect(last > 1)
    try FileManager.default.removeItem(atPath: directory.file(FileNames.segment(last)))
    #expect(code { try reader().close() } == .damaged)
  }
}
