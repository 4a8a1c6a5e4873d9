import Synchronization

/// A store's directory: its names, and its segments' open files.
final class StoreFolder: Sendable {
  let path: String
  let fileSystem: any FileSystem
  let isReadOnly: Bool
  let description: StoreDescription
  let hash: ItemHash
  /// Guards the table only; files are opened outside.
  ///
  /// Many readers share one open file.
  private let open = Mutex<[Int64: DataFile]>([:])

  init(
    path: String, fileSystem: any FileSystem, isReadOnly: Bool,
    description: StoreDescription = .unknown
  ) {
    self.path = path
    self.fileSystem = fileSystem
    self.isReadOnly = isReadOnly
    self.description = description
    hash = ItemHash(storeID: description.id)
  }

  var storeID: String { description.id }

  /// What HEAD and snapshot indexes repeat of the id.
  var storeBits: UInt64 { description.idLowBits }

  func path(of name: String) -> String { path + "/" + name }

  func path(ofSegment segment: Int64) -> String { path(of: FileNames.segment(segment)) }

  /// The segments and snapshots that have a name at one moment.
  struct Listing: Sendable {
    /// By first revision, oldest first.
    var segments: [Int64] = []
    /// By revision, oldest first.
    var snapshots: [Int64] = []
    var names: [String] = []

    /// The oldest revision whose state is kept: everything after it can be followed.
    ///
    /// 0 with the first segment; otherwise that of the oldest snapshot that has its journal.
    var oldestBase: Int64? {
      if segments.first == 1 { return 0 }
      return snapshots.first { segments.contains($0 + 1) }
    }

    /// The base for a state as of a revision: the newest that is not after it, and not unfit.
    func base(for revision: Int64, without unfit: Set<Int64> = []) -> Int64? {
      guard let oldest = oldestBase, oldest <= revision else { return nil }
      let newest = snapshots.last {
        $0 <= revision && $0 >= oldest && segments.contains($0 + 1) && !unfit.contains($0)
      }
      return newest ?? (unfit.contains(oldest) ? nil : oldest)
    }
  }

  func listing() throws(StoreError) -> Listing {
    let names: [String]
    do throws(SystemError) {
      names = try fileSystem.list(path)
    } catch {
      throw .system(error, doing: "list", path: path, fallback: .notReadable)
    }
    return Listing(
      segments: names.compactMap(FileNames.firstRevision).sorted(),
      snapshots: names.compactMap(FileNames.snapshotRevision).sorted(), names: names)
  }

  /// The segments that are there, oldest first.
  func segments() throws(StoreError) -> [Int64] { try listing().segments }

  func size(ofSegment segment: Int64) throws(StoreError) -> Int64 { try self.segment(segment).size }

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

  func segment(_ segment: Int64) throws(StoreError) -> DataFile {
    if let file = open.withLock({ $0[segment] }) { return file }
    let path = path(ofSegment: segment)
    do throws(SystemError) {
      let file = try fileSystem.open(path, isReadOnly ? .read : .update)
      return remember(DataFile(file, .segment(segment), path: path), segment)
    } catch {
      if error.isAbsent {
        throw StoreError(
          .damaged,
          "the segment \(path) is missing; " + StoreError.damageAdvice, path: path, cause: error)
      }
      throw .opening(path, error, fallback: .notReadable, on: fileSystem)
    }
  }

  /// The same; nil when its name leads to nothing, or to what is no file.
  func segmentIfThere(_ segment: Int64) throws(StoreError) -> DataFile? {
    do throws(StoreError) {
      return try self.segment(segment)
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  private func remember(_ file: DataFile, _ segment: Int64) -> DataFile {
    open.withLock { open in
      if let first = open[segment] { return first }
      open[segment] = file
      return file
    }
  }

  /// Lets go of the segments before a revision: they close with their last reader.
  func forgetSegments(before revision: Int64) {
    let old = open.withLock { open -> [DataFile] in
      let old = open.filter { $0.key < revision }
      for segment in old.keys { open[segment] = nil }
      return Array(old.values)
    }
    withExtendedLifetime(old) {}
  }

  /// The size of the segment that a name leads to.
  ///
  /// Throws when an open segment is no longer what its name leads to: what is appended to a file
  /// that has lost its name is gone with the last process that has it open, however well it was
  /// synced.
  func checkedSize(of segment: DataFile) throws(StoreError) -> Int64 {
    let path = segment.path
    do throws(SystemError) {
      let known = try segment.identity
      if let found = try fileSystem.status(at: path), found.identity == known { return found.size }
    } catch {
      throw .system(error, doing: "look at", path: path, fallback: .notReadable)
    }
    throw StoreError(
      .damaged,
      "the segment \(path) was removed or replaced while the store was open, so nothing is "
        + "written; put it back, or close the store and restore it from a copy", path: path)
  }

  /// Makes the next segment and makes its name durable.
  ///
  /// An empty one may be there already, when whoever made it died before it was used.
  func makeSegment(_ segment: Int64) throws(SystemError) {
    let file = try fileSystem.open(path(ofSegment: segment), .create)
    try fileSystem.synchronizeDirectory(path)
    open.withLock {
      $0[segment] = DataFile(file, .segment(segment), path: path(ofSegment: segment))
    }
  }

  func compacted(after revision: Int64, _ listing: Listing) -> StoreError {
    let oldest = listing.oldestBase ?? 0
    var epoch: Int64 = 1
    if oldest > 0 {
      do throws(Snapshot.Fault) {
        epoch = try Snapshot.frame(oldest, in: self).0.epoch
      } catch {
        // Gone or damaged: whoever begins there is told. The message is what matters here.
        epoch = 1
      }
    }
    return StoreError(
      .compacted,
      "the changes after revision \(revision) are no longer kept, the oldest is of revision "
        + "\(oldest + 1); read the current state and follow from there", path: path,
      oldest: Token(storeID: storeID, epoch: Int(epoch), revision: oldest))
  }
}
