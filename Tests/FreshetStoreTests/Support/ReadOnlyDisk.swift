import Glibc
import Synchronization

@testable import FreshetStore

/// The real disk as on a read-only mount: whatever would change anything is refused, and noted.
final class ReadOnlyDisk: FileSystem {
  private let live = LiveFileSystem()
  private let attempts = Mutex<[String]>([])

  /// The changes and locks that were tried.
  var refused: [String] { attempts.withLock { $0 } }

  fileprivate func refuse(_ call: String) -> SystemError {
    attempts.withLock { $0.append(call) }
    return SystemError(code: EROFS, call: call)
  }

  func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File {
    if mode != .read || path.hasSuffix("/LOCK") { throw refuse("open \(path)") }
    return ReadOnlyFile(base: try live.open(path, mode), disk: self)
  }

  func makeDirectory(_ path: String) throws(SystemError) { throw refuse("mkdir") }
  func rename(_ from: String, to: String) throws(SystemError) { throw refuse("rename") }
  func remove(_ path: String) throws(SystemError) { throw refuse("unlink") }
  func list(_ path: String) throws(SystemError) -> [String] { try live.list(path) }
  func status(at path: String) throws(SystemError) -> FileStatus? { try live.status(at: path) }
  func synchronizeDirectory(_ path: String) throws(SystemError) { throw refuse("fsync") }
  func mountType(at path: String) -> String? { live.mountType(at: path) }

  func watch(directory: String, file: String) throws(SystemError) -> any Watch {
    try live.watch(directory: directory, file: file)
  }

  func pause(microseconds: UInt32) { live.pause(microseconds: microseconds) }
}

private final class ReadOnlyFile: File {
  let base: any File
  let disk: ReadOnlyDisk

  init(base: any File, disk: ReadOnlyDisk) {
    self.base = base
    self.disk = disk
  }

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try base.read(buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    throw disk.refuse("pwrite")
  }

  func status() throws(SystemError) -> FileStatus { try base.status() }
  func truncate(to size: Int64) throws(SystemError) { throw disk.refuse("ftruncate") }
  func synchronize() throws(SystemError) { throw disk.refuse("fsync") }
  func synchronizeData() throws(SystemError) { throw disk.refuse("fdatasync") }
  func lock(wait: Bool) throws(SystemError) -> Bool { throw disk.refuse("flock") }
  func unlock() {}
}
