#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension System {
  /// Why a file could not be replaced by `replaceFile`, as far as that can be told beforehand: only a
  /// file may give way, and the folder must take one.
  static func obstacle(toReplacing path: String) -> String? {
    if path.isEmpty { return "the name is empty" }
    if let kind = kindOtherThanFile(path) { return kind }
    if access(folder(of: path), W_OK | X_OK) != 0 { return Failure(number: errno).words }
    return nil
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Replaces a small file so that a crash leaves the old or the new one: temporary file, fsync,
  /// rename, fsync of the folder.
  static func replaceFile(_ path: String, with bytes: [UInt8]) throws(Failure) {
    let temporary = "\(path).\(processID).tmp"
    let descriptor = try openNew(temporary)
    do throws(Failure) {
      try writeFully(bytes, to: descriptor)
      if fsync(descriptor) != 0 { throw Failure(number: errno) }
    } catch {
      closeFile(descriptor)
      unlink(temporary)
      throw error
    }
    closeFile(descriptor)
    guard rename(temporary, path) == 0 else {
      let failure = Failure(number: errno)
      unlink(temporary)
      throw failure
    }
    let folderDescriptor = try open(folder(of: path))
    // Some file systems cannot sync a folder; the rename itself has happened.
    _ = fsync(folderDescriptor)
    closeFile(folderDescriptor)
  }
}
