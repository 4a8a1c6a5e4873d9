import Freshet
import FreshetStore
import Synchronization

/// What a command works with: its settings, stdout, stderr, the waiting place and the store.
///
/// Used by the main thread; only `output` and `waiter` are called from others. A job of a script has a
/// session of its own, which hands results to whoever started it.
final class Session: Sendable {
  static let version = "0.1.0"
  /// Grows with new event types and fields; the envelope's `v` is the major version.
  static let schemaMinor = 0

  let settings: Settings
  let output: Output
  let diagnostics: Diagnostics
  let waiter: Waiter
  let serviceManager: ServiceManager

  /// What a job's session passes on, and to whom.
  private struct Job {
    let root: Session
    let answer: @Sendable (CommandResult) -> Void
  }

  private let job: Job?

  private struct State {
    var isOpened = false
    var saidHello = false
    var saidEnd = false
    var counts: [(name: StaticString, count: Int)] = []
    var failures = 0
    var hasRefusedKey = false
    var resumeLine: Int?
  }

  private let state = Mutex(State())

  init(settings: Settings, output: Output, waiter: Waiter) {
    self.settings = settings
    self.output = output
    self.waiter = waiter
    diagnostics = settings.diagnostics
    serviceManager = ServiceManager(environment: System.environment)
    job = nil
  }

  /// The session of a job that runs beside the main thread.
  ///
  /// - Parameters:
  ///   - correlation: Stands in each of its records that has none.
  ///   - call: Makes the main thread write what the job said.
  ///   - waiter: Where the job waits.
  ///   - answer: Takes its results in place of stdout.
  init(
    jobOf root: Session, correlation: String?, waiter: Waiter, call: @escaping @Sendable () -> Void,
    answer: @escaping @Sendable (CommandResult) -> Void
  ) {
    self.waiter = waiter
    settings = root.settings
    diagnostics = root.diagnostics
    output = Output(jobOf: root.output, correlation: correlation, call: call)
    // The process is told of by its main thread alone.
    serviceManager = ServiceManager { _ in nil }
    job = Job(root: root, answer: answer)
  }

  /// Whether it belongs to a job of a script.
  var isOfJob: Bool { job != nil }

  // MARK: The store

  /// Opens the store and makes it the one this process shares, then says hello.
  ///
  /// Opening may wait for another process; a signal or the deadline ends the wait.
  /// - Parameters:
  ///   - mustExist: Whether a store that is not there is an error, rather than made. Such a command
  ///     only reads: it takes no lock and changes no file.
  ///   - filter: What the stream shows, for the cursor that hello tells.
  /// - Throws: ``Stop/store(_:)`` when it cannot be used, ``Stop/usage(_:)`` when none is named,
  ///   ``Stop/timeout``, ``Stop/signal(_:)``.
  func openStore(
    command: String, mustExist: Bool = false, until deadline: ContinuousClock.Instant? = nil,
    filter: Cursor.Filter = Cursor.Filter()
  ) throws(Stop) -> DatabaseManager {
    if job != nil {
      do {
        return try DatabaseManager.shared
      } catch {
        throw .store(Problem(error))
      }
    }
    guard let store = settings.store else {
      throw .usage(
        "no_store", "neither XDG_DATA_HOME nor HOME is set; name a store with --store DIR")
    }
    let path = try Self.path(of: store.text)
    if mustExist, System.isMissingOrEmptyFolder(path) {
      throw .store(
        Problem(code: "no_store", message: "no store at \(path); `freshet save` makes one"))
    }
    let opened = try Blocking.result(until: deadline, waiter) { () throws(StoreError) in
      try Self.setUp(at: path, forReading: mustExist)
    }
    do {
      try opened.get()
      let manager = try DatabaseManager.shared
      let problem = try manager.headProblem.flatMap { $0.isDispensable ? nil : $0.message }
      sayHello(
        command: command,
        store: HelloStore(
          id: manager.storeID, epoch: manager.epoch,
          oldest: Cursor(token: try manager.oldestToken, filter: filter).text,
          headProblem: problem))
      if let problem {
        diagnostics.warning(
          "\(problem), so that what was written last may be missing here; whatever writes to the "
            + "store mends it, `freshet store compact` too")
      }
      return manager
    } catch {
      throw .store(Problem(error))
    }
  }

  /// Opens the store; for reading without its lock and without a change to any file.
  static func setUp(at path: String, forReading: Bool) throws(StoreError) {
    guard forReading else { return try DatabaseManager.setUp(at: path) }
    var options = StoreOptions()
    options.isReadOnly = true
    do {
      try DatabaseManager.setUp(at: path, options: options)
    } catch {
      guard error.code == .notReadable else { throw error }
      // HEAD is missing or of another store: a writer's recovery can make it anew.
      try DatabaseManager.setUp(at: path)
    }
  }

  /// The folder a store is in; other kinds of address are for later versions.
  static func path(of address: String) throws(Stop) -> String {
    if address.isEmpty { throw .usage("no_store", "the name of the store is empty") }
    guard let scheme = address.firstRange(of: "://") else { return address }
    if address[..<scheme.lowerBound] == "file" {
      let path = String(address[scheme.upperBound...])
      if path.hasPrefix("/") { return path }
    }
    throw .usage(
      "unsupported_store", "a store at \(address.prefix(80)) is not in this version; name a folder")
  }

  /// The value of a store operation, waiting for it.
  /// - Throws: ``Stop/store(_:)``, ``Stop/signal(_:)``, ``Stop/readerGone``.
  func wait<Value>(for operation: some Flow<Value, StoreError>) throws(Stop) -> Value {
    let result = try Blocking.result(of: operation, waiter)
    do {
      return try result.get()
    } catch {
      throw .store(Problem(error))
    }
  }

  // MARK: First and last record

  /// What hello tells of a store.
  struct HelloStore {
    let id: String
    let epoch: Int
    /// A cursor before the oldest commit kept.
    let oldest: String
    /// Why the state that is read may be older than the last commit.
    var headProblem: String?
  }

  /// The first record of every run; later calls do nothing.
  func sayHello(command: String?, store: HelloStore? = nil) {
    if job != nil { return }
    let isFirst = state.withLock { state in
      defer { state.saidHello = true }
      return !state.saidHello
    }
    if isFirst { Self.sayHello(output, command: command, store: store) }
  }

  private static func sayHello(
    _ output: Output, command: String?, store: HelloStore?
  ) {
    let run = String(UInt64.random(in: .min ... .max), radix: 16)
    output.emit(EventHead("stream.hello")) { data in
      data.int("minor", Self.schemaMinor)
      data.string("version", Self.version)
      data.string("run", run)
      data.string("command", command)
      data.string("store", store?.id)
      data.int("epoch", store.map { Int64($0.epoch) })
      data.string("oldest", store?.oldest)
      if let problem = store?.headProblem { data.string("head_problem", problem) }
    }
  }

  /// The last record of every run.
  func sayEnd(reason: String, exit: Int32, signal: Int32? = nil) {
    let counts = state.withLock { state -> [(name: StaticString, count: Int)]? in
      if state.saidEnd { return nil }
      state.saidEnd = true
      return state.counts
    }
    guard let counts else { return }
    Self.sayEnd(output, reason: reason, exit: exit, signal: signal, counts: counts)
    let figures = counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    if !figures.isEmpty, diagnostics.verbosity >= 1 { diagnostics.step(figures) }
  }

  private static func sayEnd(
    _ output: Output, reason: String, exit: Int32, signal: Int32?,
    counts: [(name: StaticString, count: Int)]
  ) {
    let records = output.sequence + 1
    output.emit(EventHead("stream.end")) { data in
      data.string("reason", reason)
      data.int("exit", Int64(exit))
      if let signal { data.int("signal", Int64(signal)) }
      data.object("counts") { object in
        object.int("records", records)
        for (name, count) in counts { object.int(name, count) }
      }
    }
  }

  /// All that a run says that ends before it has a session.
  static func sayAll(of stop: Stop, _ output: Output) {
    sayHello(output, command: nil, store: nil)
    if let problem = stop.problem { sayError(problem, output) }
    var signal: Int32?
    if case .signal(let number) = stop { signal = number }
    sayEnd(output, reason: stop.reason, exit: stop.exitCode, signal: signal, counts: [])
  }

  /// Tells of something wrong with the run itself.
  func sayError(_ problem: Problem) { Self.sayError(problem, output, resumeLine: resumeLine) }

  private static func sayError(_ problem: Problem, _ output: Output, resumeLine: Int? = nil) {
    output.emit(EventHead("stream.error")) { data in
      data.object("error") { problem.write(to: &$0) }
      if let resumeLine { data.int("resume_line", resumeLine) }
    }
  }

  /// The first line of the input that the store did not take.
  var resumeLine: Int? { state.withLock { $0.resumeLine } }

  /// Remembers from which line on nothing was kept; the first one counts.
  func noteResume(line: Int?) {
    guard let line else { return }
    state.withLock { state in
      if state.resumeLine == nil { state.resumeLine = line }
    }
  }

  /// What went wrong with the run, and where to go on.
  func words(for problem: Problem) -> String {
    guard let line = resumeLine else { return problem.message }
    return problem.message
      + "; what comes before line \(line) of the input is kept, so go on from there"
  }

  /// Adds to a figure of `stream.end`; figures are told in the order they first came up.
  func count(_ name: StaticString, _ amount: Int = 1) {
    if let job { return job.root.count(name, amount) }
    state.withLock { state in
      if let place = state.counts.firstIndex(where: { $0.name.description == name.description }) {
        state.counts[place].count += amount
      } else {
        state.counts.append((name, amount))
      }
    }
  }

  /// Counts a failure that people are told of, and returns how many there were.
  func addFailure() -> Int {
    if let job { return job.root.addFailure() }
    return state.withLock { state in
      state.failures += 1
      return state.failures
    }
  }

  /// Whether something failed because a catalogue's key is missing or refused.
  var hasRefusedKey: Bool { job?.root.hasRefusedKey ?? state.withLock { $0.hasRefusedKey } }

  /// Remembers that something failed for want of a key.
  func noteRefusedKey() {
    if let job { return job.root.noteRefusedKey() }
    state.withLock { $0.hasRefusedKey = true }
  }

  /// Hands a result to whoever started the job; false in the main session.
  func handOver(_ result: CommandResult) -> Bool {
    guard let job else { return false }
    job.answer(result)
    return true
  }

  func counted(_ name: StaticString) -> Int {
    if let job { return job.root.counted(name) }
    return state.withLock { state in
      state.counts.first { $0.name.description == name.description }?.count ?? 0
    }
  }
}

extension Problem {
  /// A store's error as it stands in events.
  init(_ error: StoreError) {
    let place = error.path.flatMap { error.message.contains($0) ? nil : "\($0): " } ?? ""
    self.init(
      code: error.code.name, message: place + error.message,
      retryable: [.locked, .diskFull].contains(error.code))
  }
}
