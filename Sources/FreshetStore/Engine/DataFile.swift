import Synchronization

/// An open segment or snapshot: what records are read from.
///
/// Whoever holds it can read it, also after compaction has taken its name away: lists, cursors and
/// indexes hold the files that they point into.
final class DataFile: Sendable {
  enum Kind: Sendable, Hashable {
    /// A segment, by its first revision.
    case segment(Int64)
    /// A snapshot, by its revision.
    case snapshot(Int64)
  }

  let file: any File
  let kind: Kind
  let path: String
  /// Places between the commits of a segment.
  let waypoints = Waypoints()

  /// What the name has to lead to, once it was asked for.
  private let known = Mutex<FileIdentity?>(nil)

  init(_ file: any File, _ kind: Kind, path: String) {
    self.file = file
    self.kind = kind
    self.path = path
  }

  var identity: FileIdentity {
    get throws(SystemError) {
      if let identity = known.withLock({ $0 }) { return identity }
      let identity = try file.status().identity
      known.withLock { $0 = identity }
      return identity
    }
  }

  /// The name within the store.
  var name: String {
    switch kind {
    case .segment(let first): FileNames.segment(first)
    case .snapshot(let revision): FileNames.snapshot(revision)
    }
  }

  var size: Int64 {
    get throws(StoreError) {
      do throws(SystemError) {
        return try file.status().size
      } catch {
        throw .system(error, doing: "look at", path: path)
      }
    }
  }

  /// The parts of one record in bytes that are the caller's; checks its checksum first (I5).
  @inline(__always)
  func record(
    in bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(StoreError) -> StoredRecord {
    do throws(LineFault) {
      guard let last = bytes.last, last == 0x0A else { throw .short }
      let line = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      if case .snapshot = kind {
        return StoredRecord(line: line, item: try SnapshotLine(line))
      }
      return StoredRecord(line: line, record: try RecordLine(line))
    } catch {
      throw StoreError(
        .damaged,
        "the record at byte \(offset) of \(name) is damaged: \(error); "
          + StoreError.damageAdvice, path: path, cause: error)
    }
  }

  /// Reads one record with a call of its own, and hands out its parts.
  func readAlone<R>(
    _ offset: Int64, _ length: Int, _ use: (StoredRecord) -> R
  ) throws(StoreError) -> R {
    let result = withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { buffer in
      Result { () throws(StoreError) in
        let count: Int
        do throws(SystemError) {
          count = try file.readFully(buffer, at: offset)
        } catch {
          throw .reading(path, at: offset, error)
        }
        return use(try record(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset))
      }
    }
    return try result.get()
  }
}

/// One record, in whichever file it is; good while its bytes are.
struct StoredRecord {
  let line: UnsafeRawBufferPointer
  let id: Range<Int>
  let idHasEscapes: Bool
  let body: Range<Int>
  /// Its place in the list, where the record itself says so.
  let origin: Origin?

  init(line: UnsafeRawBufferPointer, record: RecordLine) {
    self.line = line
    id = record.id
    idHasEscapes = record.idHasEscapes
    body = record.body
    origin = nil
  }

  init(line: UnsafeRawBufferPointer, item: SnapshotLine) {
    self.line = line
    id = item.id
    idHasEscapes = item.idHasEscapes
    body = item.body
    origin = Origin(created: item.created, index: item.createdIndex)
  }

  var rawID: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: line[id]) }

  var rawBody: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: line[body]) }

  var idBytes: [UInt8] { idHasEscapes ? EscapedID.bytes(rawID) : [UInt8](rawID) }

  var bodyBytes: [UInt8] { [UInt8](rawBody) }

  var content: LineContent { LineContent(id: idBytes, body: bodyBytes) }

  /// The id as text.
  var idText: String {
    idHasEscapes
      ? String(decoding: idBytes, as: UTF8.self) : String(decoding: rawID, as: UTF8.self)
  }

  func isID(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { isID($0) } }

  func isID(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if idHasEscapes { return idBytes.elementsEqual(bytes) }
    return id.count == bytes.count && rawID.elementsEqual(bytes)
  }

  func isIn(_ query: Query) -> Bool {
    if query.isAll { return true }
    return idHasEscapes
      ? idBytes.withUnsafeBytes { query.matches(rawID: $0) } : query.matches(rawID: rawID)
  }
}

/// An item's place in the list: the commit that inserted it, and which insertion of that it was.
struct Origin: Sendable, Hashable, Comparable {
  var created: Int64
  var index: Int

  static func < (a: Origin, b: Origin) -> Bool { (a.created, a.index) < (b.created, b.index) }
}

/// Where one record is.
struct Location: Sendable {
  var source: DataFile
  var offset: Int64
  /// The line's length, newline included.
  var length: Int

  /// Reads it and hands out its parts.
  func read<R>(_ use: (StoredRecord) -> R) throws(StoreError) -> R {
    try source.readAlone(offset, length, use)
  }

  /// Its id and body, copied out.
  func content() throws(StoreError) -> LineContent { try read { $0.content } }
}
