/// Opens a store directory: checks it, makes it when there is none, recovers its journal.
struct StoreOpening {
  let path: String
  let options: StoreOptions

  private var fileSystem: any FileSystem { options.fileSystem }

  /// A store that is ready for reading, and for writing unless it is read-only.
  struct Opened {
    var folder: StoreFolder
    var description: StoreDescription
    var head: HeadFile
    var lock: WriteLock?
    var result: Recovery.Result
  }

  func open() throws(StoreError) -> Opened {
    try checkDirectory()
    if options.isReadOnly { return try openReadOnly() }
    Platform.ignoreFileSizeSignal()
    let lock = try openLock()
    let storePath = path + "/" + FileNames.store
    if try status(storePath) == nil {
      try lock.hold { () throws(StoreError) in
        if try status(storePath) == nil { try create() }
      }
    }
    let folder = try folder(writing: true)
    let head = try openHead(storeBits: folder.storeBits)
    if try head.read()?.revision ?? 0 == 0 { try makeNamesDurable() }
    let recovery = Recovery(folder: folder, head: head, options: options)
    let prescan = try recovery.prescan()
    let result = try lock.hold { () throws(StoreError) in
      try LeftOvers(folder: folder).remove()
      return try recovery.run(from: prescan)
    }
    return Opened(
      folder: folder, description: folder.description, head: head, lock: lock, result: result)
  }

  /// The lock and HEAD of a store whose journal need not check.
  func openToRepair() throws(StoreError) -> (lock: WriteLock, head: HeadFile) {
    try checkDirectory()
    let description = try describe(writing: true)
    return (try openLock(), try openHead(storeBits: description.idLowBits))
  }

  private func openReadOnly() throws(StoreError) -> Opened {
    let folder = try folder(writing: false)
    let head: HeadFile
    let headPath = folder.path(of: FileNames.head)
    do throws(SystemError) {
      let file = try fileSystem.open(headPath, .read)
      head = HeadFile(
        path: headPath, file: file, fileSystem: fileSystem, timeout: options.lockTimeout,
        storeBits: folder.storeBits)
    } catch {
      if error.isAbsent {
        throw StoreError(
          .notReadable,
          "\(headPath) is missing, so it cannot be told what is durable; open the store for "
            + "writing once, which makes it again", path: headPath, cause: error)
      }
      throw .system(error, doing: "read", path: headPath, fallback: .notReadable)
    }
    let result = try Recovery(folder: folder, head: head, options: options).readOnly()
    return Opened(
      folder: folder, description: folder.description, head: head, lock: nil, result: result)
  }

  private func folder(writing: Bool) throws(StoreError) -> StoreFolder {
    StoreFolder(
      path: path, fileSystem: fileSystem, isReadOnly: !writing,
      description: try describe(writing: writing))
  }

  // MARK: The directory

  private func checkDirectory() throws(StoreError) {
    var found = try status(path)
    if found == nil {
      guard options.createsIfMissing, !options.isReadOnly else {
        throw StoreError(.notAStore, "there is no store at \(path)", path: path)
      }
      try makeDirectories(path)
      found = try status(path)
    }
    guard let found, found.isDirectory else {
      throw StoreError(
        .notADirectory, "\(path) is a file; a store is a directory, so choose another path",
        path: path)
    }
    if found.permissions & 0o022 != 0 && !options.allowsUnsafePermissions {
      let mode = String(found.permissions, radix: 8)
      throw StoreError(
        .unsafePermissions,
        "others may write to \(path) (mode \(mode)); run `chmod go-w \(StoreOpening.quoted(path))`",
        path: path)
    }
    if !options.allowsNetworkFileSystem, let type = fileSystem.mountType(at: path),
      MountTable.isNetwork(type)
    {
      throw StoreError(
        .networkFileSystem,
        "\(path) is on a network file system (\(type)), where locks between "
          + "machines cannot be relied upon; move the store to a local disk", path: path)
    }
  }

  private func status(_ path: String) throws(StoreError) -> FileStatus? {
    do throws(SystemError) {
      return try fileSystem.status(at: path)
    } catch {
      throw .system(error, doing: "look at", path: path, fallback: .notReadable)
    }
  }

  private func names(in directory: String) throws(StoreError) -> [String] {
    do throws(SystemError) {
      return try fileSystem.list(directory)
    } catch {
      throw .system(error, doing: "list", path: directory, fallback: .notReadable)
    }
  }

  private func makeDirectories(_ path: String) throws(StoreError) {
    let parent = StoreOpening.parent(of: path)
    if parent != path, try status(parent) == nil { try makeDirectories(parent) }
    do throws(SystemError) {
      try fileSystem.makeDirectory(path)
    } catch {
      // Another process may have been quicker.
      if error.isPresentAlready { return }
      throw .system(error, doing: "make the directory", path: path, fallback: .notWritable)
    }
  }

  /// The path as one word of a shell.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      byte & 0xDF &- 0x41 < 26 || byte &- 0x30 < 10 || "/._-+,@".utf8.contains(byte)
    }
    if isPlain, !path.hasPrefix("-") { return path }
    let word =
      "'"
      + path.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: #"'\''"#) + "'"
    return path.hasPrefix("-") ? "-- " + word : word
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func openLock() throws(StoreError) -> WriteLock {
    let lockPath = path + "/" + FileNames.lock
    let isStore = try status(path + "/" + FileNames.store) != nil
    if !isStore { try checkIsNew() }
    do throws(SystemError) {
      let file = try fileSystem.open(lockPath, .create)
      return try WriteLock(
        path: lockPath, file: file, fileSystem: fileSystem, timeout: options.lockTimeout,
        openedAt: options.now())
    } catch {
      throw .opening(lockPath, error, fallback: .notWritable, on: fileSystem)
    }
  }

  /// A directory without STORE may only hold what an unfinished creation leaves.
  private func checkIsNew() throws(StoreError) {
    let names = try names(in: path)
    let first = FileNames.segment(1)
    let leftOvers: Set<String> = [FileNames.lock, FileNames.head, FileNames.newStore, first]
    let foreign = names.filter { !leftOvers.contains($0) }.sorted()
    if let name = foreign.first {
      throw StoreError(
        .notAStore,
        "\(path) is no store: it has no STORE file, but holds \(name)"
          + (foreign.count > 1 ? " and \(foreign.count - 1) more" : "")
          + "; choose an empty directory", path: path)
    }
    if names.contains(first), let size = try status(path + "/" + first)?.size, size > 0 {
      throw StoreError(
        .damaged, "\(path) has a journal but no STORE file; restore STORE from a copy of the store",
        path: path)
    }
    if !options.createsIfMissing {
      throw StoreError(.notAStore, "there is no store at \(path)", path: path)
    }
  }

  // MARK: Its files

  /// Makes the directory's entries durable, and the directory's own.
  ///
  /// Whoever made them may have ended before it came to that. It need not be done again once a
  /// commit is in HEAD: who put it there had opened the store before.
  private func makeNamesDurable() throws(StoreError) {
    var directory = Platform.absolute(path)
    try synchronize(directory)
    var mayBeNew = true
    while mayBeNew, directory != "/" {
      directory = StoreOpening.parent(of: directory)
      do throws(StoreError) {
        try synchronize(directory)
        // A directory on the way that was made for this store has nothing else in it.
        mayBeNew = try names(in: directory).count == 1
      } catch {
        // One that may not be read was not made by a process like this one.
        guard (error.cause as? SystemError)?.isForbidden == true else { throw error }
        return
      }
    }
  }

  private func synchronize(_ directory: String) throws(StoreError) {
    do throws(SystemError) {
      try fileSystem.synchronizeDirectory(directory)
    } catch {
      throw .system(error, doing: "sync", path: directory, fallback: .notWritable)
    }
  }

  /// Makes an empty store.
  ///
  /// The rename of STORE is the moment from which it exists, so all else has its name before.
  private func create() throws(StoreError) {
    let segmentPath = path + "/" + FileNames.segment(1)
    let description = StoreDescription(id: options.makeStoreID(), created: options.now())
    do throws(SystemError) {
      _ = try fileSystem.open(segmentPath, .create)
    } catch {
      throw .system(error, doing: "make", path: segmentPath, fallback: .notWritable)
    }
    let isRelaxed = options.durability != .everyCommit
    _ = try openHead(storeBits: description.idLowBits).reset(
      HeadRecord(segment: 1, revision: 0, isRelaxed: isRelaxed, boot: options.boot()),
      overPoison: true)
    let new = path + "/" + FileNames.newStore
    do throws(SystemError) {
      try fileSystem.synchronizeDirectory(path)
      let file = try fileSystem.open(new, .create)
      try file.truncate(to: 0)
      try file.writeFully(description.encoded, at: 0)
      try file.synchronize()
      try fileSystem.rename(new, to: path + "/" + FileNames.store)
    } catch {
      throw .system(error, doing: "make", path: new, fallback: .notWritable)
    }
  }

  private func openHead(storeBits: UInt64) throws(StoreError) -> HeadFile {
    let headPath = path + "/" + FileNames.head
    do throws(SystemError) {
      let file = try fileSystem.open(headPath, .create)
      return HeadFile(
        path: headPath, file: file, fileSystem: fileSystem, timeout: options.lockTimeout,
        storeBits: storeBits)
    } catch {
      throw .opening(headPath, error, fallback: .notWritable, on: fileSystem)
    }
  }

  private func describe(writing: Bool) throws(StoreError) -> StoreDescription {
    let storePath = path + "/" + FileNames.store
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try fileSystem.open(storePath, .read).bytes(at: 0, count: 65_536)
    } catch {
      if error.isAbsent {
        throw StoreError(.notAStore, "\(path) is no store: it has no STORE file", path: path)
      }
      throw .system(error, doing: "read", path: storePath, fallback: .notReadable)
    }
    do throws(StoreDescription.Fault) {
      return try writing ? StoreDescription(bytes) : StoreDescription.forReading(bytes)
    } catch {
      throw refusal(error, storePath)
    }
  }

  private func refusal(_ fault: StoreDescription.Fault, _ storePath: String) -> StoreError {
    switch fault {
    case .notAStore:
      StoreError(.notAStore, "\(storePath) is no store description", path: storePath)
    case .damaged(let why):
      StoreError(
        .damaged, "\(storePath) is damaged: \(why); restore it from a copy of the store",
        path: storePath)
    case .newer(let format, let canRead):
      StoreError(
        .newerFormat,
        "the store \(path) has format \(format), this version writes format 1"
          + (canRead && !options.isReadOnly ? "; it can still be opened read-only" : "")
          + "; use a newer version of this program", path: storePath)
    }
  }
}
