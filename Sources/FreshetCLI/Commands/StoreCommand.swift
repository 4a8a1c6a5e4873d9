import Freshet
import FreshetStore
import Synchronization

/// `freshet store`: work on the store as a whole.
enum StoreCommand {
  /// What it can be asked to do.
  enum Action: String, CaseIterable {
    case verify, stats, compact, salvage, export, `import`, sign
  }

  private static let actions: [ActionSpec] = [
    ActionSpec(
      name: "verify", summary: "Read everything and check it; change nothing.",
      notes: [
        "verify takes no lock, and works on a store that cannot be opened. Damage is exit code 1, "
          + "with the places."
      ]),
    ActionSpec(
      name: "stats", summary: "Tell how large the store is, and what could be freed.",
      notes: ["stats only reads and takes no lock."]),
    ActionSpec(
      name: "compact", summary: "Free what nobody needs.",
      notes: [
        "compact writes every item once and needs room for that; saves and reads go on meanwhile. "
          + "Changes are kept for whoever follows: the last 100000, and those of the last hour. A watch "
          + "whose reader is further behind is told of a gap, and gets a new snapshot. A store compacts "
          + "itself when most of it could be freed."
      ]),
    ActionSpec(
      name: "salvage", summary: "Write what can be read of a store into a new one.",
      words: "[OLD] NEW",
      notes: [
        "salvage changes nothing in the old store, and takes no lock; it works on one that cannot be "
          + "opened. The new one has an id of its own, so that followers begin anew. It takes the "
          + "folder of the new store, which is empty or not there; OLD is the store, where none is "
          + "named."
      ]),
    ActionSpec(
      name: "export", summary: "Write the items, one a line, bodies byte for byte.",
      words: "FILE", options: ["include-deleted", "force"],
      notes: [
        "export only reads and takes no lock. export FILE refuses a file that is there, with exit "
          + "code 73, unless --force is given. export - writes the items to stdout, as plain lines "
          + "whatever --format says, and no records about the run: its exit code and stderr tell how "
          + "it went."
      ]),
    ActionSpec(
      name: "import", summary: "Save the items of an export.", words: "FILE",
      notes: [
        "import takes objects {\"id\":\"…\",\"deleted\":true,\"body\":{…}} in any order of the "
          + "members, with any white space, one a line or spread over lines, or in one JSON array. It "
          + "takes whatever export writes: a body of up to 1 MiB and 520 levels. Films and books are "
          + "checked as save does it; fields of theirs that we do not know go under extra, as with "
          + "save. One that is refused is told with file, line and column, the others go in, and the "
          + "exit code is 1."
      ]),
    ActionSpec(
      name: "sign", summary: "Believe lines of the journal that were edited by hand.",
      options: ["yes"],
      notes: [
        "sign gives edited lines of the journal the checksums of what they hold. Copy the folder "
          + "first, and end the programs that have the store open."
      ]),
  ]

  static let spec = CommandSpec(
    name: "store",
    summary: "Check, measure, compact, rescue, export or import the store.",
    arguments: [
      ArgumentSpec(
        name: "ACTION", help: "verify, stats, compact, salvage, export, import or sign",
        count: 1...1, choices: Action.allCases.map(\.rawValue)),
      ArgumentSpec(
        name: "FILE",
        help: "export, import: the file, - for stdout or stdin; salvage: the new folder, or "
          + "the old and the new one", count: 0...2),
    ],
    options: [
      .flag("include-deleted", "export: deleted items too, which can be restored after an import"),
      .flag("force", "export: replace FILE when it is there; only a file is replaced"),
      .flag("yes", "sign: confirm it"),
    ],
    examples: [
      .init(line: "freshet store verify", meaning: "read and check everything; 1 means damage"),
      .init(line: "freshet store stats", meaning: "how large it is, and what could be freed"),
      .init(line: "freshet store compact", meaning: "free what nobody needs"),
      .init(
        line: "freshet store salvage rescued", meaning: "what can be read, into a new store"),
      .init(line: "freshet store export items.ndjson", meaning: "one item a line, as saved"),
      .init(
        line: "freshet store export - | jq -c .body", meaning: "the items alone, on stdout"),
      .init(line: "freshet store import items.ndjson", meaning: "and back; - is standard input"),
      .init(line: "freshet store sign --yes", meaning: "believe lines that were edited by hand"),
    ],
    actions: actions,
    run: { (invocation, session) throws(Stop) in
      // The parser has checked that it is one of these.
      guard let action = Action(rawValue: invocation.arguments[0]) else {
        throw .usage("bad_arguments", "store cannot “\(invocation.arguments[0].prefix(80))”")
      }
      let files = Array(invocation.arguments.dropFirst())
      switch action {
      case .verify: return try verify(files, session)
      case .stats: return try stats(files, session)
      case .compact: return try compact(files, session)
      case .salvage: return try salvage(files, session)
      case .export: return try export(files, invocation, session)
      case .import: return try importItems(files, session)
      case .sign: return try sign(files, invocation, session)
      }
    })

  // MARK: Parts of several

  static func takes(_ count: ClosedRange<Int>, _ files: [String], _ words: String) throws(Stop) {
    if !count.contains(files.count) { throw .usage("bad_arguments", words) }
  }

  /// The store's folder, which must be there.
  static func path(_ session: Session) throws(Stop) -> String {
    guard let store = session.settings.store else {
      throw .usage(
        "no_store", "neither XDG_DATA_HOME nor HOME is set; name a store with --store DIR")
    }
    let path = try Session.path(of: store.text)
    if System.isMissingOrEmptyFolder(path) {
      throw .store(Problem(code: "no_store", message: "no store at \(path)"))
    }
    return path
  }

  /// Does work that blocks, while signals and the reader's death are heard.
  static func blocking<Value: Sendable>(
    _ session: Session, _ work: @escaping @Sendable () throws(StoreError) -> Value
  ) throws(Stop) -> Value {
    let held = Held<Value>()
    let result = try Blocking.result(until: nil, session.waiter) { () throws(StoreError) in
      let value = try work()
      held.put(value)
    }
    do {
      try result.get()
    } catch {
      throw .store(Problem(error))
    }
    guard let value = held.take() else { preconditionFailure("the work gave no value") }
    return value
  }

  /// Carries the value out of the other thread.
  private final class Held<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func put(_ new: Value) { value.withLock { $0 = new } }

    func take() -> Value? { value.withLock { $0.take() } }
  }

  /// Tells how far it has come: a line on a terminal, and with `-v` a step per tenth of the way.
  static func steps(
    _ session: Session, _ what: String, _ line: ProgressLine
  ) -> @Sendable (Int64, Int64) -> Void {
    let diagnostics = session.diagnostics
    let said = Tenths()
    return { done, total in
      guard total > 0 else { return }
      if diagnostics.verbosity >= 1, said.isNew(Int(done * 10 / total)) {
        line.clear()
        diagnostics.step("\(what): \(done * 100 / total) %")
      }
      line.show(what, done, total)
    }
  }

  private final class Tenths: Sendable {
    private let last = Mutex(0)

    func isNew(_ tenth: Int) -> Bool {
      last.withLock { last in
        defer { last = max(last, tenth) }
        return tenth > last
      }
    }
  }
}

extension CommandResult {
  /// Adds a number that the command tells.
  mutating func tell(_ key: StaticString, _ number: Int64?) {
    details.append((key, number.map { .number(JSONNumber($0)) } ?? .null))
  }

  mutating func tell(_ key: StaticString, _ number: Int) { tell(key, Int64(number)) }

  mutating func tell(_ key: StaticString, _ text: String?) {
    details.append((key, text.map { .string($0) } ?? .null))
  }
}
