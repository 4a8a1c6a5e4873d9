import Synchronization

/// A store's directory: its names, and its segments' open files.
final class StoreFolder: Sendable {
  let path: String
  let fileSystem: any FileSystem
  private let isReadOnly: Bool
  /// Guards the table only; files are opened outside.
  ///
  /// Many readers share one open file.
  private let open = Mutex<[Int64: OpenSegment]>([:])

  private struct OpenSegment: Sendable {
    var file: any File
    var path: String
    /// What its name has to lead to.
    var identity: FileIdentity?
  }

  init(path: String, fileSystem: any FileSystem, isReadOnly: Bool) {
    self.path = path
    self.fileSystem = fileSystem
    self.isReadOnly = isReadOnly
  }

  func path(of name: String) -> String { path + "/" + name }

  func path(ofSegment segment: Int64) -> String { path(of: FileNames.segment(segment)) }

  /// The segments that are there, oldest first.
  func segments() throws(StoreError) -> [Int64] {
    do throws(SystemError) {
      return try fileSystem.list(path).compactMap(FileNames.firstRevision).sorted()
    } catch {
      throw .system(error, doing: "list", path: path, fallback: .notReadable)
    }
  }

  func hasSegment(_ segment: Int64) throws(StoreError) -> Bool {
    if open.withLock({ $0[segment] != nil }) { return true }
    return try status(of: FileNames.segment(segment)) != nil
  }

  func status(of name: String) throws(StoreError) -> FileStatus? {
    do throws(SystemError) {
      return try fileSystem.status(at: path(of: name))
    } catch {
      throw .system(error, doing: "look at", path: path(of: name), fallback: .notReadable)
    }
  }

  func segment(_ segment: Int64) throws(StoreError) -> any File {
    if let file = open.withLock({ $0[segment]?.file }) { return file }
    let path = path(ofSegment: segment)
    do throws(SystemError) {
      let file = try fileSystem.open(path, isReadOnly ? .read : .update)
      return open.withLock { open in
        if let first = open[segment] { return first.file }
        open[segment] = OpenSegment(file: file, path: path)
        return file
      }
    } catch {
      if error.isAbsent {
        throw StoreError(
          .damaged,
          "the segment \(path) is missing; " + StoreError.damageAdvice, path: path, cause: error)
      }
      throw .opening(path, error, fallback: .notReadable, on: fileSystem)
    }
  }

  func size(ofSegment segment: Int64) throws(StoreError) -> Int64 {
    let file = try self.segment(segment)
    do throws(SystemError) {
      return try file.status().size
    } catch {
      throw .system(error, doing: "look at", path: path(ofSegment: segment))
    }
  }

  /// The size of the segment that a name leads to.
  ///
  /// Throws when an open segment is no longer what its name leads to: what is appended to a file
  /// that has lost its name is gone with the last process that has it open, however well it was
  /// synced.
  func checkedSize(ofSegment segment: Int64) throws(StoreError) -> Int64 {
    let file = try self.segment(segment)
    guard var known = open.withLock({ $0[segment] }) else { return try size(ofSegment: segment) }
    let found: FileStatus?
    do throws(SystemError) {
      if known.identity == nil {
        known.identity = try file.status().identity
        open.withLock { $0[segment]?.identity = known.identity }
      }
      found = try fileSystem.status(at: known.path)
    } catch {
      throw .system(error, doing: "look at", path: known.path, fallback: .notReadable)
    }
    if let found, found.identity == known.identity { return found.size }
    throw StoreError(
      .damaged,
      "the segment \(known.path) was removed or replaced while the store was open, so nothing is "
        + "written; put it back, or close the store and restore it from a copy", path: known.path)
  }

  /// Makes the next segment and makes its name durable.
  ///
  /// An empty one may be there already, when whoever made it died before it was used.
  func makeSegment(_ segment: Int64) throws(SystemError) {
    let file = try fileSystem.open(path(ofSegment: segment), .create)
    try fileSystem.synchronizeDirectory(path)
    let path = path(ofSegment: segment)
    open.withLock { $0[segment] = OpenSegment(file: file, path: path) }
  }

  /// Reads a line that the index points to, and checks it.
  func content(at location: Location) throws(StoreError) -> LineContent {
    let file = try segment(location.place.segment)
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try file.bytes(at: location.place.offset, count: location.length)
    } catch {
      throw .reading(path(ofSegment: location.place.segment), at: location.place.offset, error)
    }
    return try StoreFolder.content(of: bytes[...], at: location, in: self)
  }

  static func content(
    of bytes: ArraySlice<UInt8>, at location: Location, in folder: StoreFolder
  ) throws(StoreError) -> LineContent {
    let result = bytes.withUnsafeBytes { raw -> Result<LineContent, LineFault> in
      guard raw.count == location.length, raw.last == 0x0A else { return .failure(.short) }
      let text = UnsafeRawBufferPointer(rebasing: raw.dropLast())
      return Result { () throws(LineFault) in
        let line = try RecordLine(text)
        return LineContent(id: line.idBytes(in: text), body: [UInt8](text[line.body]))
      }
    }
    do throws(LineFault) {
      return try result.get()
    } catch {
      let name = FileNames.segment(location.place.segment)
      throw StoreError(
        .damaged,
        "the record at byte \(location.place.offset) of \(name) is damaged: \(error); "
          + StoreError.damageAdvice, path: folder.path(of: name), cause: error)
    }
  }
}
