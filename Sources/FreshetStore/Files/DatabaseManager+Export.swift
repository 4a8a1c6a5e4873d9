import Freshet
import Synchronization

/// What an export wrote.
public struct ExportReport: Sendable, Hashable {
  /// The commit the export is of.
  public let token: Token
  /// The live items.
  public let liveCount: Int
  /// The deleted items.
  public let deletedCount: Int
  /// The file's bytes.
  public let bytes: Int64

  /// Makes a report.
  public init(token: Token, liveCount: Int, deletedCount: Int, bytes: Int64) {
    self.token = token
    self.liveCount = liveCount
    self.deletedCount = deletedCount
    self.bytes = bytes
  }
}

extension DatabaseManager {
  /// Writes all items to a file, one `ExportedItem` a line, in list order.
  ///
  /// The state of one moment, whatever is committed meanwhile; bodies byte for byte. The file
  /// appears under its name when it is complete and durable, with mode 0600. The work is done on a
  /// thread of the store. The single fails with `exists` when there is something at the path and
  /// `replacing` is false, and with `notWritable`, `diskFull`, `damaged`, `ioError`, `closed`; then
  /// the path is as it was.
  ///
  /// - Complexity: O(bytes of the items) time, O(1) of them in memory.
  public func export(
    to path: String, includingDeleted: Bool = false, replacing: Bool = false
  ) -> Single<ExportReport, StoreError> {
    maintain { journal throws(StoreError) in
      try journal.fallingBack { () throws(StoreError) in
        try Export(journal: journal, path: path, replacing: replacing)
          .run(includingDeleted: includingDeleted)
      }
    }
  }
}

extension DatabaseManager {
  /// Hands out all items, one `ExportedItem` a line, in list order, in pieces of whole lines.
  ///
  /// The state of one moment, as `export(to:)` writes it to a file. The pieces come on a thread of
  /// the store, one after another; `take` may block, and what it throws ends the export and is what
  /// the single fails with. It fails with `damaged`, `ioError`, `closed` as well, also after some
  /// pieces.
  ///
  /// - Complexity: O(bytes of the items) time, O(1) of them in memory.
  public func export(
    includingDeleted: Bool = false,
    to take: @escaping @Sendable (_ lines: [UInt8]) throws(StoreError) -> Void
  ) -> Single<ExportReport, StoreError> {
    maintain { journal throws(StoreError) in
      var lines = ExportedLines(includingDeleted: includingDeleted, pieceBytes: 1 << 18)
      return try lines.run(journal, take)
    }
  }
}

/// Gathers the lines of an export into pieces.
private struct ExportedLines {
  let includingDeleted: Bool
  /// A piece ends with the line that makes it as long as this.
  let pieceBytes: Int
  private var live = 0
  private var deleted = 0
  private var bytes: Int64 = 0

  init(includingDeleted: Bool, pieceBytes: Int) {
    self.includingDeleted = includingDeleted
    self.pieceBytes = pieceBytes
  }

  mutating func run(
    _ journal: Journal, _ take: ([UInt8]) throws(StoreError) -> Void
  ) throws(StoreError) -> ExportReport {
    var waiting: [UInt8] = []
    let token = try journal.forEachRecord(includingDeleted: includingDeleted) {
      (record) throws(StoreError) in
      if record.isDeleted { deleted += 1 } else { live += 1 }
      waiting += ExportedItem(id: record.id, isDeleted: record.isDeleted, body: record.body).line
      waiting.append(0x0A)
      guard waiting.count >= pieceBytes else { return }
      bytes += Int64(waiting.count)
      try take(waiting)
      waiting.removeAll(keepingCapacity: true)
    }
    bytes += Int64(waiting.count)
    if !waiting.isEmpty { try take(waiting) }
    return ExportReport(token: token, liveCount: live, deletedCount: deleted, bytes: bytes)
  }
}

private struct Export {
  let journal: Journal
  let path: String
  let replacing: Bool

  func run(includingDeleted: Bool) throws(StoreError) -> ExportReport {
    let fileSystem = journal.options.fileSystem
    try checkIsFree(fileSystem)
    let (file, partial) = try makePartial(fileSystem)
    do throws(StoreError) {
      var lines = ExportedLines(includingDeleted: includingDeleted, pieceBytes: 1 << 20)
      var written: Int64 = 0
      let report = try lines.run(journal) { (piece) throws(StoreError) in
        do throws(SystemError) {
          try file.writeFully(piece, at: written)
        } catch {
          throw .system(error, doing: "write", path: partial)
        }
        written += Int64(piece.count)
      }
      try install(file, partial, on: fileSystem)
      return report
    } catch {
      throw withoutLeftOver(error, partial, on: fileSystem)
    }
  }

  /// The file that gets the export's name at its end: one that nobody had before.
  private func makePartial(
    _ fileSystem: any FileSystem
  ) throws(StoreError) -> (any File, path: String) {
    var names = (1...100).lazy.map { number in
      "\(path).\(Platform.processID)" + (number == 1 ? "" : "-\(number)") + ".partial"
    }.makeIterator()
    var name = names.next() ?? path
    while true {
      do throws(SystemError) {
        return (try fileSystem.open(name, .createNew), name)
      } catch {
        // Left by a process of the same number that was killed, or anybody's.
        if error.isPresentAlready, let next = names.next() {
          name = next
          continue
        }
        throw .system(error, doing: "write", path: name, fallback: .notWritable)
      }
    }
  }

  private func install(
    _ file: any File, _ partial: String, on fileSystem: any FileSystem
  ) throws(StoreError) {
    do throws(SystemError) {
      try file.synchronize()
      try fileSystem.rename(partial, to: path)
      try fileSystem.synchronizeDirectory(Self.parent(of: path))
    } catch {
      throw .system(error, doing: "write", path: path)
    }
  }

  /// The error, after the unfinished file was removed; one that says so when it could not be.
  private func withoutLeftOver(
    _ failure: StoreError, _ partial: String, on fileSystem: any FileSystem
  ) -> StoreError {
    do throws(SystemError) {
      try fileSystem.remove(partial)
    } catch {
      if error.isAbsent { return failure }
      return StoreError(
        failure.code, "\(failure.message); \(partial) is left behind (\(error))",
        path: failure.path, cause: failure)
    }
    return failure
  }

  private func checkIsFree(_ fileSystem: any FileSystem) throws(StoreError) {
    let found: FileStatus?
    do throws(SystemError) {
      found = try fileSystem.status(at: path)
    } catch {
      throw .system(error, doing: "look at", path: path, fallback: .notWritable)
    }
    guard let found else { return }
    if !replacing {
      throw StoreError(
        .exists, "\(path) is there already; choose another name, or allow it to be replaced",
        path: path)
    }
    // What is no file would be gone, and whoever reads a pipe would wait for ever.
    if !found.isFile {
      throw StoreError(
        .notWritable, "\(path) is there and is no file, so it is not replaced; name a file",
        path: path)
    }
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension Journal {
  /// Visits all items in list order, as of one moment; returns the commit they are of.
  func forEachRecord(
    includingDeleted: Bool, _ visit: (Record) throws(StoreError) -> Void
  ) throws(StoreError) -> Token {
    try checkOpen()
    try refresh()
    let log = state.withLock { $0.log }
    var window = RecordWindow()
    for number in 0..<log.index.count {
      let entry = log.index[number]
      guard entry.state == .live || (includingDeleted && entry.state == .deleted) else { continue }
      let known = try log.index.knownOrigin(of: number, entry)
      try visit(try window.read(log.index.location(of: entry)) { Record($0, entry, known) })
    }
    return token(epoch: log.epoch, revision: log.revision)
  }
}
