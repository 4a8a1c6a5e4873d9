/// The LOCK file: whoever holds its lock may append, and nobody else.
///
/// The file is never removed or replaced: a lock on a file that has lost its name protects nothing.
/// Its text names the last owner: a message for people, and for an owner that finds its own text
/// the proof that nobody else has held the lock since.
final class WriteLock: Sendable {
  private let path: String
  private let file: any File
  private let fileSystem: any FileSystem
  private let timeout: Duration
  private let owner: [UInt8]
  private let identity: FileIdentity

  init(
    path: String, file: any File, fileSystem: any FileSystem, timeout: Duration, openedAt: Int64
  ) throws(SystemError) {
    self.path = path
    self.file = file
    self.fileSystem = fileSystem
    self.timeout = timeout
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "unknown"
    let safe = program.unicodeScalars.filter { $0.isASCII && $0 != "\"" && $0 != "\\" && $0 >= " " }
    let text =
      #"{"pid":\#(Platform.processID),"program":"\#(String(String.UnicodeScalarView(safe)))","#
      + #""opened":\#(openedAt),"holder":"\#(WriteLock.nonce())"}"#
    identity = try file.status().identity
    owner = Array((text + "\n").utf8)
  }

  /// Tells two open stores apart, also in one process.
  private static func nonce() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Runs `work` with the right to append.
  func hold<R>(_ work: () throws(StoreError) -> R) throws(StoreError) -> R {
    _ = try acquire()
    defer { release() }
    return try work()
  }

  /// What was found when the lock was taken.
  enum Holding: Sendable {
    /// Nobody else has held it since this owner let go of it.
    case again
    /// Somebody else may have appended.
    case afterOthers
  }

  /// Takes the lock unless another has it, or anything is wrong, which `acquire` would report.
  func acquireIfFree() -> Holding? {
    do throws(SystemError) {
      guard try file.lock(wait: false) else { return nil }
      if try isInPlace() { return try writeOwner() }
    } catch {
      // `acquire` runs into the same and says so.
      release()
      return nil
    }
    release()
    return nil
  }

  /// Takes the lock, for a holder that lets go before its work ends; `release` ends it.
  func acquire() throws(StoreError) -> Holding {
    var isOwned = false
    do throws(SystemError) {
      isOwned = try PollingLock.acquire(file, fileSystem, timeout)
      if isOwned, try isInPlace() { return try writeOwner() }
    } catch {
      if isOwned { release() }
      throw .system(error, doing: "lock", path: path)
    }
    if !isOwned { throw lockedError() }
    release()
    throw StoreError(
      .ioError,
      "the lock file \(path) was removed or replaced while the store was open; "
        + "close the store and open it again", path: path)
  }

  private func isInPlace() throws(SystemError) -> Bool {
    try fileSystem.status(at: path)?.identity == identity
  }

  func release() { file.unlock() }

  private func writeOwner() throws(SystemError) -> Holding {
    let owner = owner
    let isMine = withUnsafeTemporaryAllocation(byteCount: owner.count + 1, alignment: 1) { buffer in
      Result { () throws(SystemError) in
        // One call: a text that is cut short by it is taken for somebody else's.
        let count = try file.readOnce(buffer, at: 0)
        return buffer[..<count].elementsEqual(owner)
      }
    }
    if try isMine.get() { return .again }
    try file.writeFully(owner, at: 0)
    try file.truncate(to: Int64(owner.count))
    return .afterOthers
  }

  private func lockedError() -> StoreError {
    var text = "an unknown process"
    if let bytes = try? file.bytes(at: 0, count: 256), !bytes.isEmpty {
      // Only words for the message; without them it stays "an unknown process".
      text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }
    return StoreError(
      .locked,
      "another process has held the lock \(path) for \(timeout): \(text); wait for it, or "
        + "end it", path: path)
  }
}

/// A file's lock with a time-out.
enum PollingLock {
  /// False when the time is over.
  static func acquire(
    _ file: any File, _ fileSystem: any FileSystem, _ timeout: Duration
  ) throws(SystemError) -> Bool {
    try wait(fileSystem, timeout) { () throws(SystemError) in try file.lock(wait: false) }
  }

  /// Tries until it succeeds; false when the time is over.
  static func wait<E: Error>(
    _ fileSystem: any FileSystem, _ timeout: Duration, until hasSucceeded: () throws(E) -> Bool
  ) throws(E) -> Bool {
    if try hasSucceeded() { return true }
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    var pause: UInt32 = 20
    while !(try hasSucceeded()) {
      if clock.now >= deadline { return false }
      fileSystem.pause(microseconds: pause)
      pause = min(pause * 2, 2_000)
    }
    return true
  }
}
