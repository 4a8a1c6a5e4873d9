import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

/// What users of such tools complained about: mixtures, shapes that change, errors in the data.
@Suite("Cases: shapes")
struct ShapeCases {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:1","title":"a"}"#)
  }

  /// Arguments with which a command does something.
  private static let used: [String: [String]] = [
    "save": ["-f", "/dev/null"], "show": ["book:x:1"], "delete": ["book:x:1"],
    "restore": ["book:x:1"], "search": ["x", "--source", "kakao"], "download": ["book:x:1"],
    "watch": ["--initial", "only"], "books": ["list"], "guidance": ["list"],
    "run": ["-f", "/dev/null"], "bench": ["--list"], "store": ["verify"], "config": ["show"],
    "completions": ["bash"],
  ]

  @Test(
    "cli-27: every command answers every failure with records alone",
    arguments: CommandTable.commands.map(\.name))
  func recordsOnly(_ command: String) throws {
    let words = [command] + (Self.used[command] ?? []) + ["--format", "ndjson"]
    let broken: [(what: String, words: [String], environment: [String: String])] = [
      ("nothing", words, [:]), ("an unknown option", words + ["--nonsense"], [:]),
      ("a missing value", words + ["--store"], [:]),
      ("too many words", words + ["a", "b", "c", "d", "e"], [:]),
      ("a store that is a file", words + ["--store", "/dev/null"], [:]),
      ("no store named", words, ["HOME": ""]),
      ("a bad setting", words, ["FRESHET_LOG_FORMAT": "xml"]),
      ("a bad config file", words + ["--config", "/dev/null"], [:]),
    ]
    for (what, words, environment) in broken {
      var environment = environment
      if environment["HOME"] == nil {
        environment["HOME"] = sandbox.folder.path
        environment["FRESHET_STORE"] = sandbox.store
      }
      // Each line is looked at as a record there, hello and stream.end too.
      let run = try sandbox.run(words, bytes: nil, environment)
      guard case .exited(let code) = run.status else {
        Issue.record("\(what): \(run.status)")
        continue
      }
      #expect([0, 1, 2, 4, 7].contains(code), "\(what): \(code)")
      if code == 2 {
        #expect(run.errors.split(separator: "\n").count == 1, "\(what): \(run.errors)")
        #expect(run.all("stream.error").count == 1, "\(what)")
      }
    }
  }

  @Test("cli-28: a stream is a record a line for ever, and never an array")
  func noArrays() throws {
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:2"}"#)
    for words in [
      ["list"], ["watch", "--initial", "only"], ["show", "book:x:1"], ["bench", "--list"],
    ] {
      let run = try sandbox.run(words, bytes: nil)
      for record in run.records { #expect(record.text.hasPrefix(#"{"v":1,"seq":"#)) }
    }
    let one = try sandbox.lines("schema", "--format", "text")
    #expect(one.lines.count == 1 && one.lines[0].hasPrefix("{"))
  }

  @Test("cli-29: the envelope's keys are those of the schema, in its order, in all kept records")
  func envelope() throws {
    let order = EventSchema.envelopeKeys
    let files = try #require(FileManager.default.enumerator(atPath: GoldenCase.folder.path))
    var count = 0
    for case let file as String in files where file.hasSuffix(".ndjson") {
      let text = try String(
        contentsOf: GoldenCase.folder.appendingPathComponent(file), encoding: .utf8)
      for line in text.split(separator: "\n") {
        let keys = try Record(Array(line.utf8)).object.keys
        #expect(keys == order.filter(keys.contains), "\(file): \(line.prefix(100))")
        count += 1
      }
    }
    #expect(count > 100)
  }

  @Test("cli-30: errors are on stderr, each line has its command's id, each run one hello")
  func errors() throws {
    let text = try sandbox.lines("show", "book:x:9", "--format", "text")
    #expect(text.lines.isEmpty)
    #expect(text.errors.contains("book:x:9"))
    let run = try sandbox.run(
      "run", "-f", "-",
      input: "delete book:x:9\n{\"id\":\"mine\",\"op\":\"delete\",\"item\":\"book:x:1\"}")
    #expect(run.results.map(\.correlation) == ["s1:L1", "s1:mine"])
    #expect(run.all("stream.hello").count == 1)
  }
}
