#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// When a file was last used, kept in its modification time, so that all processes know.
enum FileUse {
  /// Notes that a file is used at this moment; false when there is none.
  @discardableResult
  static func note(_ path: String) -> Bool {
    // Another user's file keeps its time; nothing depends on it.
    utimensat(AT_FDCWD, path, nil, 0) == 0 || errno != ENOENT
  }

  /// When it was last used, in nanoseconds since 1970; nil when there is no such file.
  static func last(_ path: String) -> Int64? {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    #if canImport(Darwin)
      let time = info.st_mtimespec
    #else
      let time = info.st_mtim
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Names the time since the machine was started: after a power cut, bytes that were not synced may
  /// be gone although the file has its length.
  static func bootID() -> String? {
    guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return nil }
    defer { fclose(file) }
    var line = [UInt8](repeating: 0, count: 64)
    let count = fread(&line, 1, line.count, file)
    return String(decoding: line[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
