/// One call to a simulated disk.
package struct DiskCall: Sendable, Hashable, CustomStringConvertible {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case open, read, write, truncate, synchronize = "fsync", synchronizeData = "fdatasync"
    case synchronizeDirectory = "sync directory"
    case rename, remove, list, status, makeDirectory = "mkdir", lock
  }

  package var kind: Kind
  /// The kind of file: its name without numbers, such as `log`, `snap.idx.tmp` or
  /// `STORE.new`.
  package var file: String
  /// The bytes to be written.
  package var count = 0

  package var description: String { "\(kind.rawValue) \(file)" }

  /// True for a call after which a crash finds another disk than before.
  package var changes: Bool {
    switch kind {
    case .write, .truncate, .synchronize, .synchronizeData, .synchronizeDirectory, .rename,
      .remove, .makeDirectory:
      true
    case .open, .read, .list, .status, .lock: false
    }
  }

  package var isSync: Bool {
    kind == .synchronize || kind == .synchronizeData || kind == .synchronizeDirectory
  }

  /// The kind of the file at a path.
  static func fileKind(_ path: String) -> String {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] }
    let whole = name ?? path[...]
    let parts = whole.split(separator: ".", omittingEmptySubsequences: false)
    let word = parts[0].prefix { $0.isLetter }
    // What comes after the number, but for the usual ending and a process's number.
    let endings = parts.dropFirst().filter { part in
      part != "ndjson" && !part.allSatisfy(\.isNumber)
    }
    return ([word] + endings).joined(separator: ".")
  }
}

/// What becomes of a call.
package enum DiskFault: Sendable {
  case fail(Int32)
  /// Writes only so many bytes.
  case short(Int)
}

/// A place in the program that syncs, as far as a disk can tell: the call, the kind of file, and
/// the call before it.
package struct SyncSite: Sendable, Hashable, CustomStringConvertible {
  package var call: String
  package var after: String

  package init(call: String, after: String) {
    self.call = call
    self.after = after
  }

  package var description: String { "\(call), after \(after)" }
}
