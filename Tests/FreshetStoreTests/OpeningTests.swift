import Foundation
import Freshet
import Glibc
import Testing

@testable import FreshetStore

@Suite("Opening")
struct OpeningTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func code(
    _ path: String, _ change: @escaping (inout StoreOptions) -> Void = { _ in }
  ) -> StoreError.Code? {
    do {
      try DatabaseManager.open(at: path, options: .fixed(change)).close()
      return nil
    } catch {
      #expect(!error.message.isEmpty && error.description.contains(error.code.name))
      return error.code
    }
  }

  @Test("a store is made with its parents, for its owner only, whatever the umask")
  func permissions() async throws {
    let old = umask(0)
    defer { umask(old) }
    let path = directory.path + "/deep/er/store"
    let manager = try DatabaseManager.open(at: path, options: .fixed())
    _ = try await manager.save(id: "a", body: body(1)).value()
    for part in ["/deep", "/deep/er", "/deep/er/store"] {
      #expect(try LiveFileSystem().status(at: directory.path + part)?.permissions == 0o700)
    }
    for name in ["LOCK", "STORE", "HEAD", FileNames.segment(1)] {
      #expect(try LiveFileSystem().status(at: path + "/" + name)?.permissions == 0o600)
    }
  }

  @Test("a path that is a file, or under one, is no store")
  func files() throws {
    let file = directory.path + "/file"
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    #expect(code(file) == .notADirectory)
    #expect(code(file + "/store") == .notADirectory)
  }

  @Test("a directory that cannot be made is told so")
  func unwritable() {
    let error = code("/proc/freshet-store")
    #expect(error == .notWritable)
    #expect(code("/proc/self/freshet/store") == .notWritable)
  }

  @Test("a directory with other things in it is left alone")
  func foreign() throws {
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try directory.write(Array("mine".utf8), to: "notes.txt")
    #expect(code(directory.store) == .notAStore)
    #expect(try directory.names() == ["notes.txt"])
  }

  @Test("without leave to make one, a missing store is an error and nothing is made")
  func missing() throws {
    #expect(code(directory.store) { $0.createsIfMissing = false } == .notAStore)
    #expect(code(directory.store) { $0.isReadOnly = true } == .notAStore)
    #expect(!FileManager.default.fileExists(atPath: directory.store))
  }

  @Test("a directory that others may write to is refused, unless allowed")
  func unsafePermissions() throws {
    #expect(code(directory.store) == nil)
    let advice = #expect(throws: StoreError.self) {
      chmod(directory.store, 0o770)
      return try DatabaseManager.open(at: directory.store, options: .fixed())
    }
    #expect(advice?.message.hasSuffix("run `chmod go-w \(directory.store)`") == true)
    for mode in [0o770, 0o702] as [mode_t] {
      chmod(directory.store, mode)
      #expect(code(directory.store) == .unsafePermissions)
      #expect(code(directory.store) { $0.allowsUnsafePermissions = true } == nil)
    }
  }

  @Test("a newer format is refused, or opened for reading where it says so")
  func newer() async throws {
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await manager.save(id: "a", body: body(1)).value()
    manager.close()
    let present = try StoreDescription(directory.read("STORE"))
    for (minReader, minWriter, canRead, canWrite) in [
      (2, 2, false, false), (1, 2, true, false), (1, 1, true, true),
    ] as [(Int64, Int64, Bool, Bool)] {
      var description = present
      description.format = 2
      description.minReader = minReader
      description.minWriter = minWriter
      try directory.write(description.encoded, to: "STORE")
      #expect(code(directory.store) == (canWrite ? nil : .newerFormat))
      #expect(code(directory.store) { $0.isReadOnly = true } == (canRead ? nil : .newerFormat))
    }
    // Written by hand, without a checksum: what matters is that it is newer.
    try directory.write(Array(#"{"format":2,"minReader":2,"minWriter":2}"#.utf8), to: "STORE")
    #expect(code(directory.store) == .newerFormat)
    try directory.write(Array("hello".utf8), to: "STORE")
    #expect(code(directory.store) == .notAStore)
  }

  @Test("a lock that another holds is waited for, then its owner is named")
  func locked() async throws {
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    let lock = try LiveFileSystem().open(directory.file("LOCK"), .update)
    #expect(try lock.lock(wait: true))
    let error = await #expect(throws: StoreError.self) {
      try await manager.save(id: "a", body: body(1)).value()
    }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("\"pid\":\(getpid())") == true)
    #expect(code(directory.store) == .locked)
    // Readers do not care.
    #expect(try await manager.fetch().value().isEmpty)
    lock.unlock()
    #expect(try await manager.save(id: "a", body: body(1)).value() == .saved)
  }

  @Test("a second opener does not cut what a writer has just appended and not yet confirmed")
  func openWhileWriting() async throws {
    let disk = FaultyFileSystem()
    let writer = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.fileSystem = disk })
    let path = directory.store
    let opened = Counter()
    disk.set { call in
      // Between the append and its sync: LOCK is free, HEAD is behind.
      if call == .synchronize(FileNames.segment(1)), opened.next() == 0 {
        do {
          let other = try DatabaseManager.open(at: path, options: .fixed())
          #expect(other.token.revision == 1 && other.lostFile == nil)
        } catch {
          Issue.record(error)
        }
      }
      return nil
    }
    #expect(try await writer.save(id: "a", body: body(1)).value() == .saved)
    #expect(opened.value >= 1)
  }

  @Test("a lock file that lost its name protects nothing, so nothing is written")
  func replacedLock() async throws {
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    try FileManager.default.removeItem(atPath: directory.file("LOCK"))
    try directory.write([], to: "LOCK")
    let error = await #expect(throws: StoreError.self) {
      try await manager.save(id: "a", body: body(1)).value()
    }
    #expect(error?.code == .ioError)
    #expect(try directory.read(FileNames.segment(1)).isEmpty)
  }

  @Test("a segment that lost its name takes no more commits", arguments: ["removed", "replaced"])
  func lostSegment(_ how: String) async throws {
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await manager.save(id: "a", body: body(1)).value()
    let log = directory.file(FileNames.segment(1))
    let aside = directory.path + "/aside"
    if how == "replaced" { try FileManager.default.copyItem(atPath: log, toPath: aside + "2") }
    try FileManager.default.moveItem(atPath: log, toPath: aside)
    if how == "replaced" { try FileManager.default.moveItem(atPath: aside + "2", toPath: log) }
    let before = try Data(contentsOf: URL(fileURLWithPath: aside))
    for _ in 1...2 {
      let error = await #expect(throws: StoreError.self) {
        try await manager.save(id: "b", body: body(2)).value()
      }
      #expect(error?.code == .damaged && error?.path == log)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == before)
    #expect(manager.token.revision == 1)

    // Put back, it is the same file again.
    if how == "replaced" { try FileManager.default.removeItem(atPath: log) }
    try FileManager.default.moveItem(atPath: aside, toPath: log)
    #expect(try await manager.save(id: "b", body: body(2)).value() == .saved)
    #expect(try await manager.contents() == [#"a={"n":1}"#, #"b={"n":2}"#])
  }

  @Test("no file of a store is inherited by a child process")
  func closeOnExec() async throws {
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    let feed = Collector(manager.observe())
    _ = await feed.values(1)
    _ = try await manager.save(id: "a", body: body(1)).value()
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      let link = "/proc/self/fd/" + name
      // A descriptor of another test may have closed meanwhile.
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
        target.hasPrefix(directory.store) || target.contains("inotify"),
        let descriptor = Int32(name)
      else { continue }
      let flags = fcntl(descriptor, F_GETFD)
      #expect(flags < 0 || flags & FD_CLOEXEC != 0, "\(target)")
      count += 1
    }
    #expect(count >= 4)
  }

  @Test("segments roll, each named by its first revision, and all are needed")
  func rolling() async throws {
    let options = StoreOptions.fixed { $0.segmentBytes = 4096 }
    let manager = try DatabaseManager.open(at: directory.store, options: options)
    for number in 1...200 {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
    }
    manager.close()
    let segments = try directory.names().compactMap(FileNames.firstRevision)
    #expect(segments.count > 3 && segments[0] == 1)
    for segment in segments.dropLast() {
      #expect(try directory.read(FileNames.segment(segment)).count >= 4096)
    }
    let again = try DatabaseManager.open(at: directory.store, options: options)
    #expect(try await again.fetch().value().map(\.id) == (1...200).map { "i\($0)" })
    again.close()

    // An empty successor, whose maker died, is used.
    let last = try #require(segments.last)
    let tail = try directory.read(FileNames.segment(last))
    #expect(!tail.isEmpty)
    try directory.write([], to: FileNames.segment(201))
    let third = try DatabaseManager.open(at: directory.store, options: options)
    #expect(try await third.save(id: "next", body: body(0)).value() == .saved)
    third.close()
    #expect(try directory.read(FileNames.segment(last)) == tail)
    #expect(try !directory.read(FileNames.segment(201)).isEmpty)

    // So it is when the maker dies while others have the store open.
    let fourth = try DatabaseManager.open(at: directory.store, options: options)
    try directory.write([], to: FileNames.segment(202))
    #expect(try await fourth.save(id: "last", body: body(0)).value() == .saved)
    fourth.close()
    #expect(try !directory.read(FileNames.segment(202)).isEmpty)

    // Damage in a segment that has a successor is never a torn tail; nor is a missing one.
    let middle = FileNames.segment(segments[1])
    let whole = try directory.read(middle)
    try directory.write(Array(whole.dropLast(3)), to: middle)
    #expect(code(directory.store) == .damaged)
    try FileManager.default.removeItem(atPath: directory.file(middle))
    #expect(code(directory.store) == .damaged)
    try directory.write(whole, to: middle)
    #expect(code(directory.store) == nil)
  }
}

/// One at a time: the shared manager is one per process.
@Suite("The shared manager", .serialized)
struct SharedManagerTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    DatabaseManager.forgetShared()
  }

  @Test("before the set-up there is an error, not a trap")
  func notSetUp() {
    let error = #expect(throws: StoreError.self) { try DatabaseManager.shared }
    #expect(error?.code == .notSetUp)
  }

  @Test("it is set up once: the same path again does nothing, another is an error")
  func once() async throws {
    try DatabaseManager.setUp(at: directory.store)
    let shared = try DatabaseManager.shared
    try DatabaseManager.setUp(at: directory.path + "/./store/")
    #expect(try DatabaseManager.shared === shared)
    let error = #expect(throws: StoreError.self) {
      try DatabaseManager.setUp(at: directory.path + "/other")
    }
    #expect(error?.code == .alreadySetUp)
    #expect(try await shared.save(id: "a", body: body(1)).value() == .saved)
    DatabaseManager.forgetShared()
  }

  @Test("of many threads that set it up, one opens it and all have it")
  func concurrent() async throws {
    let managers = await withTaskGroup(of: DatabaseManager?.self) { group in
      for _ in 0..<16 {
        group.addTask { [path = directory.store] in
          do {
            try DatabaseManager.setUp(at: path)
            return try DatabaseManager.shared
          } catch {
            Issue.record(error)
            return nil
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(managers.count == 16)
    #expect(managers.allSatisfy { $0 === managers[0] })
    DatabaseManager.forgetShared()
  }

  @Test("a set-up that failed says why and may be tried again")
  func retry() throws {
    let file = directory.path + "/file"
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    #expect(throws: StoreError.self) { try DatabaseManager.setUp(at: file) }
    let error = #expect(throws: StoreError.self) { try DatabaseManager.shared }
    #expect(error?.code == .notADirectory)
    try DatabaseManager.setUp(at: directory.store)
    _ = try DatabaseManager.shared
    DatabaseManager.forgetShared()
  }

  @Test("operations while it is opening wait for the outcome")
  func opening() async throws {
    let manager = DatabaseManager(path: directory.store, options: .fixed())
    let saving = Collector(manager.save(id: "a", body: body(1)))
    let list = Collector(manager.observe())
    let dropped = Collector(manager.save(id: "b", body: body(2)))
    dropped.dispose()
    #expect(saving.values.isEmpty && saving.end == nil)
    try manager.openNow()
    #expect(await saving.values(1) == [.saved])
    _ = await list.values(1)
    #expect(try await manager.contents() == [#"a={"n":1}"#])

    let file = directory.path + "/file"
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    let failing = DatabaseManager(path: file, options: .fixed())
    let waiting = Collector(failing.fetch())
    let feed = Collector(failing.changes(since: .now))
    #expect(throws: StoreError.self) { try failing.openNow() }
    for end in [await waiting.ended(), await feed.ended()] {
      guard case .failed(let error)? = end else {
        Issue.record("it must fail")
        continue
      }
      #expect(error.code == .notADirectory)
    }
  }
}
