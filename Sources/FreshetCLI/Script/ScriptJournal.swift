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

  /// How messages call it.
  let path: String
  private let descriptor: Int32?
  private var entries: [String: Entry] = [:]
  /// The names of each finished transaction, and to which of them a name belongs.
  private var transactions: [[String]] = []
  private var transaction: [String: Int] = [:]

  /// Opens a journal, and makes one that is not there.
  ///
  /// - Parameter isReadOnly: Whether nothing is written, not even a file that is not there.
  /// - Throws: ``Stop/usage(_:)`` for a file that is in use by another run, that is no journal, or
  ///   that is the journal of another store.
  init(_ path: String, storeID: String, isReadOnly: Bool) throws(Stop) {
    self.path = path
    if let kind = System.kindOtherThanFile(path) {
      throw .usage("bad_journal", "cannot use the journal \(path): \(kind); name a file")
    }
    if isReadOnly {
      descriptor = nil
      let bytes: [UInt8]?
      do {
        bytes = try System.contents(of: path, limit: .max)
      } catch {
        throw .usage("bad_journal", "cannot read the journal \(path): \(error.words)")
      }
      if let bytes, !bytes.isEmpty { _ = try read(bytes, storeID) }
      return
    }
    let opened: Int32
    do {
      opened = try System.openLog(path)
    } catch {
      throw .usage("bad_journal", "cannot open the journal \(path): \(error.words)")
    }
    descriptor = opened
    guard System.lock(opened) else {
      throw .usage("journal_in_use", "the journal \(path) is in use by another run")
    }
    do {
      let bytes = try System.contents(of: path, limit: .max) ?? []
      let whole = bytes.isEmpty ? 0 : try read(bytes, storeID)
      if whole < bytes.count { try System.cut(opened, to: whole) }
      if whole == 0 { try append([Self.head(storeID)]) }
    } catch let stop as Stop {
      throw stop
    } catch {
      let words = (error as? System.Failure)?.words ?? "\(error)"
      throw .usage("bad_journal", "cannot use the journal \(path): \(words)")
    }
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
  /// - Throws: ``Stop/input(_:)`` when it cannot be written: the commands themselves are done.
  func finish(_ finished: [Entry], asOne: Bool) throws(Stop) {
    guard descriptor != nil, !finished.isEmpty else { return }
    let lines = finished.map(Self.object)
    do {
      try append(
        asOne && lines.count > 1
          ? [["transaction": .array(lines.map(JSONValue.object))]] : lines)
    } catch {
      throw .input(
        Problem(
          code: "journal_not_written",
          message: "cannot write the journal \(path): \(error.words); what was answered is done, "
            + "and a rerun would do its last commands again"))
    }
    for entry in finished { entries[entry.name] = entry }
    if asOne { bind(finished.map(\.name)) }
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

  private func append(_ lines: [JSONObject]) throws(System.Failure) {
    guard let descriptor else { return }
    var bytes: [UInt8] = []
    for line in lines { bytes += JSONValue.object(line).jsonBytes + [0x0A] }
    try System.writeDurably(bytes, to: descriptor)
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
        throw .usage(
          "bad_journal",
          number == 1
            ? "\(path) is no journal of freshet run; name another file"
            : "line \(number) of the journal \(path) is broken; remove it to begin anew")
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
