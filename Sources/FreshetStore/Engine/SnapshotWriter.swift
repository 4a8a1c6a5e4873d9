/// Writes a snapshot and its index beside the store's files, and gives them their names when they
/// are complete and durable.
struct SnapshotWriter {
  private static let chunkBytes = 1 << 20

  let folder: StoreFolder
  let header: SnapshotHeader
  private let file: any File
  private var bytes: [UInt8] = []
  private var written: Int64 = 0
  private var table: SnapshotTable.Builder
  private(set) var count: Int64 = 0
  private(set) var deleted: Int64 = 0

  private var name: String { FileNames.snapshot(header.revision) }
  private var indexName: String { FileNames.snapshotIndex(header.revision) }

  /// Begins a file that nobody takes for a snapshot yet.
  init(_ header: SnapshotHeader, expecting items: Int, in folder: StoreFolder) throws(StoreError) {
    self.folder = folder
    self.header = header
    table = SnapshotTable.Builder(expecting: items)
    let path = folder.path(of: FileNames.snapshot(header.revision) + FileNames.unfinished)
    do throws(SystemError) {
      file = try folder.fileSystem.open(path, .create)
      try file.truncate(to: 0)
    } catch {
      throw .system(error, doing: "make", path: path, fallback: .notWritable)
    }
    bytes.reserveCapacity(SnapshotWriter.chunkBytes + Limits.lineBytes)
    bytes += header.encoded
  }

  /// Adds the next item of the list.
  mutating func append(
    _ record: StoredRecord, revision: Int64, origin: Origin, isDeleted: Bool, hash: UInt64
  ) {
    let offset = written + Int64(bytes.count)
    let length = SnapshotLine.append(
      to: &bytes, revision: revision, created: origin.created, createdIndex: origin.index,
      isDeleted: isDeleted, escapedID: record.rawID, body: record.rawBody)
    table.append(
      SnapshotTable.Entry(
        hash: hash, revision: revision, offset: offset, length: length, isDeleted: isDeleted))
    count += 1
    if isDeleted { deleted += 1 }
  }

  /// Writes out what has gathered, when it is worth a call.
  mutating func flush(atLeast limit: Int = SnapshotWriter.chunkBytes) throws(StoreError) {
    guard bytes.count >= limit, !bytes.isEmpty else { return }
    do throws(SystemError) {
      try file.writeFully(bytes, at: written)
    } catch {
      throw .system(error, doing: "write", path: folder.path(of: name + FileNames.unfinished))
    }
    written += Int64(bytes.count)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Ends the files, makes them durable, and gives them their names: the index first, so that a
  /// snapshot that is there has its index.
  mutating func finish() throws(StoreError) {
    let footer = SnapshotFooter(
      revision: header.revision, items: count, deleted: deleted,
      offset: written + Int64(bytes.count))
    bytes += footer.encoded
    try flush(atLeast: 0)
    let index = table.finish(
      snapshot: header.revision, fileBytes: written, storeBits: folder.storeBits)
    let fileSystem = folder.fileSystem
    let path = folder.path(of: name)
    let indexPath = folder.path(of: indexName)
    do throws(SystemError) {
      try file.synchronize()
      let indexFile = try fileSystem.open(indexPath + FileNames.unfinished, .create)
      try indexFile.truncate(to: 0)
      try indexFile.writeFully(index, at: 0)
      try indexFile.synchronize()
      try fileSystem.rename(indexPath + FileNames.unfinished, to: indexPath)
      try fileSystem.rename(path + FileNames.unfinished, to: path)
      try fileSystem.synchronizeDirectory(folder.path)
    } catch {
      throw .system(error, doing: "write", path: path)
    }
  }

  /// Takes back what has been written.
  func discard() {
    for name in [name, indexName] {
      // What cannot be removed is removed by the next opening.
      try? folder.fileSystem.remove(folder.path(of: name + FileNames.unfinished))
    }
  }

  /// Puts an index that was made again in the place of one that is missing or damaged.
  ///
  /// Nobody depends on it, so nothing is reported when it does not succeed.
  static func replaceIndex(_ bytes: [UInt8], of revision: Int64, in folder: StoreFolder) {
    let path = folder.path(of: FileNames.snapshotIndex(revision))
    // A name of its own: another process may be doing the same.
    let draft = path + ".\(Platform.processID)" + FileNames.unfinished
    do throws(SystemError) {
      let file = try folder.fileSystem.open(draft, .create)
      try file.truncate(to: 0)
      try file.writeFully(bytes, at: 0)
      try file.synchronize()
      try folder.fileSystem.rename(draft, to: path)
    } catch {
      // Left-over drafts go with the next opening.
      return
    }
  }
}
