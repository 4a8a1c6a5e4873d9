/// A snapshot that is open: the items as of one revision, and the mapped index that finds them.
///
/// Immutable: a snapshot has its name only when it is complete and durable.
final class Snapshot: Sendable {
  let source: DataFile
  let header: SnapshotHeader
  let footer: SnapshotFooter
  let table: SnapshotTable

  /// Why a snapshot cannot be used.
  enum Fault: Error {
    /// It is no longer there: a compaction has replaced it.
    case absent
    /// It is not complete, or not of this store.
    case invalid(StoreError)
    case failed(StoreError)
  }

  private init(
    source: DataFile, header: SnapshotHeader, footer: SnapshotFooter, table: SnapshotTable
  ) {
    self.source = source
    self.header = header
    self.footer = footer
    self.table = table
  }

  var revision: Int64 { header.revision }

  /// Opens one: checks that it is complete, and maps its index.
  ///
  /// An index that is missing or damaged is made again from the snapshot, and put in its place
  /// unless the store is read-only.
  static func open(_ revision: Int64, in folder: StoreFolder) throws(Fault) -> Snapshot {
    let source = try openFile(revision, in: folder)
    let (header, footer) = try frame(of: source, revision, in: folder)
    let size = footer.offset + Int64(footer.encoded.count)
    let path = folder.path(of: FileNames.snapshotIndex(revision))
    if let mapping = try map(path, in: folder),
      let table = SnapshotTable(
        mapping, snapshot: revision, fileBytes: size, storeBits: folder.storeBits),
      table.count == Int(footer.items)
    {
      return Snapshot(source: source, header: header, footer: footer, table: table)
    }
    let bytes = try rebuild(source, header, footer, folder)
    if !folder.isReadOnly { SnapshotWriter.replaceIndex(bytes, of: revision, in: folder) }
    guard
      let table = SnapshotTable(
        FileMapping(copying: bytes), snapshot: revision, fileBytes: size,
        storeBits: folder.storeBits)
    else { throw .invalid(damaged(source, at: 0, "its index cannot be made")) }
    return Snapshot(source: source, header: header, footer: footer, table: table)
  }

  /// Reads what a snapshot says of itself, and no items.
  static func frame(
    _ revision: Int64, in folder: StoreFolder
  ) throws(Fault) -> (SnapshotHeader, SnapshotFooter) {
    try frame(of: try openFile(revision, in: folder), revision, in: folder)
  }

  /// True when the index beside a snapshot checks.
  static func hasSoundIndex(_ revision: Int64, in folder: StoreFolder) throws(Fault) -> Bool {
    let (_, footer) = try frame(revision, in: folder)
    guard let mapping = try map(folder.path(of: FileNames.snapshotIndex(revision)), in: folder)
    else { return false }
    return SnapshotTable(
      mapping, snapshot: revision, fileBytes: footer.offset + Int64(footer.encoded.count),
      storeBits: folder.storeBits)?.count == Int(footer.items)
  }

  private static func openFile(_ revision: Int64, in folder: StoreFolder) throws(Fault) -> DataFile
  {
    let path = folder.path(of: FileNames.snapshot(revision))
    do throws(SystemError) {
      return DataFile(
        try folder.fileSystem.open(path, .read), .snapshot(revision), path: path)
    } catch {
      if error.isAbsent { throw .absent }
      if error.isNoFile { throw .invalid(.system(error, doing: "open", path: path)) }
      throw .failed(.opening(path, error, fallback: .notReadable, on: folder.fileSystem))
    }
  }

  private static func map(_ path: String, in folder: StoreFolder) throws(Fault) -> FileMapping? {
    do throws(SystemError) {
      let file = try folder.fileSystem.open(path, .read)
      return try file.map(count: Int(try file.status().size))
    } catch {
      // The snapshot has everything that the index says.
      if error.isAbsent || error.isForbidden || error.isNoFile { return nil }
      throw .failed(.reading(path, at: 0, error))
    }
  }

  private static func frame(
    of source: DataFile, _ revision: Int64, in folder: StoreFolder
  ) throws(Fault) -> (SnapshotHeader, SnapshotFooter) {
    let size: Int64
    let first: [UInt8]
    let last: [UInt8]
    let tail: Int64
    do throws(SystemError) {
      size = try source.file.status().size
      tail = max(0, size - Int64(SnapshotFooter.longest))
      first = try source.file.bytes(at: 0, count: Int(min(size, 65_536)))
      last = try source.file.bytes(at: tail, count: Int(size - tail))
    } catch {
      throw .failed(.reading(source.path, at: 0, error))
    }
    guard let end = first.firstIndex(of: 0x0A), let header = SnapshotHeader(line: first[..<end])
    else { throw .invalid(damaged(source, at: 0, "its first line does not check")) }
    guard header.revision == revision, header.storeID == folder.storeID else {
      throw .invalid(damaged(source, at: 0, "it is of another store or revision"))
    }
    guard last.last == 0x0A, let before = last.dropLast().lastIndex(of: 0x0A),
      let footer = SnapshotFooter(line: last[(before + 1)..<(last.count - 1)]),
      footer.revision == revision, footer.offset == tail + Int64(before) + 1
    else { throw .invalid(damaged(source, at: tail, "its last line does not check")) }
    return (header, footer)
  }

  private static func rebuild(
    _ source: DataFile, _ header: SnapshotHeader, _ footer: SnapshotFooter, _ folder: StoreFolder
  ) throws(Fault) -> [UInt8] {
    var builder = SnapshotTable.Builder(expecting: Int(footer.items))
    var reader = SnapshotReader(source, header, footer)
    do throws(StoreError) {
      while try reader.next({ offset, length, line, item in
        let raw = UnsafeRawBufferPointer(rebasing: line[item.id])
        builder.append(
          SnapshotTable.Entry(
            hash: item.idHasEscapes
              ? folder.hash.of(EscapedID.bytes(raw)) : folder.hash.of(raw),
            revision: item.revision, offset: offset, length: length, isDeleted: item.isDeleted))
      }) {}
    } catch {
      if error.code == .damaged { throw .invalid(error) }
      throw .failed(error)
    }
    return builder.finish(
      snapshot: header.revision, fileBytes: footer.offset + Int64(footer.encoded.count),
      storeBits: folder.storeBits)
  }

  fileprivate static func damaged(_ source: DataFile, at offset: Int64, _ why: String) -> StoreError
  {
    StoreError(
      .damaged,
      "the snapshot \(source.name) is damaged at byte \(offset): \(why); "
        + StoreError.damageAdvice, path: source.path)
  }
}

/// Reads a snapshot's items one after another, and checks that they are all there and in order.
struct SnapshotReader {
  private let source: DataFile
  private let footer: SnapshotFooter
  private var lines: LineReader
  private(set) var count: Int64 = 0
  private(set) var deleted: Int64 = 0
  private var last = Origin(created: 0, index: 0)

  init(_ source: DataFile, _ header: SnapshotHeader, _ footer: SnapshotFooter) {
    self.source = source
    self.footer = footer
    lines = LineReader(
      file: source.file, offset: Int64(header.encoded.count), limit: footer.offset)
  }

  /// Hands out the next item; false after the last.
  mutating func next(
    _ use: (_ offset: Int64, _ length: Int, _ line: UnsafeRawBufferPointer, SnapshotLine) -> Void
  ) throws(StoreError) -> Bool {
    let offset = lines.offset
    let step: LineReader.Step
    do throws(SystemError) {
      step = try lines.next()
    } catch {
      throw .reading(source.path, at: offset, error)
    }
    switch step {
    case .torn:
      throw Snapshot.damaged(source, at: offset, "the line has no end")
    case .end:
      guard count == footer.items, deleted == footer.deleted else {
        throw Snapshot.damaged(
          source, at: offset, "it has \(count) items, and says that it has \(footer.items)")
      }
      return false
    case .line(let range):
      let result = lines.buffer.withUnsafeBytes { bytes -> Result<SnapshotLine, LineFault> in
        let line = UnsafeRawBufferPointer(rebasing: bytes[range])
        return Result { () throws(LineFault) in
          let item = try SnapshotLine(line)
          use(offset, range.count + 1, line, item)
          return item
        }
      }
      let item: SnapshotLine
      do throws(LineFault) {
        item = try result.get()
      } catch {
        throw Snapshot.damaged(source, at: offset, error.description)
      }
      let origin = Origin(created: item.created, index: item.createdIndex)
      guard last < origin else {
        throw Snapshot.damaged(source, at: offset, "the item is not in the order of the list")
      }
      last = origin
      count += 1
      if item.isDeleted { deleted += 1 }
      return true
    }
  }
}

extension Snapshot {
  /// Reads all items, checks that they are there and in order, and returns how many there are.
  @discardableResult
  func checkItems() throws(Fault) -> Int64 {
    var reader = SnapshotReader(source, header, footer)
    do throws(StoreError) {
      while try reader.next({ _, _, _, _ in }) {}
    } catch {
      if error.code == .damaged { throw .invalid(error) }
      throw .failed(error)
    }
    return Int64(reader.count)
  }
}
