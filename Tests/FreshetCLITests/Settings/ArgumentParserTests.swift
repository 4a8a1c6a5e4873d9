import Testing

@testable import FreshetCLI

@Suite("Reading the command line")
struct ArgumentParserTests {
  private func parse(_ words: String...) throws(UsageError) -> Invocation {
    try CommandTable.parser.parse(words)
  }

  private func message(_ words: String...) -> String? {
    do {
      _ = try CommandTable.parser.parse(words)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("values come after a space or an equals sign")
  func values() throws {
    #expect(try parse("list", "--kind", "film").value("kind") == "film")
    #expect(try parse("list", "--kind=film").value("kind") == "film")
    #expect(try parse("watch", "--since=a=b").value("since") == "a=b")
    #expect(try parse("list", "--store=").value("store") == "")
  }

  @Test("options stand anywhere, the command's before its name too")
  func anywhere() throws {
    let before = try parse("--store", "/s", "--kind", "book", "list", "-v")
    #expect(before.command.name == "list")
    #expect(before.value("store") == "/s")
    #expect(before.value("kind") == "book")
    #expect(before.count("verbose") == 1)
    let mixed = try parse("delete", "a", "--dry-run", "b", "--store", "/s")
    #expect(mixed.arguments == ["a", "b"])
    #expect(mixed.has("dry-run"))
  }

  @Test("two dashes end the options, one dash is a word")
  func dashes() throws {
    #expect(try parse("delete", "--dry-run", "--", "--all", "-x").arguments == ["--all", "-x"])
    #expect(try parse("save", "-f", "-").value("file") == "-")
    #expect(try parse("save", "-f-").value("file") == "-")
  }

  @Test("short flags can be bundled, a value may follow in the same word")
  func bundles() throws {
    let all = try parse("save", "-qvvf", "x.json")
    #expect(all.has("quiet"))
    #expect(all.count("verbose") == 2)
    #expect(all.value("file") == "x.json")
    #expect(try parse("save", "-vfx.json").value("file") == "x.json")
    #expect(try parse("save", "-f=x.json").value("file") == "x.json")
    #expect(try parse("-vf", "x.json", "save").value("file") == "x.json")
  }

  @Test(
    "what is unknown names the nearest match",
    arguments: [
      (["wtch"], "unknown command “wtch”; did you mean watch?"),
      (["lsit"], "unknown command “lsit”; did you mean list?"),
      (["list", "--knd", "x"], "unknown option “--knd” for list; did you mean --kind?"),
      (
        ["list", "--kind", "flim"],
        "option --kind cannot be “flim”, only film, book; did you mean film?"
      ),
      (["schema", "evnt"], "unknown what “evnt”; did you mean event?"),
      (["list", "-z"], "unknown option “-z” for list; see: freshet help list"),
      (["zzzzzz"], "unknown command “zzzzzz”; see: freshet help"),
    ])
  func nearest(_ words: [String], _ expected: String) {
    do {
      _ = try CommandTable.parser.parse(words)
      Issue.record("taken: \(words)")
    } catch {
      #expect(error.message == expected)
    }
  }

  @Test("what belongs to later versions says so")
  func later() {
    #expect(message("serve", "x") == "the command serve is not in this version")
  }

  @Test("missing and superfluous words are named")
  func counts() {
    #expect(message("show") == "show needs ID")
    #expect(message("show", "a", "b") == "show does not take “b”")
    #expect(message("save", "-f") == "option -f needs a value: -f FILE")
    #expect(message("list", "--kind", "--limit") == "option --kind needs a value: --kind KIND")
    #expect(message("delete", "--all=yes") == "option --all takes no value")
  }

  @Test("help is a command, an option of every command, and what no command means")
  func help() throws {
    #expect(try parse().command.name == "help")
    #expect(try parse("--help").command.name == "help")
    #expect(try parse("--help").arguments.isEmpty)
    #expect(try parse("-h", "--format", "ndjson").value("format") == "ndjson")
    #expect(try parse("watch", "--help").arguments == ["watch"])
    #expect(try parse("list", "-h", "--format", "ndjson").value("format") == "ndjson")
    #expect(try parse("--version").command.name == "version")
    #expect(try parse("delete", "--", "--help").arguments == ["--help"])
    #expect(try parse("store", "export", "--help").arguments == ["store", "export"])
    #expect(try parse("store", "--store", "stats", "-h", "sign").arguments == ["store", "sign"])
    #expect(try parse("store", "--help", "exprot").arguments == ["store"])
    #expect(try parse("list", "x", "--help").arguments == ["list"])
  }

  @Test("help in the place of an option's value is help", arguments: ["--help", "-h"])
  func helpForAValue(_ help: String) throws {
    for command in CommandTable.commands.map(\.name) {
      let invocation = try parse(command, "--format", help)
      #expect(invocation.command.name == "help" && invocation.arguments == [command])
      #expect(invocation.value("format") == nil)
    }
    #expect(try parse("list", help, "--format", "--json").values.keys.sorted() == ["json"])
    #expect(try parse("list", help, "--", "--format", "ndjson").value("format") == nil)
    #expect(throws: UsageError.self) { try parse("--format", help) }
  }

  @Test("an option of one name takes a value everywhere or nowhere, and no name is used twice")
  func table() {
    var takesValue: [String: Bool] = [:]
    for command in CommandTable.commands {
      let options = CommandTable.globals + command.options
      #expect(Set(options.map(\.name)).count == options.count, "\(command.name)")
      #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
      #expect(!command.summary.isEmpty && !command.examples.isEmpty, "\(command.name)")
      for option in options {
        #expect(takesValue[option.name, default: option.value != nil] == (option.value != nil))
        takesValue[option.name] = option.value != nil
      }
    }
  }

  @Test("random words are refused or understood, never a trap")
  func fuzz() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "list", "save", "watch", "delete", "--", "-", "-f", "-qv", "--store", "--kind", "=", "film",
      "--all", "-h", "--help", "x", "--format=ndjson", "--é", "-é", "", "--=", "-=",
    ]
    for _ in 0..<20_000 {
      let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        pieces.randomElement(using: &random)! + (Bool.random(using: &random) ? "" : "a")
      }
      do {
        _ = try CommandTable.parser.parse(words)
      } catch {
        #expect(!error.message.isEmpty, "seed \(seed)")
      }
    }
  }
}

@Suite("Spans of time")
struct DurationTextTests {
  @Test("units and fractions")
  func units() {
    #expect(DurationText.parse("250ms") == .milliseconds(250))
    #expect(DurationText.parse("15s") == .seconds(15))
    #expect(DurationText.parse("2m") == .seconds(120))
    #expect(DurationText.parse("1.5h") == .seconds(5400))
    #expect(DurationText.parse("3") == nil)
  }

  @Test(
    "all else is refused",
    arguments: ["", "s", "1x", "-1s", "1 s", "nan", "inf", "1e3s", "9999999h"])
  func refused(_ text: String) {
    #expect(DurationText.parse(text) == nil)
  }
}
