import CFreshet

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A system call that failed.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The `errno` value.
  package let code: Int32
  /// The call, by its C name.
  package let call: String
  /// What there is in a file's place, where that is the reason: "a pipe".
  package let found: String?

  package init(code: Int32, call: String, found: String? = nil) {
    self.code = code
    self.call = call
    self.found = found
  }

  package var description: String {
    if let found { return "it is \(found), not a file" }
    return "\(call): \(String(cString: strerror(code)))"
  }

  /// True when what is there is a pipe, a socket, a device, a directory or a link.
  package var isNoFile: Bool { found != nil }
  package var isLink: Bool { found != nil && code == ELOOP }

  package var isInterrupted: Bool { code == EINTR }
  package var isAbsent: Bool { code == ENOENT }
  package var isNoDirectory: Bool { code == ENOTDIR }
  package var isPresentAlready: Bool { code == EEXIST }
  package var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
  package var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }
}

/// The only file that calls the C library: every result is checked, every descriptor closes on
/// exec, every mode is explicit.
enum Platform {
  static func openFile(_ path: String, flags: Int32, mode: mode_t) throws(SystemError) -> Int32 {
    while true {
      let descriptor = open(path, flags | O_CLOEXEC, mode)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw SystemError(code: errno, call: "open") }
    }
  }

  /// Opens a file of ours, and nothing else that has taken its name: who opens a pipe waits for its
  /// other end, and a link leads to where the store's rules are not known to hold.
  ///
  /// What is open is looked at, not the path, which may change in between.
  static func openDataFile(
    _ path: String, flags: Int32, mode: mode_t
  ) throws(SystemError) -> Int32 {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try openUnnoted(path, flags: flags | O_NONBLOCK | O_NOFOLLOW, mode: mode)
    } catch {
      // Of a link, a directory and a socket the system itself says no, in words that say little.
      guard [ELOOP, EISDIR, ENXIO].contains(error.code), let found = kindOtherThanFile(at: path)
      else { throw error }
      throw SystemError(code: error.code, call: error.call, found: found)
    }
    var info = stat()
    do throws(SystemError) {
      try check(fstat(descriptor, &info), "fstat")
      if let found = kindOtherThanFile(info) {
        throw SystemError(code: EINVAL, call: "open", found: found)
      }
    } catch {
      closeFile(descriptor)
      throw error
    }
    return descriptor
  }

  private static func kindOtherThanFile(at path: String) -> String? {
    var info = stat()
    return lstat(path, &info) == 0 ? kindOtherThanFile(info) : nil
  }

  /// Nil for a file.
  private static func kindOtherThanFile(_ info: stat) -> String? {
    switch info.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a directory"
    case S_IFLNK: "a link"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  /// Reads of the file do not note when it was last read, where that may be left out.
  private static func openUnnoted(
    _ path: String, flags: Int32, mode: mode_t
  ) throws(SystemError) -> Int32 {
    #if os(Linux)
      // O_NOATIME, of which Swift does not see the name.
      do throws(SystemError) {
        return try openFile(path, flags: flags | 0o1_000_000, mode: mode)
      } catch {
        // Only the owner of a file may leave it out.
        guard error.code == EPERM else { throw error }
      }
    #endif
    return try openFile(path, flags: flags, mode: mode)
  }

  /// Brings fresh memory in at one go that is about to be written whole, rather than page by page.
  ///
  /// Where the system cannot do that, the pages come as they are written.
  static func populate(_ memory: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard let start = memory.baseAddress else { return }
      let page = 4096
      let first = (Int(bitPattern: start) + page - 1) & ~(page - 1)
      let end = (Int(bitPattern: start) + memory.count) & ~(page - 1)
      guard end > first else { return }
      // MADV_POPULATE_WRITE, which older C libraries have no name for.
      _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, 23)
    #endif
  }

  static func closeFile(_ descriptor: Int32) {
    // Not repeated after EINTR: Linux has closed the descriptor by then.
    _ = close(descriptor)
  }

  static func readFile(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    if count < 0 { throw SystemError(code: errno, call: "pread") }
    return count
  }

  static func writeFile(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    if count < 0 { throw SystemError(code: errno, call: "pwrite") }
    return count
  }

  static func check(_ result: Int32, _ call: String) throws(SystemError) {
    if result != 0 { throw SystemError(code: errno, call: call) }
  }

  static func synchronize(_ descriptor: Int32) throws(SystemError) {
    try check(fsync(descriptor), "fsync")
  }

  static func synchronizeData(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
      // fdatasync does not reach the medium there; F_FULLFSYNC does.
      if fcntl(descriptor, F_FULLFSYNC) != -1 { return }
      try check(fsync(descriptor), "fsync")
    #else
      try check(fdatasync(descriptor), "fdatasync")
    #endif
  }

  static func truncate(_ descriptor: Int32, to size: Int64) throws(SystemError) {
    try check(ftruncate(descriptor, off_t(size)), "ftruncate")
  }

  /// False when somebody else holds the lock and `wait` is false.
  static func lock(_ descriptor: Int32, wait: Bool) throws(SystemError) -> Bool {
    while true {
      if flock(descriptor, wait ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 { return true }
      if errno == EINTR { continue }
      if errno == EWOULDBLOCK { return false }
      throw SystemError(code: errno, call: "flock")
    }
  }

  static func unlock(_ descriptor: Int32) {
    // Fails for a bad descriptor only, which would be a bug of ours.
    _ = flock(descriptor, LOCK_UN)
  }

  static func map(_ descriptor: Int32, count: Int) throws(SystemError) -> FileMapping {
    guard let base = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), base != MAP_FAILED
    else { throw SystemError(code: errno, call: "mmap") }
    return FileMapping(UnsafeRawBufferPointer(start: base, count: count)) { bytes in
      // Fails for a bad address only, which would be a bug of ours.
      _ = munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }
  }

  static func freeBytes(at path: String) throws(SystemError) -> Int64 {
    var info = statvfs()
    while statvfs(path, &info) != 0 {
      if errno != EINTR { throw SystemError(code: errno, call: "statvfs") }
    }
    let blocks = UInt64(info.f_bavail)
    let (bytes, isHuge) = blocks.multipliedReportingOverflow(by: UInt64(info.f_frsize))
    return isHuge ? .max : Int64(clamping: bytes)
  }

  static func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    var info = stat()
    try check(fstat(descriptor, &info), "fstat")
    return FileStatus(info)
  }

  static func status(at path: String) throws(SystemError) -> FileStatus? {
    var info = stat()
    if stat(path, &info) == 0 { return FileStatus(info) }
    if errno == ENOENT { return nil }
    throw SystemError(code: errno, call: "stat")
  }

  static func makeDirectory(_ path: String) throws(SystemError) {
    try check(mkdir(path, 0o700), "mkdir")
  }

  static func renameFile(_ from: String, to: String) throws(SystemError) {
    try check(rename(from, to), "rename")
  }

  static func removeFile(_ path: String) throws(SystemError) {
    try check(unlink(path), "unlink")
  }

  static func list(_ path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else { throw SystemError(code: errno, call: "opendir") }
    defer { closedir(directory) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    if errno != 0 { throw SystemError(code: errno, call: "readdir") }
    return names
  }

  static func resolved(_ path: String) throws(SystemError) -> String {
    guard let real = realpath(path, nil) else { throw SystemError(code: errno, call: "realpath") }
    defer { free(real) }
    return String(cString: real)
  }

  /// The path from the root on, without doubled or trailing slashes; links are kept.
  static func absolute(_ path: String) -> String {
    var full = path
    if !path.hasPrefix("/"), let here = getcwd(nil, 0) {
      full = String(cString: here) + "/" + path
      free(here)
    }
    return "/" + full.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  static func pause(microseconds: UInt32) {
    _ = usleep(microseconds)
  }

  /// Offset of the first `byte`, or nil.
  @inline(__always)
  static func firstIndex(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let hit = memchr(base, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(hit) - base
  }

  /// Lets a write beyond the file size limit fail with EFBIG instead of ending the process, unless
  /// the program has its own handler.
  static func ignoreFileSizeSignal() {
    var present = sigaction()
    guard sigaction(SIGXFSZ, nil, &present) == 0 else { return }
    #if canImport(Darwin)
      let handler = present.__sigaction_u.__sa_handler
    #else
      let handler = present.__sigaction_handler.sa_handler
    #endif
    // SIG_DFL is a null pointer.
    if handler == nil { _ = signal(SIGXFSZ, SIG_IGN) }
  }

  static var threadID: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  static var processID: Int32 { getpid() }

  /// The processors that this process may run on; 1 where that cannot be told.
  static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  static var wallClockMicroseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  static func makePipe() throws(SystemError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try check(freshet_wake_pipe(&ends), "pipe2")
    return (ends[0], ends[1])
  }

  static func writeWakeUp(_ descriptor: Int32) {
    var byte: UInt8 = 1
    // A full pipe already holds a wake-up, so the result does not matter.
    _ = write(descriptor, &byte, 1)
  }

  /// Reads and drops whatever a non-blocking descriptor holds.
  static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }

  /// Waits until one of the descriptors can be read; false after the time-out.
  static func waitReadable(_ descriptors: [Int32], milliseconds: Int32) throws(SystemError) -> Bool
  {
    var items = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = poll(&items, nfds_t(items.count), milliseconds)
    if count < 0 && errno != EINTR { throw SystemError(code: errno, call: "poll") }
    return count > 0
  }

  /// A descriptor that becomes readable when the file is written or the directory gets an entry;
  /// nil where the system has no inotify, or no instance left.
  static func makeNotifier(directory: String, file: String, includesWrites: Bool) -> Int32? {
    #if os(Linux)
      let descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
      guard descriptor >= 0 else { return nil }
      var entries = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVE_SELF)
      if includesWrites { entries |= UInt32(IN_MODIFY) }
      guard inotify_add_watch(descriptor, file, UInt32(IN_MODIFY)) >= 0,
        inotify_add_watch(descriptor, directory, entries) >= 0
      else {
        closeFile(descriptor)
        return nil
      }
      return descriptor
    #else
      return nil
    #endif
  }

  /// Differs from boot to boot; 0 where that cannot be told.
  static let bootTag: UInt32 = {
    guard let id = contents(ofSystemFile: "/proc/sys/kernel/random/boot_id"), !id.isEmpty else {
      return 0
    }
    return max(1, Checksum.of(id[...]) & 0x3FFF_FFFF)
  }()

  /// The contents of /proc/self/mountinfo, or nil where there is none.
  static func mountTable() -> String? {
    contents(ofSystemFile: "/proc/self/mountinfo").map { String(decoding: $0, as: UTF8.self) }
  }

  private static func contents(ofSystemFile path: String) -> [UInt8]? {
    guard let descriptor = try? openFile(path, flags: O_RDONLY, mode: 0) else {
      return nil  // No such file on this system: what it would tell is not known.
    }
    defer { closeFile(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    return bytes
  }

  static let readFlags = O_RDONLY
  static let directoryFlags = O_RDONLY | O_DIRECTORY
  static let updateFlags = O_RDWR
  static let createFlags = O_RDWR | O_CREAT
  static let createNewFlags = O_RDWR | O_CREAT | O_EXCL
}

extension FileStatus {
  fileprivate init(_ info: stat) {
    self.init(
      identity: FileIdentity(device: UInt64(info.st_dev), node: UInt64(info.st_ino)),
      size: Int64(info.st_size),
      isDirectory: info.st_mode & S_IFMT == S_IFDIR,
      permissions: UInt32(info.st_mode & 0o777), isFile: info.st_mode & S_IFMT == S_IFREG)
  }
}
