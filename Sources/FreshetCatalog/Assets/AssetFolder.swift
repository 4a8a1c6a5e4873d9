import FreshetStore
import Synchronization

/// The files of pictures: whole ones under their key, unfinished ones as `KEY.part` with a note
/// `KEY.note` about what they are part of.
final class AssetFolder: Sendable {
  let path: String
  private let limitBytes: Int64
  private let disk = LiveFileSystem()
  private struct State {
    var isMade = false
    /// How many bytes there are, as far as it is known; nil before anybody looked.
    var bytes: Int64?
  }
  private let state = Mutex(State())

  init(path: String, limitBytes: Int64) {
    self.path = path
    self.limitBytes = limitBytes
  }

  func file(_ key: String) -> String { path + "/" + key }
  func partFile(_ key: String) -> String { path + "/" + key + ".part" }
  func noteFile(_ key: String) -> String { path + "/" + key + ".note" }

  /// The whole picture of a key, nil when there is none; counts as a use of it.
  func read(_ key: String, limit: Int) throws(CatalogError) -> [UInt8]? {
    let path = file(key)
    do throws(SystemError) {
      guard let status = try disk.status(at: path), !status.isDirectory, status.size > 0,
        status.size <= Int64(limit)
      else { return nil }
      let bytes = try disk.open(path, .read).bytes(at: 0, count: Int(status.size))
      // Cut by hand, or by a disk that failed: as if it were not there.
      guard bytes.count == Int(status.size), PictureType(bytes) != nil else { return nil }
      FileUse.note(path)
      return bytes
    } catch {
      // What is no file is replaced by the one that is fetched.
      if error.isAbsent || error.isNoFile { return nil }
      throw .disk(error, doing: "read", path)
    }
  }

  /// Whether the folder is there.
  var isThere: Bool { ((try? disk.status(at: path)) ?? nil)?.isDirectory ?? false }

  /// Whether the whole picture of a key is there.
  func has(_ key: String) -> Bool {
    // What cannot be looked at is not there for us; loading it tells why.
    ((try? disk.status(at: file(key))) ?? nil).map { $0.size > 0 } ?? false
  }

  // MARK: Growing files

  /// Opens the file a picture grows in, and locks it; nil when another process or task has it.
  func openPart(_ key: String) throws(CatalogError) -> (any File)? {
    try makeFolder()
    let path = partFile(key)
    do throws(SystemError) {
      while true {
        let part = try disk.open(path, .create)
        guard try part.lock(wait: false) else { return nil }
        // The one who had it may have given it its name meanwhile.
        if try disk.status(at: path)?.identity == part.status().identity { return part }
      }
    } catch {
      throw .disk(error, doing: "open", path)
    }
  }

  /// Gives a whole file its name; after this it survives a power cut.
  func finish(_ part: any File, _ key: String) throws(CatalogError) {
    let size: Int64
    do throws(SystemError) {
      try part.synchronize()
      size = try part.status().size
      // First, so that a process killed here leaves no note behind that nobody would remove.
      forgetNote(key)
      try disk.rename(partFile(key), to: file(key))
      try disk.synchronizeDirectory(path)
    } catch {
      throw .disk(error, doing: "finish", file(key))
    }
    evict(adding: size, keeping: key)
  }

  /// Writes a whole picture again, whose file had to make room.
  func restore(_ bytes: [UInt8], _ part: any File, _ key: String) throws(CatalogError) {
    do throws(SystemError) {
      try part.truncate(to: 0)
      try part.writeFully(bytes, at: 0)
    } catch {
      // The picture is in memory still.
      discardPart(key)
      throw .disk(error, doing: "write", partFile(key))
    }
    try finish(part, key)
  }

  func discardPart(_ key: String) {
    // Not there is as good as removed; a file that cannot be removed is cut before it is used.
    try? disk.remove(partFile(key))
    forgetNote(key)
  }

  /// Removes an unfinished file that nothing has come for, while it is locked.
  func discardIfEmpty(_ part: any File, _ key: String) {
    // What cannot be looked at stays; the next attempt tells why.
    guard let status = try? part.status(), status.size == 0,
      let named = (try? disk.status(at: partFile(key))) ?? nil, named.identity == status.identity
    else { return }
    discardPart(key)
  }

  private func makeFolder() throws(CatalogError) {
    if state.withLock({ $0.isMade }) { return }
    do throws(SystemError) {
      try disk.makeDirectory(path)
    } catch {
      if !error.isPresentAlready { throw .disk(error, doing: "make the folder", path) }
    }
    state.withLock { $0.isMade = true }
  }

  // MARK: Notes

  /// What an unfinished file is part of.
  struct Note: Equatable {
    /// A strong ETag, or a date, that the server gave.
    var validator: String
    /// Since which start of the machine it has been growing.
    var bootID: String?
    /// How many bytes the whole has, where the server said so.
    var total: Int?
  }

  /// How much of an unfinished picture is there; nil when nothing is.
  func unfinished(_ key: String) -> (doneBytes: Int, totalBytes: Int?)? {
    // What cannot be looked at is not there for us; fetching it tells why.
    guard let status = (try? disk.status(at: partFile(key))) ?? nil else { return nil }
    return (Int(status.size), note(key)?.total)
  }

  func note(_ key: String) -> Note? {
    // Without a readable note the picture is fetched from its beginning.
    guard let file = try? disk.open(noteFile(key), .read),
      let bytes = try? file.bytes(at: 0, count: 4096),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let validator = object["validator"]?.stringValue
    else { return nil }
    return Note(
      validator: validator, bootID: object["boot"]?.stringValue,
      total: object["total"]?.numberValue?.int64.map(Int.init))
  }

  func write(_ note: Note?, _ key: String) throws(CatalogError) {
    guard let note else { return forgetNote(key) }
    let object: JSONObject = [
      "validator": .string(note.validator), "boot": note.bootID.map(JSONValue.string) ?? .null,
      "total": note.total.map { .number(JSONNumber(Int64($0))) } ?? .null,
    ]
    do throws(SystemError) {
      let file = try disk.open(noteFile(key), .create)
      try file.truncate(to: 0)
      try file.writeFully(JSONValue.object(object).jsonBytes, at: 0)
    } catch {
      throw .disk(error, doing: "write", noteFile(key))
    }
  }

  private func forgetNote(_ key: String) {
    try? disk.remove(noteFile(key))  // Not there is as good as removed.
  }

  // MARK: Eviction

  /// Counts a new file, and removes those whose use is longest ago until the rest fits.
  ///
  /// O(files) when the limit is reached, and the first time; else O(1).
  private func evict(adding size: Int64, keeping key: String) {
    let isOver = state.withLock { state -> Bool in
      guard let bytes = state.bytes else { return true }
      state.bytes = bytes + size
      return bytes + size > limitBytes
    }
    guard isOver, let names = try? disk.list(path) else { return }
    var files: [(path: String, size: Int64, used: Int64)] = []
    for name in names where !name.hasSuffix(".note") {
      let path = file(name)
      // Files that go away meanwhile are not counted.
      guard let status = (try? disk.status(at: path)) ?? nil, let used = FileUse.last(path) else {
        continue
      }
      files.append((path, status.size, used))
    }
    var bytes = files.reduce(0) { $0 + $1.size }
    for entry in files.sorted(by: { $0.used < $1.used }) where bytes > limitBytes {
      if entry.path == file(key) { continue }
      if (try? disk.remove(entry.path)) != nil { bytes -= entry.size }
    }
    state.withLock { $0.bytes = bytes }
  }
}

extension CatalogError {
  static func disk(_ error: SystemError, doing what: String, _ path: String) -> CatalogError {
    CatalogError(
      error.isOutOfSpace ? .diskFull : .ioError, "cannot \(what) \(path): \(error)",
      isRetryable: false)
  }
}
