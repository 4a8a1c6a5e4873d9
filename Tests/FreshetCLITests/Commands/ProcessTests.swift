import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("freshet as a process")
struct ProcessTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  @Test(
    "every command, misused, answers with records and exit 2",
    arguments: [
      ["wtch"], ["download"], ["search", "x"], ["serve"], ["save"], ["save", "-f"],
      ["save", "--source", "imdb", "-f", "-"],
      ["list", "--kind", "song"], ["list", "x"], ["show"], ["show", "a", "b"], ["delete"],
      ["delete", "--all"], ["restore"], ["watch", "--since", "x"], ["watch", "--timeout", "x"],
      ["watch", "--count", "0"], ["watch", "--filter", "a=b"], ["run"], ["run", "--jobs", "2"],
      ["run", "--jobs", "0", "-f", "-"], ["run", "--jobs", "65", "-f", "-"],
      ["run", "-f", "/no/such/file"], ["run", "-f", "/dev/null", "--journal", "/no/such/j"],
      ["help", "wtch", "--format", "ndjson"],
      ["version", "--what", "--format=ndjson"], ["list", "--format", "xml"],
      ["list", "--store", "etcd://host"], ["list", "--store", ""],
      ["list", "--config", "/no/file"],
    ])
  func misuse(_ words: [String]) throws {
    let run = try sandbox.run(words, bytes: nil)
    #expect(run.status == .exited(2))
    #expect(run.all("stream.error").count == 1)
    #expect(run.errors.hasPrefix("freshet: "))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  // MARK: Stores that cannot be used

  private static let readers = [["list"], ["show", "book:local:1"], ["watch"]]
  private static let writers = [
    ["delete", "book:local:1"], ["restore", "book:local:1"], ["save", "-f", "/dev/null"],
    ["run", "-f", "/dev/null"],
  ]

  private func checkUnusable(_ code: String, by commands: [[String]] = readers + writers) throws {
    for words in commands {
      let run = try sandbox.run(words, bytes: nil)
      #expect(run.status == .exited(7), "\(words)")
      #expect(run.all("stream.error").map(\.errorCode) == [code], "\(words)")
      #expect(run.errors.contains(sandbox.store), "\(words): \(run.errors)")
    }
  }

  @Test("a store that is a file")
  func storeIsFile() throws {
    try sandbox.file("store", "precious")
    try checkUnusable("not_a_directory")
    #expect(try String(contentsOfFile: sandbox.store, encoding: .utf8) == "precious")
  }

  @Test("a folder of something else")
  func notAStore() throws {
    try FileManager.default.createDirectory(
      atPath: sandbox.store, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try sandbox.file("store/notes.txt", "precious")
    try checkUnusable("not_a_store")
  }

  @Test("a store of a newer version")
  func newer() throws {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"book:local:1\"}")
    try sandbox.file("store/STORE", "{\"format\":9,\"minReader\":9,\"minWriter\":9}\n")
    try checkUnusable("newer_format")
  }

  @Test("a store damaged in the middle: nothing is changed")
  func damaged() throws {
    let lines = (0..<50).map { "{\"id\":\"book:local:\($0)\",\"title\":\"t\"}" }
    _ = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.store)
    let name = try #require(names.first { $0.hasPrefix("log-") })
    let url = URL(fileURLWithPath: sandbox.path("store/\(name)"))
    var data = try Data(contentsOf: url)
    data[data.count / 2] ^= 0x01
    try data.write(to: url)
    try checkUnusable("damaged")
    #expect(try Data(contentsOf: url) == data)
  }

  @Test("a store that cannot be written", .enabled(if: geteuid() != 0, "root may write anywhere"))
  func notWritable() throws {
    try FileManager.default.createDirectory(
      atPath: sandbox.store, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o500])
    try checkUnusable("not_writable", by: Self.writers)
  }

  @Test("what only reads makes no store where there is none")
  func noStore() throws {
    let dry = [
      ["delete", "--dry-run", "book:local:1"], ["run", "--dry-run", "-f", "/dev/null"],
    ]
    try checkUnusable("no_store", by: Self.readers + dry)
    #expect(!FileManager.default.fileExists(atPath: sandbox.store))
    try FileManager.default.createDirectory(
      atPath: sandbox.store, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try checkUnusable("no_store", by: Self.readers + dry)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.store).isEmpty)
    #expect(try sandbox.run("list").errors.contains("`freshet save` makes one"))
  }

  // MARK: While another process holds the lock

  /// Holds the store's lock until it is let go.
  private final class Lock {
    private let file: Int32

    init(_ sandbox: Sandbox) throws {
      file = open(sandbox.path("store/LOCK"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(file >= 0 && flock(file, LOCK_EX) == 0)
    }

    deinit { close(file) }
  }

  /// A store whose lock has to be waited for when it is opened.
  private func lockedStore() throws -> Lock {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"book:local:1\"}")
    return try Lock(sandbox)
  }

  @Test(
    "a signal while the store is being opened: hello, stream.end, and it is obeyed",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func signalWhileOpening(_ number: Int32) throws {
    let lock = try lockedStore()
    let child = try sandbox.start("save", "-f", "/dev/null")
    // Sent before the handlers stand, it would just end the process: wait until it sleeps.
    try child.waitUntilIdle()
    let clock = ContinuousClock()
    let begin = clock.now
    child.signal(number)
    #expect(try child.rest().map(\.type) == ["stream.hello", "stream.end"])
    #expect(child.wait() == .signaled(number))
    #expect(clock.now - begin < .seconds(2))
    withExtendedLifetime(lock) {}
  }

  @Test("list, show and watch take no lock: a stopped writer does not hold them up")
  func readersTakeNoLock() throws {
    let lock = try lockedStore()
    #expect(try sandbox.run("list").items == ["book:local:1"])
    #expect(try sandbox.run("show", "book:local:1").status == .exited(0))
    let watch = try sandbox.run("watch", "--initial", "only")
    #expect(watch.items == ["book:local:1"])
    withExtendedLifetime(lock) {}
  }

  @Test("a reader of a store without HEAD has a writer's recovery make it anew")
  func missingHead() throws {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"book:local:1\"}")
    try FileManager.default.removeItem(atPath: sandbox.path("store/HEAD"))
    #expect(try sandbox.run("list").items == ["book:local:1"])
  }

  @Test("--timeout counts the opening too")
  func timeoutWhileOpening() throws {
    let lock = try lockedStore()
    // The lock is never given back: an opening that is waited for is exit 7.
    let run = try sandbox.run("watch", "--timeout", "1s")
    #expect(run.status == .exited(6))
    withExtendedLifetime(lock) {}
  }

  // MARK: Descriptors

  @Test("closed standard descriptors never become the store's files")
  func closedDescriptors() throws {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"book:local:1\"}")
    let child = try sandbox.start("save", "-f", "/dev/null", input: .closed, output: .closed)
    #expect(child.wait() == .exited(74))
    let list = try sandbox.start("list", input: .closed)
    #expect(try list.record("stream.end")["reason"] == "done")
    #expect(list.wait() == .exited(0))
    #expect(try sandbox.run("list").items == ["book:local:1"])
  }

  @Test("a closed stdout is no success, and no cursor is kept")
  func closedOutput() throws {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"book:local:1\"}")
    let file = sandbox.path("cursor.json")
    for words in [
      ["list"], ["show", "book:local:1"],
      ["watch", "--since", "start", "--cursor-file", file, "--count", "1"],
    ] {
      let child = try Child(words, environment: ["FRESHET_STORE": sandbox.store], output: .closed)
      #expect(child.wait() == .exited(74), "\(words)")
      #expect(child.errorText.contains("cannot write to stdout"))
    }
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test("a closed stdin is an input that cannot be opened", arguments: ["save", "run", "delete"])
  func closedInput(_ command: String) throws {
    let child = try sandbox.start(command, "-f", "-", input: .closed)
    #expect(try child.record("stream.error").errorCode == "unreadable_input")
    #expect(child.wait() == .exited(2))
  }

  @Test(
    "a full stdout is exit 74", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullOutput() throws {
    _ = try sandbox.run("save", "-f", "/dev/null")
    let child = try sandbox.start("list", output: .file("/dev/full"))
    #expect(child.wait() == .exited(74))
    #expect(child.errorText.contains("cannot write to stdout"))
  }

  @Test("standard input is left alone unless asked for")
  func inputUnread() throws {
    _ = try sandbox.run("save", "-f", "/dev/null")
    let child = try sandbox.start("list", input: .pipe)
    _ = try child.record("stream.end")
    #expect(child.wait() == .exited(0))
  }

  @Test("a reader that takes one line ends it quietly")
  func head() throws {
    let lines = (0..<3000).map { "{\"id\":\"book:local:\($0)\",\"title\":\"some title\"}" }
    _ = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
    let child = try sandbox.start("list")
    _ = try child.nextLine()
    child.closeOutput()
    #expect(child.wait() == .exited(141))
    #expect(child.errorText.isEmpty)
  }

  @Test("an open input ends with the signal, what was acknowledged stays")
  func signalWhileReading() throws {
    let child = try sandbox.start("save", "-f", "-", input: .pipe)
    child.send("{\"id\":\"book:local:1\"}\n{\"id\":\"book:lo")
    _ = try child.record("cmd.result")
    child.signal(SIGINT)
    #expect(try child.record("stream.end")["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGINT))
    #expect(try sandbox.run("list").items == ["book:local:1"])
  }

  // MARK: Settings

  @Test("option over environment over config file")
  func precedence() throws {
    func storeOf(_ run: Run) -> JSONValue? { run.records[0]["store"] }
    for name in ["from-file", "from-env", "from-option"] {
      _ = try sandbox.run("save", "-f", "/dev/null", "--store", sandbox.path(name))
    }
    let config = try sandbox.file("config.json", "{\"store\":\"\(sandbox.path("from-file"))\"}")
    let home = ["HOME": sandbox.folder.path]
    let byFile = try sandbox.run("list", "--config", config, environment: home)
    let byEnvironment = try sandbox.run(
      "list", "--config", config,
      environment: home.merging(["FRESHET_STORE": sandbox.path("from-env")]) { $1 })
    let byOption = try sandbox.run(
      "list", "--store", sandbox.path("from-option"),
      environment: home.merging(["FRESHET_STORE": sandbox.path("from-env")]) { $1 })
    #expect(Set([byFile, byEnvironment, byOption].map(storeOf)).count == 3)
    #expect(
      try sandbox.run("list", "--store", "file://" + sandbox.path("from-option")).status
        == .exited(0))
  }

  @Test("the default store is below the user's data folder; without a home it must be named")
  func defaults() throws {
    _ = try sandbox.run("save", "-f", "/dev/null", environment: ["HOME": sandbox.folder.path])
    #expect(FileManager.default.fileExists(atPath: sandbox.path(".local/share/freshet")))
    _ = try sandbox.run(
      "save", "-f", "/dev/null", environment: ["XDG_DATA_HOME": sandbox.path("data")])
    #expect(FileManager.default.fileExists(atPath: sandbox.path("data/freshet")))
    let homeless = try sandbox.run("list", environment: [:])
    #expect(homeless.status == .exited(2))
    #expect(homeless.errors.contains("--store"))
  }

  @Test("a leading ~/ is the home folder wherever the store is named")
  func tilde() throws {
    let home = ["HOME": sandbox.folder.path]
    let config = try sandbox.file("config.json", "{\"store\":\"~/by-file\"}")
    let commands: [(String, [String], [String: String])] = [
      ("by-environment", [], ["FRESHET_STORE": "~/by-environment"]),
      ("by-file", ["--config", config], [:]), ("by-option", ["--store=~/by-option"], [:]),
    ]
    for (name, options, more) in commands {
      let run = try sandbox.run(
        ["save", "-f", "/dev/null"] + options, bytes: nil, home.merging(more) { $1 })
      #expect(run.status == .exited(0))
      #expect(FileManager.default.fileExists(atPath: sandbox.path(name)), "\(name)")
    }
    let homeless = try sandbox.run("list", environment: ["FRESHET_STORE": "~/x"])
    #expect(homeless.all("stream.error").map(\.errorCode) == ["bad_setting"])
  }

  @Test(
    "a config file that makes no sense is exit 2",
    arguments: ["", "[]", "{\"stroe\":\"x\"}", "{\"store\":7}", "{\"format\":\"xml\"}"])
  func badConfig(_ text: String) throws {
    let config = try sandbox.file("config.json", text)
    #expect(try sandbox.run("list", "--config", config).status == .exited(2))
  }

  // MARK: Help

  private func text(_ words: String...) throws -> String {
    let child = try Child(words)
    var lines: [String] = []
    while let line = try child.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
    #expect(child.wait() == .exited(0))
    return lines.joined(separator: "\n")
  }

  @Test("help and version speak text, JSON or records as asked")
  func help() throws {
    #expect(try text("version") == "freshet \(Session.version)")
    let version = try JSONValue(parsing: try text("version", "--json"))
    #expect(version.objectValue?["version"]?.stringValue == Session.version)
    let table = try JSONValue(parsing: try text("help", "--json"))
    let names = table.objectValue?["commands"]?.arrayValue?.map {
      $0.objectValue?["name"]?.stringValue
    }
    #expect(names == CommandTable.commands.map(\.name))
    for command in CommandTable.commands {
      let help = try text("help", command.name)
      for option in command.options { #expect(help.contains("--\(option.name)")) }
      #expect(help.contains("examples:"))
      #expect(try text(command.name, "--help") == help)
    }
    #expect(try sandbox.run("version", "--format", "ndjson").results.count == 1)
    let records = try sandbox.run("help", "--format", "ndjson").results
    #expect(records.count == 1)
    #expect(records[0]["help"] == table)
  }

  @Test("freshet alone, and --help, show the program")
  func overview() throws {
    let overview = try text()
    #expect(try text("--help") == overview)
    #expect(try text("-h") == overview)
    #expect(try text("help") == overview)
    for command in CommandTable.commands { #expect(overview.contains("  \(command.name) ")) }
    let examples = try #require(overview.firstRange(of: "examples:"))
    let commands = try #require(overview.firstRange(of: "commands:"))
    #expect(examples.lowerBound < commands.lowerBound)
  }

  @Test("text for people: a line per item, nothing else on stdout")
  func textFormat() throws {
    _ = try sandbox.run(
      "save", "-f", "-",
      input: "{\"id\":\"book:local:1\",\"title\":\"밤\\u001b[31m의\",\"release_date\":\"1999\"}")
    let child = try sandbox.start("list", "--format", "text")
    let line = try #require(try child.nextLine())
    #expect(String(decoding: line, as: UTF8.self) == "book:local:1  밤 [31m의  1999")
    #expect(try child.nextLine() == nil)
  }
}
