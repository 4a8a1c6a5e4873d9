import Foundation
import FreshetStore
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// pipe(2), by a name that the functions here do not hide.
private func openPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }

private func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

/// The built executable as a child process, used as a user would: pipes, signals, exit codes.
// @unchecked: one thread reads and waits; at most one other sends, and the input's descriptor is
// theirs alone. The tests with a sender would hang or lose input if that broke.
final class Child: @unchecked Sendable {
  /// How a process ended.
  enum Status: Equatable, CustomStringConvertible {
    case exited(Int32)
    case signaled(Int32)

    var description: String {
      switch self {
      case .exited(let code): "exit \(code)"
      case .signaled(let number): "signal \(number)"
      }
    }
  }

  /// What standard input is.
  enum StandardInput {
    case pipe
    case null
    case closed
    /// A pseudo-terminal, which is stderr as well; stdout stays what it is.
    case terminal
  }

  /// What standard output is.
  enum StandardOutput {
    case pipe
    case file(String)
    /// A pseudo-terminal, of which stdin can be the same.
    case terminal
    case closed
  }

  /// Waiting for longer than this is a failure of the test.
  static let patience: Int32 = 30_000

  /// The executable lies beside the test bundle.
  static let executable: String = {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = program.deletingLastPathComponent()
    while folder.path != "/" {
      let candidate = folder.appendingPathComponent("freshet").path
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder),
        !isFolder.boolValue
      {
        return candidate
      }
      folder.deleteLastPathComponent()
    }
    return "freshet"
  }()

  /// Between making a pipe and marking it no other child may be started: it would hold it open.
  private static let starting = Mutex(())

  private let pid: pid_t
  private var input: Int32 = -1
  private var output: Int32 = -1
  private let errors: URL
  private var partial: [UInt8] = []
  private var isAtEnd = false
  private var status: Status?

  convenience init(
    _ arguments: [String], environment: [String: String] = [:], input: StandardInput = .null,
    output: StandardOutput = .pipe, program: String = executable
  ) throws {
    try self.init(
      raw: arguments.map { Array($0.utf8) },
      variables: environment.map { Array("\($0.key)=\($0.value)".utf8) }, input: input,
      output: output, program: program)
  }

  /// Starts it with words and variables that may be any bytes.
  init(
    raw words: [[UInt8]], variables: [[UInt8]] = [], input: StandardInput = .null,
    output: StandardOutput = .pipe, program: String = executable
  ) throws {
    let errors = FileManager.default.temporaryDirectory.appendingPathComponent(
      "freshet-stderr-\(UUID().uuidString)")
    self.errors = errors
    let started = try Self.starting.withLock { _ in
      // A child that is gone is an error of write(2) here, not the end of the tests.
      ignoreBrokenPipes()
      return try Self.start(program, words, variables, input, output, errors.path)
    }
    (pid, self.input, self.output) = (started.pid, started.input, started.output)
  }

  private static func start(
    _ program: String, _ words: [[UInt8]], _ variables: [[UInt8]], _ input: StandardInput,
    _ output: StandardOutput, _ errors: String
  ) throws -> (pid: pid_t, input: Int32, output: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var theirs: [Int32] = []
    var ours: (input: Int32, output: Int32) = (-1, -1)
    switch input {
    case .pipe:
      let (read, write) = try Self.pipe()
      posix_spawn_file_actions_adddup2(&actions, read, 0)
      theirs.append(read)
      ours.input = write
    case .null: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    case .closed: posix_spawn_file_actions_addclose(&actions, 0)
    case .terminal:
      let (master, path) = try openTerminal()
      posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR | O_NOCTTY, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
      ours.input = master
    }
    switch output {
    case .pipe:
      let (read, write) = try Self.pipe()
      posix_spawn_file_actions_adddup2(&actions, write, 1)
      theirs.append(write)
      ours.output = read
    case .file(let path):
      posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    case .terminal:
      let (master, path) = try openTerminal()
      posix_spawn_file_actions_addopen(&actions, 1, path, O_RDWR | O_NOCTTY, 0)
      ours.output = master
    case .closed: posix_spawn_file_actions_addclose(&actions, 1)
    }
    if input != .terminal {
      posix_spawn_file_actions_addopen(
        &actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    defer { for descriptor in theirs { close(descriptor) } }
    return (try spawn(program, words, variables, &actions), ours.input, ours.output)
  }

  deinit {
    closeInput()
    closeOutput()
    if status == nil {
      kill(pid, SIGKILL)
      var code: Int32 = 0
      waitpid(pid, &code, 0)
    }
    // A test that never looked at stderr has no such file to remove.
    try? FileManager.default.removeItem(at: errors)
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(openPipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// The master's end of a new pseudo-terminal, and the name of the other.
  private static func openTerminal() throws -> (master: Int32, path: String) {
    // Glibc's names for this are hidden behind a feature macro, so as the kernel has it.
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var isLocked: Int32 = 0
    var number: Int32 = 0
    let unlock: UInt = 0x4004_5431
    let getNumber: UInt = 0x8004_5430
    try #require(
      master >= 0 && ioctl(master, unlock, &isLocked) == 0
        && ioctl(master, getNumber, &number) == 0)
    return (master, "/dev/pts/\(number)")
  }

  private static func spawn(
    _ program: String, _ arguments: [[UInt8]], _ variables: [[UInt8]],
    _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // The threads that run tests block signals, and a child inherits that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    // Nothing of the machine's own settings.
    var words = ([Array(program.utf8)] + arguments).map(copy) + [nil]
    var settings = variables.map(copy) + [nil]
    defer { for text in words + settings { free(text) } }
    var pid: pid_t = 0
    try #require(posix_spawn(&pid, program, &actions, &attributes, &words, &settings) == 0)
    return pid
  }

  /// Bytes as C wants them, to be freed.
  private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { strdup($0.baseAddress!) }
  }

  // MARK: Talking

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { write(input, $0.baseAddress! + sent, bytes.count - sent) }
      if count <= 0 { return }
      sent += count
    }
  }

  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Everything that stood on the terminal of stdin and stderr so far.
  private(set) var screen = ""

  /// Reads the terminal until a text has stood there.
  func waitForScreen(_ text: String) throws {
    while !screen.contains(text) {
      var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      try #require(poll(&entry, 1, Self.patience) == 1, "“\(text)” did not come: \(screen)")
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(input, &chunk, chunk.count)
      try #require(count > 0, "“\(text)” never came: \(screen)")
      // A character cut in two becomes whole with the next piece only if it is kept as bytes.
      screenBytes += chunk[..<count]
      screen = String(decoding: screenBytes, as: UTF8.self)
    }
  }

  /// Reads the terminal to its end, when the process has ended.
  func readScreenToEnd() throws {
    while true {
      var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      try #require(poll(&entry, 1, Self.patience) == 1, "the terminal stays open")
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(input, &chunk, chunk.count)
      if count <= 0 { break }
      screenBytes += chunk[..<count]
    }
    screen = String(decoding: screenBytes, as: UTF8.self)
  }

  private var screenBytes: [UInt8] = []

  /// Waits for the next line of stdout; nil at its end.
  func nextLine() throws -> [UInt8]? {
    while true {
      if let end = partial.firstIndex(of: 0x0A) {
        let line = Array(partial[..<end])
        partial.removeFirst(end + 1)
        return line
      }
      if isAtEnd {
        #expect(partial.isEmpty, "the last line is cut off")
        return nil
      }
      var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      try #require(poll(&entry, 1, Self.patience) == 1, "nothing came in time")
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = read(output, &chunk, chunk.count)
      if count <= 0 { isAtEnd = true } else { partial += chunk[..<count] }
    }
  }

  /// The next record, nil at the end; a line that is no record fails the test.
  func nextRecord() throws -> Record? {
    try nextLine().map { try Record($0) }
  }

  /// Reads on to the first record of a type.
  func record(_ type: String) throws -> Record {
    while let record = try nextRecord() {
      if record.type == type { return record }
    }
    throw Missing(type: type)
  }

  struct Missing: Error { let type: String }

  /// Everything up to the end of stdout.
  func rest() throws -> [Record] {
    var records: [Record] = []
    while let record = try nextRecord() { records.append(record) }
    return records
  }

  /// Waits until the process's signal handlers stand; on Linux, where that can be seen.
  func waitUntilIdle() throws {
    let path = "/proc/\(pid)/status"
    while true {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let line = text.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
      let mask = line.flatMap { UInt64($0.dropFirst(7).trimmingPrefix { $0 == "\t" }, radix: 16) }
      let wanted = [SIGINT, SIGTERM, SIGHUP].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
      if let mask, mask & wanted == wanted { return }
      sched_yield()
    }
  }

  /// How much memory the process has, on Linux, where that can be seen.
  func residentKilobytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.filter(\.isNumber)))
  }

  /// Waits for the end of the process.
  func wait() -> Status {
    if let status { return status }
    var code: Int32 = 0
    while waitpid(pid, &code, 0) == -1, errno == EINTR {}
    let result: Status = code & 0x7F == 0 ? .exited(code >> 8 & 0xFF) : .signaled(code & 0x7F)
    status = result
    return result
  }

  var errorText: String {
    // Not there when nothing was ever written.
    (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
  }
}

/// One line of stdout.
struct Record: CustomStringConvertible {
  let object: JSONObject
  let text: String

  init(_ line: [UInt8]) throws {
    text = String(decoding: line, as: UTF8.self)
    object = try #require(try JSONValue(parsing: line).objectValue, "no record: \(text)")
    try #require(object.keys.first == "v" && object["v"] == 1, "no envelope: \(text)")
  }

  var description: String { text }
  var type: String { object["type"]?.stringValue ?? "" }
  var sequence: Int64? { object["seq"]?.numberValue?.int64 }
  var revision: Int64? { object["rev"]?.numberValue?.int64 }
  var id: String? { object["id"]?.stringValue }
  var cursor: String? { object["cursor"]?.stringValue }
  var correlation: String? { object["cid"]?.stringValue }
  var data: JSONObject { object["data"]?.objectValue ?? [:] }
  subscript(key: String) -> JSONValue? { data[key] }
  var errorCode: String? { data["error"]?.objectValue?["code"]?.stringValue }
}

/// What a whole run gave.
struct Run {
  let status: Child.Status
  let records: [Record]
  let errors: String

  init(status: Child.Status, records: [Record], errors: String) {
    (self.status, self.records, self.errors) = (status, records, errors)
  }

  /// What a child gave whose stdout was read.
  init(records: [Record], _ child: Child) {
    self.init(status: child.wait(), records: records, errors: child.errorText)
  }

  func all(_ type: String) -> [Record] { records.filter { $0.type == type } }
  var results: [Record] { all("cmd.result") }
  var end: Record? { records.last }
  var items: [String] { all("snapshot.item").compactMap(\.id) }
}

/// A folder of a test's own, with a store in it.
final class Sandbox {
  let folder: URL
  var store: String { folder.appendingPathComponent("store").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "freshet-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // Left behind at worst, in the system's folder for such things.
    try? FileManager.default.removeItem(at: folder)
  }

  /// With the books `book:local:1` to `book:local:N` in its store, B1 to BN.
  convenience init(books: Int) throws {
    try self.init()
    let lines = (1...books).map { "{\"id\":\"book:local:\($0)\",\"title\":\"B\($0)\"}" }
    _ = try run("save", "-f", "-", input: lines.joined(separator: "\n"))
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  @discardableResult
  func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// Starts a command on this sandbox's store.
  func start(
    _ arguments: String..., input: Child.StandardInput = .null,
    output: Child.StandardOutput = .pipe
  ) throws -> Child {
    try Child(
      arguments, environment: ["FRESHET_STORE": store, "HOME": folder.path], input: input,
      output: output)
  }

  /// Runs a command to its end and checks what holds for every run: records only, hello first, end
  /// last with the exit code, sequence numbers without holes.
  func run(
    _ arguments: String..., input: String? = nil, environment: [String: String]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    try run(arguments, bytes: input.map { Array($0.utf8) }, environment, sourceLocation)
  }

  func run(
    _ arguments: [String], bytes: [UInt8]?, _ environment: [String: String]? = nil,
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    let child = try Child(
      arguments, environment: environment ?? ["FRESHET_STORE": store, "HOME": folder.path],
      input: bytes == nil ? .null : .pipe)
    if let bytes {
      // From a thread of its own: the child may fill its stdout before it has read everything.
      let sender = Thread { [bytes] in
        child.send(bytes)
        child.closeInput()
      }
      sender.start()
    }
    let records = try child.rest()
    let run = Run(status: child.wait(), records: records, errors: child.errorText)
    Self.check(run, sourceLocation)
    return run
  }

  /// Runs a command that answers people to its end, and returns stdout's lines.
  func lines(_ arguments: String..., environment: [String: String] = [:]) throws -> (
    status: Child.Status, lines: [String], errors: String
  ) {
    let child = try Child(
      arguments,
      environment: ["FRESHET_STORE": store, "HOME": folder.path].merging(environment) { $1 })
    var lines: [String] = []
    while let line = try child.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
    return (child.wait(), lines, child.errorText)
  }

  static func check(_ run: Run, _ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(run.records.first?.type == "stream.hello", sourceLocation: sourceLocation)
    #expect(run.end?.type == "stream.end", sourceLocation: sourceLocation)
    #expect(
      run.records.map(\.sequence) == (1...Int64(max(1, run.records.count))).map { $0 },
      sourceLocation: sourceLocation)
    if case .exited(let code) = run.status {
      #expect(
        run.end?["exit"]?.numberValue?.int64 == Int64(code), sourceLocation: sourceLocation)
      let isBroken = run.records.contains { ["stream.reset", "stream.gap"].contains($0.type) }
      // A break in a stream is told on stderr too, one that a log tells of is not.
      if code == 0, isBroken { return }
      // And so is a state that may be old.
      if code == 0, run.records.first?["head_problem"] != nil {
        #expect(run.errors.contains("warning"), sourceLocation: sourceLocation)
        return
      }
      #expect(
        run.errors.isEmpty == (code == 0 || code == 6), "stderr: \(run.errors)",
        sourceLocation: sourceLocation)
    }
  }
}
