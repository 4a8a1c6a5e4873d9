import FreshetStore

/// The file in which a run writes what it finished, so that a rerun passes over it.
///
/// One object a line: a head with the store's id, then a line per command, or per transaction, in the
/// order in which they were finished. A line is on the disk before its result is told. What a crash
/// tore off the end is cut away; a line that is broken elsewhere is an error.
final class ScriptJournal {
  /// A command that is finished.
  struct Entry {
    let name: String
    /// Of the bytes of its line.
    let hash: String
    let operation: String
    var outcome: String?
  }

  /// What is finished and could not be written.
  struct Shortfall: Error {
    /// So many of them are in the journal and durable, from the first one on.
    let kept: Int
    let failure: System.Failure
  }

  /// How messages call it.
  let path: String
  private let descriptor: Int32?
  /// How many bytes of it are durable.
  private var length = 0
  private var entries: [String: Entry] = [:]
  /// The names of each finished transaction, and to which of them a name belongs.
  private var transactions: [[String]] = []
  private var transaction: [String: Int] = [:]

  /// Opens a journal, and makes one that is not there.
  ///
  /// - Parameter isReadOnly: Whether nothing is written, not even a file that is not there.
  /// - Throws: ``Stop/usage(_:)`` for a file that is in use by another run, that is no journal, or
  ///   that is the journal of another store; ``Stop/journal(_:)`` when there is no room for it.
  init(_ path: String, storeID: String, isReadOnly: Bool) throws(Stop) {
    self.path = path
    if let kind = System.kindOtherThanFile(path) {
      throw .usage("bad_journal", "cannot use the journal \(path): \(kind); name a file")
    }
    if isReadOnly {
      descriptor = nil
      do {
        _ = try readFile(storeID)
      } catch let stop as Stop {
        throw stop
      } catch {
        throw Self.unusable(path, "read", error)
      }
      return
    }
    let opened: Int32
    do {
      opened = try System.openLog(path)
    } catch {
      throw Self.unusable(path, "open", error)
    }
    descriptor = opened
    guard System.lock(opened) else {
      throw .usage("journal_in_use", "the journal \(path) is in use by another run")
    }
    do {
      let (whole, size) = try readFile(storeID)
      if whole < size { try System.cut(opened, to: whole) }
      length = whole
      if whole == 0 {
        try append([Self.head(storeID)])
        try System.syncFolder(of: path)
      }
    } catch let stop as Stop {
      throw stop
    } catch {
      throw Self.unusable(path, "use", error)
    }
  }

  private static func unusable(_ path: String, _ doing: String, _ error: any Error) -> Stop {
    let failure = (error as? Shortfall)?.failure ?? error as? System.Failure
    let words = "cannot \(doing) the journal \(path): \(failure?.words ?? "\(error)")"
    guard let failure, failure.isForWantOfRoom else { return .usage("bad_journal", words) }
    return .journal(
      Problem(
        code: "disk_full",
        message: words + "; nothing was done; make room there, or name a file elsewhere",
        retryable: true))
  }

  deinit { if let descriptor { System.closeFile(descriptor) } }

  /// The command of a name, when it is finished.
  subscript(name: String) -> Entry? { entries[name] }

  /// A command that was finished together with one of these, and is none of them.
  func companion(of names: Set<String>) -> Entry? {
    for place in Set(names.compactMap { transaction[$0] }).sorted() {
      if let name = transactions[place].first(where: { !names.contains($0) }) {
        return entries[name]
      }
    }
    return nil
  }

  /// Takes note of what was finished as one.
  private func bind(_ names: [String]) {
    for name in names { transaction[name] = transactions.count }
    transactions.append(names)
  }

  /// FNV-1a with 64 bits, in hexadecimal digits.
  static func hash(of line: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in line { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Writes what is finished; with `asOne` a reader after a crash finds all of it, or nothing.
  /// - Throws: ``Shortfall`` when it cannot be written whole: the commands themselves are done.
  func finish(_ finished: [Entry], asOne: Bool) throws(Shortfall) {
    guard descriptor != nil, !finished.isEmpty else { return }
    let lines = finished.map(Self.object)
    try append(
      asOne && lines.count > 1 ? [["transaction": .array(lines.map(JSONValue.object))]] : lines)
    for entry in finished { entries[entry.name] = entry }
    if asOne { bind(finished.map(\.name)) }
  }

  /// The end of a run whose journal takes no more.
  func stop(for failure: System.Failure) -> Stop {
    let isFull = failure.isForWantOfRoom
    return .journal(
      Problem(
        code: isFull ? "disk_full" : "journal_not_written",
        message: "cannot write the journal \(path): \(failure.words); what is told as done is in "
          + "it, and what is told as journal_not_written is done all the same; "
          + (isFull ? "make room there" : "mend that")
          + " and run the script again with this journal: it goes on, and does the latter again",
        retryable: isFull))
  }

  // MARK: Lines

  private static func head(_ storeID: String) -> JSONObject {
    ["journal": "freshet", "version": 1, "store": .string(storeID)]
  }

  private static func object(of entry: Entry) -> JSONObject {
    var object: JSONObject = [
      "id": .string(entry.name), "op": .string(entry.operation), "line": .string(entry.hash),
    ]
    if let outcome = entry.outcome { object["outcome"] = .string(outcome) }
    return object
  }

  private func append(_ lines: [JSONObject]) throws(Shortfall) {
    guard let descriptor else { return }
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for line in lines {
      bytes += JSONValue.object(line).jsonBytes + [0x0A]
      ends.append(bytes.count)
    }
    do throws(System.Failure) {
      try System.writeFully(bytes, to: descriptor)
    } catch {
      throw Shortfall(kept: keepWholeLines(ends, descriptor), failure: error)
    }
    do throws(System.Failure) {
      try System.synchronizeData(descriptor)
    } catch {
      // Which of it the disk has nobody knows, so it is not left to be believed.
      let failure = error
      do throws(System.Failure) {
        try System.cut(descriptor, to: length)
      } catch {
        // Then a rerun passes over what was done, unless the disk has lost it.
      }
      throw Shortfall(kept: 0, failure: failure)
    }
    length += bytes.count
  }

  /// Keeps the lines that were written before one was not; returns how many are durable.
  private func keepWholeLines(_ ends: [Int], _ descriptor: Int32) -> Int {
    do throws(System.Failure) {
      let written = try System.size(of: descriptor) - length
      let kept = ends.prefix { $0 <= written }
      try System.cut(descriptor, to: length + (kept.last ?? 0))
      try System.synchronizeData(descriptor)
      length += kept.last ?? 0
      return kept.count
    } catch {
      // The next run cuts off what is torn; what is whole there was done.
      return 0
    }
  }

  /// How long a head is at most: a file with a longer first line is none of ours.
  private static let headLimit = 4096

  /// Takes in what is there; returns how many bytes of it are whole lines, and how many it has.
  private func readFile(_ storeID: String) throws -> (whole: Int, size: Int) {
    // A wrong file, however large, is refused by its first line.
    let start = try System.contents(of: path, limit: Self.headLimit) ?? []
    if start.count == Self.headLimit, !isHead(start) { throw notJournal }
    let bytes = try System.contents(of: path, limit: .max) ?? []
    return (bytes.isEmpty ? 0 : try read(bytes, storeID), bytes.count)
  }

  private func isHead(_ start: [UInt8]) -> Bool {
    guard let end = start.firstIndex(of: 0x0A),
      let object = (try? JSONValue(parsing: Array(start[..<end])))?.objectValue
    else { return false }
    return take(object, isHead: true)
  }

  private var notJournal: Stop {
    .usage("bad_journal", "\(path) is no journal of freshet run; name another file")
  }

  /// Takes in what is there; returns how many bytes of it are whole lines.
  private func read(_ bytes: [UInt8], _ storeID: String) throws(Stop) -> Int {
    var start = 0
    var number = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A)
      number += 1
      let value = end.flatMap { try? JSONValue(parsing: Array(bytes[start..<$0])) }
      guard let end, let object = value?.objectValue, take(object, isHead: number == 1) else {
        // The last line may be torn; nothing follows it then.
        if number > 1, (end.map { $0 + 1 } ?? bytes.count) == bytes.count { return start }
        if number == 1, end == nil,
          bytes.starts(with: Array("{\"journal\":".utf8).prefix(bytes.count))
        {
          return 0
        }
        if number == 1 { throw notJournal }
        throw .usage(
          "bad_journal", "line \(number) of the journal \(path) is broken; remove it to begin anew")
      }
      if number == 1, let other = object["store"]?.stringValue, other != storeID {
        throw .usage(
          "bad_journal", "the journal \(path) is of another store (\(other.prefix(40)))")
      }
      start = end + 1
    }
    return start
  }

  private func take(_ object: JSONObject, isHead: Bool) -> Bool {
    if isHead {
      return object["journal"] == "freshet" && object["version"] == 1
        && object["store"]?.stringValue != nil
    }
    if let members = object["transaction"]?.arrayValue {
      guard members.allSatisfy({ $0.objectValue.map { take($0, isHead: false) } ?? false }) else {
        return false
      }
      bind(members.compactMap { $0.objectValue?["id"]?.stringValue })
      return true
    }
    guard let name = object["id"]?.stringValue, let hash = object["line"]?.stringValue,
      let operation = object["op"]?.stringValue
    else { return false }
    entries[name] = Entry(
      name: name, hash: hash, operation: operation, outcome: object["outcome"]?.stringValue)
    return true
  }
}
