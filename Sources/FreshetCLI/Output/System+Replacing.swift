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
    try syncFolder(of: path)
  }

  /// Makes durable that a file has its name.
  static func syncFolder(of path: String) throws(Failure) {
    let descriptor = try open(folder(of: path))
    // Some file systems cannot sync a folder; the file is there all the same.
    _ = fsync(descriptor)
    closeFile(descriptor)
  }

  /// Appends bytes and waits until they are on the disk.
  static func writeDurably(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
    try writeFully(bytes, to: descriptor)
    try synchronizeData(descriptor)
  }

  /// Waits until a file's bytes are on the disk.
  static func synchronizeData(_ descriptor: Int32) throws(Failure) {
    if fdatasync(descriptor) != 0 { throw Failure(number: errno) }
  }

  /// Whether a path, there or not, leads into a folder, below it at any depth.
  static func isInside(_ path: String, _ other: String) -> Bool {
    var place = path
    while !exists(place), place != "/", place != "." {
      while place.count > 1, place.hasSuffix("/") { place.removeLast() }
      place = folder(of: place)
    }
    if place == path, isSameFile(place, other) { return false }
    while !isSameFile(place, other) {
      if isSameFile(place, place + "/..") || place.utf8.count > 4000 { return false }
      place += "/.."
    }
    return true
  }

  /// How many bytes an open file has.
  static func size(of descriptor: Int32) throws(Failure) -> Int {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw Failure(number: errno) }
    return Int(status.st_size)
  }
}

extension System.Failure {
  /// Whether there is no room: on the disk, in a quota, or under the limit on a file's size.
  var isForWantOfRoom: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }
}
