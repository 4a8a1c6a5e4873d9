import Dispatch
import FreshetStore
import Glibc
import Synchronization

/// A disk in memory that can lose power at any moment, fail any call, and forget to sync.
package final class SimulatedDisk: FileSystem {
  package typealias Rule = @Sendable (DiskCall) -> DiskFault?
  /// Called after each call that changed anything.
  package typealias Boundary = @Sendable (DiskImage) -> Void

  private struct State: Sendable {
    var image: DiskImage
    /// The open file that holds each file's lock.
    var locks: [Int: Int] = [:]
    var files = 0
    var calls = 0
    /// By thread: feeds read beside commits and maintenance.
    var lastCalls: [UInt: String] = [:]
    var generator: SeededGenerator
    var sites: Set<SyncSite> = []
    var pauses = 0
  }

  private let state: Mutex<State>
  private let settings: Mutex<(rule: Rule?, boundary: Boundary?, onPause: (@Sendable () -> Void)?)>
  /// Syncs that do nothing.
  private let ignored: Set<SyncSite>

  package init(_ image: DiskImage, ignoring: Set<SyncSite> = [], seed: UInt64 = 0) {
    state = Mutex(State(image: image, generator: SeededGenerator(seed: seed)))
    settings = Mutex((nil, nil, nil))
    ignored = ignoring
  }

  package var image: DiskImage { state.withLock { $0.image } }
  package var sites: Set<SyncSite> { state.withLock { $0.sites } }
  package var calls: Int { state.withLock { $0.calls } }

  package var rule: Rule? { settings.withLock { $0.rule } }
  package func set(rule: Rule?) { settings.withLock { $0.rule = rule } }
  package func set(boundary: Boundary?) { settings.withLock { $0.boundary = boundary } }
  /// Called when somebody waits for a lock.
  package func set(onPause: (@Sendable () -> Void)?) { settings.withLock { $0.onPause = onPause } }

  // MARK: One call

  private func fault(_ call: DiskCall) -> DiskFault? {
    state.withLock { state in
      state.calls += 1
      // A sync says for itself what was before it.
      if !call.isSync, call.kind != .lock, call.file != "LOCK" {
        state.lastCalls[UInt(pthread_self())] = call.description
      }
    }
    return settings.withLock { $0.rule }?(call)
  }

  fileprivate func begin(_ call: DiskCall) throws(SystemError) {
    if case .fail(let code)? = fault(call) {
      throw SystemError(code: code, call: call.kind.rawValue)
    }
  }

  fileprivate func with<R: Sendable>(_ work: (inout DiskImage) -> R) -> R {
    state.withLock { work(&$0.image) }
  }

  /// Changes the disk, then lets the boundary see it.
  ///
  /// LOCK is left out: what it says is a message.
  fileprivate func change(_ call: DiskCall, _ work: (inout DiskImage) -> Void) {
    let isMessage = call.file == "LOCK"
    let image = state.withLock { state -> DiskImage? in
      work(&state.image)
      if isMessage { return nil }
      state.lastCalls[UInt(pthread_self())] = call.description
      return state.image
    }
    if let image, let boundary = settings.withLock({ $0.boundary }) { boundary(image) }
  }

  fileprivate func synchronize(_ call: DiskCall, _ work: @Sendable (inout DiskImage) -> Void) {
    let isIgnored = state.withLock { state in
      let last = state.lastCalls[UInt(pthread_self())] ?? "nothing"
      let site = SyncSite(call: call.description, after: last)
      state.sites.insert(site)
      return ignored.contains(site)
    }
    change(call) { isIgnored ? $0.noteIgnored() : work(&$0) }
  }

  fileprivate func writeFault(_ call: DiskCall) -> DiskFault? { fault(call) }

  fileprivate func failSynchronization(_ node: Int, _ call: DiskCall) {
    let image = state.withLock { state in
      var generator = state.generator
      state.image.failSynchronization(node, &generator)
      state.generator = generator
      state.lastCalls[UInt(pthread_self())] = "failed " + call.description
      return state.image
    }
    if let boundary = settings.withLock({ $0.boundary }) { boundary(image) }
  }

  // MARK: FileSystem

  package func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File {
    let kind = DiskCall.fileKind(path)
    try begin(DiskCall(kind: .open, file: kind))
    let found = with { $0.entries[path] }
    var node = found
    switch mode {
    case .createNew where found != nil: throw SystemError(code: EEXIST, call: "open")
    case .read, .update:
      if found == nil { throw SystemError(code: ENOENT, call: "open") }
    case .create, .createNew:
      if found == nil {
        guard with({ $0.entries[DiskImage.directory(of: path)] }) != nil else {
          throw SystemError(code: ENOENT, call: "open")
        }
        change(DiskCall(kind: .open, file: kind)) { node = $0.make(path, isDirectory: false) }
      }
    }
    let number = state.withLock { state in
      state.files += 1
      return state.files
    }
    return SimulatedFile(disk: self, node: node ?? 0, kind: kind, number: number)
  }

  package func makeDirectory(_ path: String) throws(SystemError) {
    let call = DiskCall(kind: .makeDirectory, file: "directory")
    try begin(call)
    let isThere = with { $0.entries[path] != nil }
    if isThere { throw SystemError(code: EEXIST, call: "mkdir") }
    change(call) { _ = $0.make(path, isDirectory: true) }
  }

  package func rename(_ from: String, to: String) throws(SystemError) {
    let call = DiskCall(kind: .rename, file: DiskCall.fileKind(from))
    try begin(call)
    guard let node = with({ $0.entries[from] }) else {
      throw SystemError(code: ENOENT, call: "rename")
    }
    change(call) { $0.rename(from, to: to, node: node) }
  }

  package func remove(_ path: String) throws(SystemError) {
    let call = DiskCall(kind: .remove, file: DiskCall.fileKind(path))
    try begin(call)
    if with({ $0.entries[path] }) == nil { throw SystemError(code: ENOENT, call: "unlink") }
    change(call) { $0.remove(path) }
  }

  package func list(_ path: String) throws(SystemError) -> [String] {
    try begin(DiskCall(kind: .list, file: "directory"))
    return with { $0.names(in: path) }
  }

  package func status(at path: String) throws(SystemError) -> FileStatus? {
    try begin(DiskCall(kind: .status, file: DiskCall.fileKind(path)))
    return with { image in image.entries[path].map { SimulatedDisk.status(of: $0, in: image) } }
  }

  fileprivate static func status(of node: Int, in image: DiskImage) -> FileStatus {
    let found = image.nodes[node]
    return FileStatus(
      identity: FileIdentity(device: 1, node: UInt64(node)), size: Int64(found.bytes.count),
      isDirectory: found.isDirectory, permissions: found.permissions)
  }

  package func synchronizeDirectory(_ path: String) throws(SystemError) {
    let call = DiskCall(kind: .synchronizeDirectory, file: "")
    try begin(call)
    synchronize(call) { $0.synchronizeDirectory(path) }
  }

  package func mountType(at path: String) -> String? { nil }

  package func watch(directory: String, file: String) throws(SystemError) -> any Watch {
    SimulatedWatch()
  }

  package func pause(microseconds: UInt32) {
    if let onPause = settings.withLock({ $0.onPause }) { return onPause() }
    usleep(microseconds)
  }

  // MARK: Locks

  fileprivate func lock(_ node: Int, by file: Int) -> Bool {
    state.withLock { state in
      if let holder = state.locks[node], holder != file { return false }
      state.locks[node] = file
      return true
    }
  }

  fileprivate func unlock(_ node: Int, by file: Int) {
    state.withLock { state in
      if state.locks[node] == file { state.locks[node] = nil }
    }
  }
}

/// An open file of a simulated disk.
private final class SimulatedFile: File {
  private let disk: SimulatedDisk
  private let node: Int
  private let kind: String
  private let number: Int

  init(disk: SimulatedDisk, node: Int, kind: String, number: Int) {
    self.disk = disk
    self.node = node
    self.kind = kind
    self.number = number
  }

  deinit { disk.unlock(node, by: number) }

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try disk.begin(DiskCall(kind: .read, file: kind))
    let node = node
    let bytes = disk.with { $0.nodes[node].bytes }
    let start = min(Int(offset), bytes.count)
    let count = min(buffer.count, bytes.count - start)
    if count == 0 { return 0 }
    bytes.withUnsafeBytes { source in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<(start + count)]))
    }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    let call = DiskCall(kind: .write, file: kind, count: bytes.count)
    var count = bytes.count
    switch disk.writeFault(call) {
    case .fail(let code): throw SystemError(code: code, call: "pwrite")
    case .short(let some): count = min(some, count)
    case nil: break
    }
    let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
    disk.change(call) { $0.write(part, to: node, at: Int(offset)) }
    return count
  }

  func status() throws(SystemError) -> FileStatus {
    try disk.begin(DiskCall(kind: .status, file: kind))
    let node = node
    return disk.with { SimulatedDisk.status(of: node, in: $0) }
  }

  func truncate(to size: Int64) throws(SystemError) {
    let call = DiskCall(kind: .truncate, file: kind)
    try disk.begin(call)
    disk.change(call) { $0.truncate(node, to: Int(size)) }
  }

  func synchronize() throws(SystemError) { try synchronize(.synchronize) }

  func synchronizeData() throws(SystemError) { try synchronize(.synchronizeData) }

  private func synchronize(_ kind: DiskCall.Kind) throws(SystemError) {
    let call = DiskCall(kind: kind, file: self.kind)
    do throws(SystemError) {
      try disk.begin(call)
    } catch {
      disk.failSynchronization(node, call)
      throw error
    }
    let node = node
    disk.synchronize(call) { $0.synchronize(node) }
  }

  func lock(wait: Bool) throws(SystemError) -> Bool {
    try disk.begin(DiskCall(kind: .lock, file: kind))
    while !disk.lock(node, by: number) {
      if !wait { return false }
      usleep(20)
    }
    return true
  }

  func unlock() { disk.unlock(node, by: number) }
}

/// Sees nothing; ends when it is told to.
private final class SimulatedWatch: Watch {
  private let signal = DispatchSemaphore(value: 0)

  func wait(milliseconds: Int32) throws(SystemError) {
    _ = signal.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
  }

  func interrupt() { signal.signal() }
}
