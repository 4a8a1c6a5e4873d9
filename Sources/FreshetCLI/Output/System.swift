#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls the command makes, each a thin Swift face.
///
/// This file and `System+Replacing` alone name libc.
enum System {
  /// A failed call.
  struct Failure: Error, Equatable {
    let number: Int32

    var isBrokenPipe: Bool { number == EPIPE }
    var isInterrupted: Bool { number == EINTR }
    var wouldBlock: Bool { number == EAGAIN || number == EWOULDBLOCK }
    var isMissingFile: Bool { number == ENOENT }
    var words: String { String(cString: strerror(number)) }
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// How many cells the terminal of stdout has in a line; nil where it does not say.
  static var terminalWidth: Int? {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// One write(2), as much as it takes.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(Failure) -> Int {
    #if canImport(Darwin)
      let count = Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      let count = Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
    if count < 0 { throw Failure(number: errno) }
    return count
  }

  /// Writes all bytes, in as many calls as it takes; waits for a reader that has no room.
  static func writeFully(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
    var failure: Failure?
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count, failure == nil {
        do throws(Failure) {
          done += try write(UnsafeRawBufferPointer(rebasing: buffer[done...]), to: descriptor)
        } catch {
          if error.isInterrupted { continue }
          guard error.wouldBlock else {
            failure = error
            return
          }
          do throws(Failure) {
            _ = try poll([Interest(descriptor: descriptor, write: true)], timeout: nil)
          } catch {
            if !error.isInterrupted { failure = error }
          }
        }
      }
    }
    if let failure { throw failure }
  }

  /// Appends what one read(2) gives, at most `limit` bytes; 0 at the end of the input.
  static func read(
    from descriptor: Int32, limit: Int, into bytes: inout [UInt8]
  ) throws(Failure) -> Int {
    var failure: Failure?
    let chunk = [UInt8](unsafeUninitializedCapacity: limit) { room, filled in
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, room.baseAddress, limit)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, room.baseAddress, limit)
      #else
        let count = Glibc.read(descriptor, room.baseAddress, limit)
      #endif
      if count < 0 { failure = Failure(number: errno) }
      filled = max(count, 0)
    }
    if let failure { throw failure }
    if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
    return chunk.count
  }

  static func open(_ path: String, forWriting: Bool = false) throws(Failure) -> Int32 {
    try open(path, flags: forWriting ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY)
  }

  /// Opens a file to be read, without waiting for the writer of a pipe.
  ///
  /// What is read is to be waited for by poll(2): until a pipe's first writer is there, a read
  /// would say that it is at its end.
  static func openInput(_ path: String) throws(Failure) -> Int32 {
    try open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
  }

  /// Makes a file; what has its name already, a pipe or a link for all we know, is removed first.
  static func openNew(_ path: String) throws(Failure) -> Int32 {
    unlink(path)  // Mostly there is nothing; what cannot be removed is told by the opening.
    return try open(path, flags: O_WRONLY | O_CREAT | O_EXCL)
  }

  private static func open(_ path: String, flags: Int32) throws(Failure) -> Int32 {
    while true {
      #if canImport(Darwin)
        let descriptor = Darwin.open(path, flags | O_CLOEXEC, 0o600)
      #elseif canImport(Musl)
        let descriptor = Musl.open(path, flags | O_CLOEXEC, 0o600)
      #else
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
      #endif
      if descriptor >= 0 { return descriptor }
      let failure = Failure(number: errno)
      if !failure.isInterrupted { throw failure }
    }
  }

  static func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

  /// Opens a file to append to, and makes it when it is not there.
  static func openLog(_ path: String) throws(Failure) -> Int32 {
    try open(path, flags: O_RDWR | O_CREAT | O_APPEND)
  }

  /// Takes a file for this process alone; false when another one has it.
  static func lock(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Cuts a file's end off.
  static func cut(_ descriptor: Int32, to bytes: Int) throws(Failure) {
    if ftruncate(descriptor, off_t(bytes)) != 0 { throw Failure(number: errno) }
  }

  /// What there is at a path in place of a file: a folder, a pipe, a device; nil for a file, and where
  /// there is nothing.
  static func kindOtherThanFile(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
    return status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is no file"
  }

  /// Whether there is something at a path.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0
  }

  /// Whether a path is a symbolic link, wherever that leads.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether two paths lead to one file.
  static func isSameFile(_ path: String, _ other: String) -> Bool {
    var (left, right) = (stat(), stat())
    return stat(path, &left) == 0 && stat(other, &right) == 0 && left.st_dev == right.st_dev
      && left.st_ino == right.st_ino
  }

  /// Whether a descriptor is open on the file of a path.
  static func isSameFile(_ path: String, _ descriptor: Int32) -> Bool {
    var (left, right) = (stat(), stat())
    return stat(path, &left) == 0 && fstat(descriptor, &right) == 0 && left.st_dev == right.st_dev
      && left.st_ino == right.st_ino
  }

  /// Whether others than its owner may read a file.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o044 != 0
  }

  static func isDirectory(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether a descriptor is a pipe or socket, whose other end can go away.
  static func hasOtherEnd(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  /// Opens /dev/null in place of standard descriptors that are closed, so that no file of ours
  /// becomes one of them.
  ///
  /// A closed input is opened for writing and a closed output for reading, so that whoever uses
  /// them hears of it.
  static func fillStandardDescriptors() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      let mode = descriptor == 0 ? O_WRONLY : O_RDONLY
      #if canImport(Darwin)
        _ = Darwin.open("/dev/null", mode)
      #elseif canImport(Musl)
        _ = Musl.open("/dev/null", mode)
      #else
        _ = Glibc.open("/dev/null", mode)
      #endif
    }
  }

  /// Whether a standard descriptor was closed or given to /dev/null.
  static func isClosedOrDevNull(_ descriptor: Int32) -> Bool {
    var mine = stat()
    var nowhere = stat()
    guard fstat(descriptor, &mine) == 0, stat("/dev/null", &nowhere) == 0 else { return true }
    return mine.st_mode & S_IFMT == S_IFCHR && mine.st_rdev == nowhere.st_rdev
  }

  /// How many bytes an ordinary user can still write on a path's file system; nil when the path
  /// is not there.
  static func freeBytes(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int64(status.f_bavail) * Int64(status.f_frsize)
  }

  /// Whether a descriptor is open for reading.
  static func isReadable(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags != -1 && flags & O_ACCMODE != O_WRONLY
  }

  /// Whether there is nothing at a path, or a folder with nothing in it.
  static func isMissingOrEmptyFolder(_ path: String) -> Bool {
    guard let folder = opendir(path) else { return errno == ENOENT }
    defer { closedir(folder) }
    // `.` and `..`, and a third only when it is not empty.
    for _ in 0..<3 where readdir(folder) == nil { return true }
    return false
  }

  /// A pipe whose ends neither block nor reach child processes.
  static func makePipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(number: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }

  /// What poll(2) said of one descriptor.
  struct Readiness {
    var isReadable = false
    var isWritable = false
    var isBroken = false
  }

  /// What to ask poll(2) of one descriptor; errors are always told.
  struct Interest {
    let descriptor: Int32
    var read = false
    var write = false
  }

  /// Waits until one descriptor is ready or the time is over (nil: for ever).
  ///
  /// An interrupted wait comes back with nothing ready.
  static func poll(_ interests: [Interest], timeout: Duration?) throws(Failure) -> [Readiness] {
    var entries = interests.map {
      pollfd(
        fd: $0.descriptor,
        events: Int16(($0.read ? POLLIN : 0) | ($0.write ? POLLOUT : 0)), revents: 0)
    }
    #if canImport(Darwin)
      let count = Darwin.poll(&entries, nfds_t(entries.count), milliseconds(timeout))
    #elseif canImport(Musl)
      let count = Musl.poll(&entries, nfds_t(entries.count), milliseconds(timeout))
    #else
      let count = Glibc.poll(&entries, nfds_t(entries.count), milliseconds(timeout))
    #endif
    if count < 0 {
      let failure = Failure(number: errno)
      if !failure.isInterrupted { throw failure }
      return interests.map { _ in Readiness() }
    }
    return entries.map { entry in
      let events = Int32(entry.revents)
      return Readiness(
        isReadable: events & Int32(POLLIN | POLLHUP | POLLERR) != 0,
        isWritable: events & Int32(POLLOUT) != 0, isBroken: events & Int32(POLLERR | POLLNVAL) != 0)
    }
  }

  /// Whole milliseconds, rounded up so that a wait never ends just before its time.
  private static func milliseconds(_ duration: Duration?) -> Int32 {
    guard let duration else { return -1 }
    let (seconds, attoseconds) = duration.components
    if seconds >= 2_000_000 { return 2_000_000_000 }
    return Int32(
      max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }

  /// Sends one datagram to a local socket; whether anybody took it is not told.
  ///
  /// - Parameter address: A path, or `@` and a name in the abstract name space.
  static func sendDatagram(_ bytes: [UInt8], to address: String) {
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    var name = Array(address.utf8)
    guard name.count < MemoryLayout.size(ofValue: target.sun_path) else { return }
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
    #if canImport(Glibc)
      let kind = Int32(SOCK_DGRAM.rawValue)
    #else
      let kind = Int32(SOCK_DGRAM)
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return }
    defer { closeFile(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // The end of an abstract name is told by its length, of a path by a zero byte.
    let length =
      MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
    _ = withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(
          descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), address, socklen_t(length))
      }
    }
  }

  static func exponential(_ power: Double) -> Double { exp(power) }

  /// The machine in a few words: processor, how many, system.
  static var machine: String {
    var system = utsname()
    uname(&system)
    let kernel = withUnsafeBytes(of: &system.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    var text = ""
    // Where there is no such file the processor's name is left out.
    if let bytes = try? contents(of: "/proc/cpuinfo", limit: 8192) {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      if let line = lines.first(where: { $0.hasPrefix("model name") }),
        let colon = line.firstIndex(of: ":")
      {
        text = line[line.index(after: colon)...].drop(while: \.isWhitespace) + ", "
      }
    }
    return text + "\(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores, kernel \(kernel)"
  }

  /// How much memory the process has, in KiB; nil where that cannot be told.
  static var residentKibibytes: Int64? {
    guard let bytes = try? contents(of: "/proc/self/statm", limit: 256) else { return nil }
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int64(fields[1]) else { return nil }
    return pages * Int64(sysconf(Int32(_SC_PAGESIZE))) / 1024
  }

  /// Now, in microseconds since 1970.
  static var wallMicroseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }

  static var processID: Int32 { getpid() }

  static func endProcess(_ code: Int32) -> Never { exit(code) }

  /// A whole file, nil when there is none.
  static func contents(of path: String, limit: Int) throws(Failure) -> [UInt8]? {
    let descriptor: Int32
    do {
      descriptor = try open(path)
    } catch  where error.isMissingFile {
      return nil
    }
    defer { closeFile(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count < limit {
      do {
        if try read(from: descriptor, limit: min(65_536, limit - bytes.count), into: &bytes) == 0 {
          break
        }
      } catch  where error.isInterrupted {
        continue
      }
    }
    return bytes
  }
}
