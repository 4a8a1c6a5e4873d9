/// The real disk.
package struct LiveFileSystem: FileSystem {
  package init() {}

  package func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File {
    let flags =
      switch mode {
      case .read: Platform.readFlags
      case .update: Platform.updateFlags
      case .create: Platform.createFlags
      case .createNew: Platform.createNewFlags
      }
    return LiveFile(try Platform.openDataFile(path, flags: flags, mode: 0o600))
  }

  package func makeDirectory(_ path: String) throws(SystemError) {
    try Platform.makeDirectory(path)
  }

  package func rename(_ from: String, to: String) throws(SystemError) {
    try Platform.renameFile(from, to: to)
  }

  package func remove(_ path: String) throws(SystemError) {
    try Platform.removeFile(path)
  }

  package func list(_ path: String) throws(SystemError) -> [String] {
    try Platform.list(path)
  }

  package func status(at path: String) throws(SystemError) -> FileStatus? {
    try Platform.status(at: path)
  }

  package func synchronizeDirectory(_ path: String) throws(SystemError) {
    let descriptor = try Platform.openFile(path, flags: Platform.directoryFlags, mode: 0)
    defer { Platform.closeFile(descriptor) }
    try Platform.synchronize(descriptor)
  }

  package func mountType(at path: String) -> String? {
    guard let table = Platform.mountTable(), let real = try? Platform.resolved(path) else {
      return nil  // The caller opens the path next and reports what is wrong with it.
    }
    return MountTable(table).type(at: real)
  }

  package func watch(directory: String, file: String) throws(SystemError) -> any Watch {
    try LiveWatch(directory: directory, file: file, includesWrites: false)
  }

  package func watch(
    directory: String, file: String, includesWrites: Bool
  ) throws(SystemError) -> any Watch {
    try LiveWatch(directory: directory, file: file, includesWrites: includesWrites)
  }

  package func pause(microseconds: UInt32) {
    Platform.pause(microseconds: microseconds)
  }

  package func freeBytes(at path: String) throws(SystemError) -> Int64? {
    try Platform.freeBytes(at: path)
  }
}

/// An open file of the real disk.
final class LiveFile: File {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { Platform.closeFile(descriptor) }

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try Platform.readFile(descriptor, buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try Platform.writeFile(descriptor, bytes, at: offset)
  }

  func status() throws(SystemError) -> FileStatus { try Platform.status(of: descriptor) }

  func truncate(to size: Int64) throws(SystemError) {
    try Platform.truncate(descriptor, to: size)
  }

  func synchronize() throws(SystemError) { try Platform.synchronize(descriptor) }

  func synchronizeData() throws(SystemError) { try Platform.synchronizeData(descriptor) }

  func lock(wait: Bool) throws(SystemError) -> Bool {
    try Platform.lock(descriptor, wait: wait)
  }

  func unlock() { Platform.unlock(descriptor) }

  func map(count: Int) throws(SystemError) -> FileMapping {
    if count == 0 { return FileMapping(copying: []) }
    return try Platform.map(descriptor, count: count)
  }
}

/// inotify on the file and its directory, with a pipe to interrupt it.
///
/// Without inotify only the time-outs of `wait` are left, which the caller uses as its sweep
/// anyway.
final class LiveWatch: Watch {
  private let notifier: Int32?
  private let wakeUp: (read: Int32, write: Int32)

  init(directory: String, file: String, includesWrites: Bool) throws(SystemError) {
    wakeUp = try Platform.makePipe()
    notifier = Platform.makeNotifier(
      directory: directory, file: file, includesWrites: includesWrites)
  }

  deinit {
    if let notifier { Platform.closeFile(notifier) }
    Platform.closeFile(wakeUp.read)
    Platform.closeFile(wakeUp.write)
  }

  func wait(milliseconds: Int32) throws(SystemError) {
    let descriptors = notifier.map { [wakeUp.read, $0] } ?? [wakeUp.read]
    guard try Platform.waitReadable(descriptors, milliseconds: milliseconds) else { return }
    // Events are never counted or believed, an overflow is one like any other: drop them all.
    for descriptor in descriptors { Platform.drain(descriptor) }
  }

  func interrupt() { Platform.writeWakeUp(wakeUp.write) }
}
