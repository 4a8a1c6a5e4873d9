import Foundation
import Freshet
import Glibc
import Testing

@testable import FreshetStore

/// What has the name of a store's file and is none is told of, without waiting for it.
@Suite("Other things than files", .timeLimit(.minutes(15)))
struct OtherThanFilesTests {
  enum Kind: String, CaseIterable {
    case pipe = "a pipe"
    case socket = "a socket"
    case directory = "a directory"
    case link = "a link"
    case device = "a device"
  }

  /// A snapshot of six commits, and two commits after it; the journal before it is kept.
  private static func sample(keepsHistory: Bool = true) async throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let store = try directory.open { if !keepsHistory { $0.retention = .none } }
    for number in 1...6 { _ = try await store.save(id: "i\(number)", body: body(number)).value() }
    _ = try await store.compact().value()
    for number in 7...8 { _ = try await store.save(id: "i\(number)", body: body(number)).value() }
    store.close()
    return directory
  }

  /// Puts something else in a file's place; false where this machine does not let us.
  private static func replace(_ path: String, by kind: Kind, keeping kept: String) throws -> Bool {
    #expect(rename(path, kept) == 0)
    switch kind {
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .directory: #expect(mkdir(path, 0o700) == 0)
    case .link: #expect(symlink(kept, path) == 0)
    case .device:
      // Device 1, 3 is /dev/null; only root may make one, and not everywhere.
      if mknod(path, S_IFCHR | 0o600, 0x103) != 0 { return false }
      let descriptor = open(path, O_RDONLY)
      if descriptor < 0 { return false }
      close(descriptor)
    case .socket:
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      // A short name, made beside it and moved: the address has room for 107 bytes.
      let short = "/tmp/freshet-\(getpid())-\(UInt32.random(in: .min ... .max))"
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(bound == 0)
      if rename(short, path) != 0 {
        unlink(short)
        return false
      }
    }
    return true
  }

  private func error(_ work: () async throws -> Void) async -> StoreError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  /// Reads everything, and follows from the beginning.
  private func read(_ directory: TemporaryDirectory) async throws {
    let store = try directory.open { $0.isReadOnly = true }
    defer { store.close() }
    _ = try await store.fetch().value()
    _ = try await store.stats().value()
  }

  private func write(_ directory: TemporaryDirectory) async throws {
    let store = try directory.open()
    defer { store.close() }
    _ = try await store.save(id: "new", body: body(0)).value()
    _ = try await store.compact().value()
  }

  private func expect(
    _ error: StoreError?, _ path: String, _ kind: Kind, _ what: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(error?.code == .damaged, what, sourceLocation: sourceLocation)
    #expect(error?.path == path, what, sourceLocation: sourceLocation)
    #expect(
      error?.message.hasPrefix("\(path) is \(kind.rawValue), not a file; ") == true, what,
      sourceLocation: sourceLocation)
  }

  @Test("in place of LOCK, HEAD, STORE or COMPACT", arguments: Kind.allCases)
  func fixedNames(_ kind: Kind) async throws {
    for name in [FileNames.lock, FileNames.head, FileNames.store, FileNames.compact] {
      let directory = try await Self.sample()
      let kept = directory.path + "/kept"
      guard try Self.replace(directory.file(name), by: kind, keeping: kept) else { return }
      let what: Comment = "\(name): \(kind.rawValue)"
      expect(await error { try await write(directory) }, directory.file(name), kind, what)
      // Readers open neither LOCK nor COMPACT.
      let isRead = name == FileNames.head || name == FileNames.store
      let reading = await error { try await read(directory) }
      if isRead { expect(reading, directory.file(name), kind, what) }
      #expect(isRead || reading == nil, what)
      let survey = try StoreFiles.verify(at: directory.store)
      #expect(
        survey.findings.map { "\($0.kind) \($0.file)" } == ["damage \(name)"], what)
      let rescued = try StoreFiles.salvage(directory.store, to: directory.path + "/rescued")
      #expect(rescued.liveCount >= 8, what)
      #expect(rescued.gaps == [], what)

      // What the message says helps, and the journal lost nothing.
      unlink(directory.file(name))
      rmdir(directory.file(name))
      if name == FileNames.store { #expect(rename(kept, directory.file(name)) == 0) }
      try await write(directory)
      #expect(try StoreFiles.verify(at: directory.store).findings == [], what)
    }
  }

  @Test("in place of a snapshot or its index: reads go round it", arguments: Kind.allCases)
  func snapshots(_ kind: Kind) async throws {
    for name in [FileNames.snapshot(6), FileNames.snapshotIndex(6)] {
      let directory = try await Self.sample()
      let kept = directory.path + "/kept"
      guard try Self.replace(directory.file(name), by: kind, keeping: kept) else { return }
      let what: Comment = "\(name): \(kind.rawValue)"
      try await read(directory)
      let survey = try StoreFiles.verify(at: directory.store)
      #expect(survey.findings.map(\.file) == [name], what)
      #expect(survey.isSound == (name != FileNames.snapshot(6)), what)
      let rescued = try StoreFiles.salvage(directory.store, to: directory.path + "/rescued")
      #expect(rescued.liveCount == 8 && rescued.gaps == [], what)
      try await write(directory)
      let store = try directory.open { $0.isReadOnly = true }
      #expect(try await store.fetch().value().count == 9, what)
      store.close()
    }
  }

  @Test("in place of the only snapshot: refused, and told where", arguments: Kind.allCases)
  func onlySnapshot(_ kind: Kind) async throws {
    let directory = try await Self.sample(keepsHistory: false)
    let path = directory.file(FileNames.snapshot(6))
    guard try Self.replace(path, by: kind, keeping: directory.path + "/kept") else { return }
    expect(await error { try await read(directory) }, path, kind, "read")
    expect(await error { try await write(directory) }, path, kind, "write")
    #expect(!(try StoreFiles.verify(at: directory.store).isSound))
    let rescued = try StoreFiles.salvage(directory.store, to: directory.path + "/rescued")
    #expect(rescued.liveCount == 2)
  }

  @Test(
    "in place of a segment: refused, and verify and salvage go on behind",
    arguments: Kind.allCases)
  func segments(_ kind: Kind) async throws {
    for (segment, alive) in [(Int64(1), 8), (7, 6)] {
      let directory = try await Self.sample()
      let name = FileNames.segment(segment)
      let kept = directory.path + "/kept"
      guard try Self.replace(directory.file(name), by: kind, keeping: kept) else { return }
      let what: Comment = "\(name): \(kind.rawValue)"
      let writing = await error { try await write(directory) }
      // The journal before the snapshot is read by those who ask for it.
      if segment == 7 {
        expect(writing, directory.file(name), kind, what)
        expect(await error { try await read(directory) }, directory.file(name), kind, what)
      } else {
        #expect(writing == nil, what)
        let store = try directory.open { $0.isReadOnly = true }
        let feed = Collector(store.changes(since: .oldest))
        guard case .failed(let failure) = await feed.ended() else {
          Issue.record("the feed goes on over \(name)")
          return
        }
        expect(failure, directory.file(name), kind, what)
        store.close()
      }
      let survey = try StoreFiles.verify(at: directory.store)
      #expect(survey.findings.contains { $0.file == name && $0.kind == .damage }, what)
      let rescued = try StoreFiles.salvage(directory.store, to: directory.path + "/rescued")
      #expect(rescued.liveCount == alive + (segment == 1 ? 1 : 0), what)
    }
  }

  @Test("a lease that is none promises nothing; a left-over draft is cleared away")
  func leasesAndDrafts() async throws {
    let directory = try await Self.sample()
    #expect(mkdir(directory.file("followers"), 0o700) == 0)
    #expect(mkfifo(directory.file("followers/night"), 0o600) == 0)
    #expect(mkfifo(directory.file(FileNames.snapshot(9) + FileNames.unfinished), 0o600) == 0)
    try await read(directory)
    try await write(directory)
    #expect(try directory.names(FileNames.snapshot(9)) == [FileNames.snapshot(9)])
  }

  @Test("an export goes neither through a pipe nor over one")
  func exports() async throws {
    let directory = try await Self.sample()
    let store = try directory.open()
    let out = directory.path + "/out"
    #expect(mkfifo(out + ".\(Platform.processID).partial", 0o600) == 0)
    #expect(await error { _ = try await store.export(to: out).value() } == nil)
    unlink(out)
    #expect(mkfifo(out, 0o600) == 0)
    let refused = await error { _ = try await store.export(to: out, replacing: true).value() }
    #expect(refused?.code == .notWritable && refused?.path == out)
    var status = stat()
    #expect(stat(out, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    store.close()
  }

  @Test("the path of the store may be a link")
  func linkedFolder() async throws {
    let directory = try await Self.sample()
    let link = directory.path + "/link"
    #expect(symlink(directory.store, link) == 0)
    let store = try DatabaseManager.open(at: link, options: .fixed())
    #expect(try await store.fetch().value().count == 8)
    store.close()
  }
}
