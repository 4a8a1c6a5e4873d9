import Glibc
import Synchronization

@testable import FreshetStore

/// The real disk with faults: a rule looks at each call and may let it fail or cut it short.
final class FaultyFileSystem: FileSystem {
  enum Call: Sendable, Equatable {
    case open(String)
    case write(String, offset: Int64, count: Int)
    case truncate(String)
    case synchronize(String)
    case synchronizeDirectory
    case read(String)
    case rename
    case remove(String)
    case map(String)
  }

  enum Fault: Sendable {
    case fail(Int32)
    /// Writes only so many bytes.
    case short(Int)
  }

  typealias Rule = @Sendable (Call) -> Fault?

  private let live = LiveFileSystem()
  private let hasNoNotifier: Bool

  init(hasNoNotifier: Bool = false) { self.hasNoNotifier = hasNoNotifier }

  private let room = Mutex<Int64?>(nil)

  /// Says that so much is free.
  func setRoom(_ bytes: Int64?) { room.withLock { $0 = bytes } }

  private let rule = Mutex<Rule?>(nil)
  private let log = Mutex<[Call]>([])

  func set(_ new: Rule?) { rule.withLock { $0 = new } }

  var calls: [Call] { log.withLock { $0 } }

  func forget() { log.withLock { $0 = [] } }

  fileprivate func fault(_ call: Call) -> Fault? {
    log.withLock { $0.append(call) }
    return rule.withLock { $0 }?(call)
  }

  fileprivate func check(_ call: Call, _ name: String) throws(SystemError) {
    if case .fail(let code)? = fault(call) { throw SystemError(code: code, call: name) }
  }

  func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File {
    let name = String(path.split(separator: "/").last ?? "")
    try check(.open(name), "open")
    return FaultyFile(try live.open(path, mode), name: name, disk: self)
  }

  func makeDirectory(_ path: String) throws(SystemError) { try live.makeDirectory(path) }

  func rename(_ from: String, to: String) throws(SystemError) {
    try check(.rename, "rename")
    try live.rename(from, to: to)
  }

  func remove(_ path: String) throws(SystemError) {
    try check(.remove(String(path.split(separator: "/").last ?? "")), "unlink")
    try live.remove(path)
  }

  func freeBytes(at path: String) throws(SystemError) -> Int64? {
    if let room = room.withLock({ $0 }) { return room }
    return try live.freeBytes(at: path)
  }

  func list(_ path: String) throws(SystemError) -> [String] { try live.list(path) }

  func status(at path: String) throws(SystemError) -> FileStatus? { try live.status(at: path) }

  func synchronizeDirectory(_ path: String) throws(SystemError) {
    try check(.synchronizeDirectory, "fsync")
    try live.synchronizeDirectory(path)
  }

  func mountType(at path: String) -> String? { live.mountType(at: path) }

  func watch(directory: String, file: String) throws(SystemError) -> any Watch {
    // What is left of a watch without inotify.
    if hasNoNotifier { return try live.watch(directory: "/nowhere", file: "/nowhere") }
    return try live.watch(directory: directory, file: file)
  }

  func pause(microseconds: UInt32) { live.pause(microseconds: microseconds) }
}

private final class FaultyFile: File {
  let base: any File
  let name: String
  let disk: FaultyFileSystem

  init(_ base: any File, name: String, disk: FaultyFileSystem) {
    self.base = base
    self.name = name
    self.disk = disk
  }

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try disk.check(.read(name), "pread")
    return try base.read(buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    switch disk.fault(.write(name, offset: offset, count: bytes.count)) {
    case .fail(let code): throw SystemError(code: code, call: "pwrite")
    case .short(let count):
      return try base.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
    case nil: return try base.write(bytes, at: offset)
    }
  }

  func status() throws(SystemError) -> FileStatus { try base.status() }

  func truncate(to size: Int64) throws(SystemError) {
    try disk.check(.truncate(name), "ftruncate")
    try base.truncate(to: size)
  }

  func synchronize() throws(SystemError) {
    try disk.check(.synchronize(name), "fsync")
    try base.synchronize()
  }

  func synchronizeData() throws(SystemError) {
    try disk.check(.synchronize(name), "fdatasync")
    try base.synchronizeData()
  }

  func lock(wait: Bool) throws(SystemError) -> Bool { try base.lock(wait: wait) }
  func unlock() { base.unlock() }

  func map(count: Int) throws(SystemError) -> FileMapping {
    try disk.check(.map(name), "mmap")
    return try base.map(count: count)
  }
}
