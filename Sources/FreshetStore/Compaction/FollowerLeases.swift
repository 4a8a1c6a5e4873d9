/// The leases in `followers/`: promises to keep the changes after a token for somebody, for a while.
///
/// One small file per name, replaced as a whole. One that does not check promises nothing.
struct FollowerLeases {
  let folder: StoreFolder
  let now: Int64

  private var directory: String { folder.path(of: FileNames.followers) }

  /// The leases that have not expired, by name.
  func active() throws(StoreError) -> [FollowerLease] {
    let names: [String]
    do throws(SystemError) {
      names = try folder.fileSystem.list(directory).sorted()
    } catch {
      if error.isAbsent { return [] }
      throw .system(error, doing: "list", path: directory, fallback: .notReadable)
    }
    var leases: [FollowerLease] = []
    for name in names where FollowerLeases.isName(name) {
      if let lease = try read(name), lease.expires > now { leases.append(lease) }
    }
    return leases
  }

  private func read(_ name: String) throws(StoreError) -> FollowerLease? {
    let path = directory + "/" + name
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try folder.fileSystem.open(path, .read).bytes(at: 0, count: 4096)
    } catch {
      if error.isAbsent || error.isNoFile { return nil }
      throw .system(error, doing: "read", path: path, fallback: .notReadable)
    }
    let line = bytes.dropLast()
    guard bytes.last == 0x0A, Frame.fault(in: line) == nil, let object = FrameObject(line),
      object.text("follower") == name, object.text("store") == folder.storeID,
      let epoch = object.number("e"), let revision = object.number("r"),
      let expires = object.number("until")
    else { return nil }
    return FollowerLease(
      name: name, token: Token(storeID: folder.storeID, epoch: Int(epoch), revision: revision),
      expires: expires)
  }

  /// Writes or replaces a lease.
  ///
  /// Under LOCK, so that it is seen by whoever removes files next.
  func write(_ lease: FollowerLease) throws(StoreError) {
    var bytes: [UInt8] = []
    Frame.open(&bytes)
    let rest =
      #","follower":"\#(lease.name)","store":"\#(lease.token.storeID)","e":\#(lease.token.epoch),"#
      + #""r":\#(lease.token.revision),"t":\#(now),"until":\#(lease.expires)}"#
    bytes.append(contentsOf: rest.utf8)
    Frame.close(&bytes, from: 0)
    let path = directory + "/" + lease.name
    let fileSystem = folder.fileSystem
    do throws(SystemError) {
      do throws(SystemError) {
        try fileSystem.makeDirectory(directory)
        try fileSystem.synchronizeDirectory(folder.path)
      } catch  where error.isPresentAlready {
      }
      let draft = path + FileNames.unfinished
      let file = try fileSystem.open(draft, .create)
      try file.truncate(to: 0)
      try file.writeFully(bytes, at: 0)
      try file.synchronize()
      try fileSystem.rename(draft, to: path)
      try fileSystem.synchronizeDirectory(directory)
    } catch {
      throw .system(error, doing: "write", path: path, fallback: .notWritable)
    }
  }

  /// Ends a lease; false when there is none.
  func remove(_ name: String) throws(StoreError) -> Bool {
    let path = directory + "/" + name
    do throws(SystemError) {
      try folder.fileSystem.remove(path)
      try folder.fileSystem.synchronizeDirectory(directory)
      return true
    } catch {
      if error.isAbsent { return false }
      throw .system(error, doing: "remove", path: path, fallback: .notWritable)
    }
  }

  /// 1 to 64 letters, digits, `-` and `_`: good as a file's name, and in JSON.
  static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        byte & 0xDF &- 0x41 < 26 || byte &- 0x30 < 10 || byte == 0x2D || byte == 0x5F
      }
  }
}
