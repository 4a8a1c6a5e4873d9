import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

/// Command lines and script lines that are nearly right, and such that are anything.
///
/// Each test is bounded and prints the seed that replays it: `FRESHET_SEED=… swift test`.
@Suite("Fuzzed command lines and scripts")
struct FuzzTests {
  private static let seed =
    ProcessInfo.processInfo.environment["FRESHET_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: .min ... .max)
  private static let replay: Comment = "replay with FRESHET_SEED=\(seed) swift test"

  // MARK: Command lines

  /// The examples of every command's help: they are all right.
  private static let lines: [[String]] = CommandTable.commands.flatMap { command in
    command.examples.compactMap { example in
      guard let line = example.line.split(separator: "|").first(where: { $0.contains("freshet") }),
        let words = try? WordSplitter.words(of: String(line))
      else { return nil }
      return Array(words.drop { $0 != "freshet" }.dropFirst().prefix { !$0.hasPrefix(">") })
    }
  }

  private static let spellings: [String] =
    (CommandTable.globals + CommandTable.commands.flatMap(\.options)).flatMap { option in
      ["--" + option.name, "--\(option.name)=x"] + (option.short.map { ["-\($0)"] } ?? [])
        + option.choices
    } + CommandTable.commands.map(\.name) + ["--", "-", "", "--=", "-=", "--é", "-가", "\u{2028}"]

  @Test("a mutated command line is understood as the table says, or refused in one line")
  func commandLines() {
    var random = SeededGenerator(seed: Self.seed)
    #expect(Self.lines.count > 30)
    for _ in 0..<15_000 {
      var words = Self.lines.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 0...4, using: &random) { Self.mutate(&words, &random) }
      do throws(UsageError) {
        let invocation = try CommandTable.parser.parse(words)
        let options = invocation.command.options + CommandTable.globals
        for (name, values) in invocation.values {
          let option = options.first { $0.name == name }
          let fits = values.allSatisfy { value in
            option?.value == nil
              ? value.isEmpty : option?.choices.isEmpty == true || option!.choices.contains(value)
          }
          #expect(option != nil && fits, "\(words), \(Self.replay)")
        }
      } catch {
        let isOneLine = !error.message.isEmpty && !error.message.contains("\n")
        #expect(isOneLine && error.message.count < 1000, "\(words), \(Self.replay)")
      }
    }
  }

  private static func mutate(_ words: inout [String], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0...words.count, using: &random)
    switch Int.random(in: 0...5, using: &random) {
    case 0: words.insert(spellings.randomElement(using: &random) ?? "", at: place)
    case 1 where place < words.count: words.remove(at: place)
    case 2 where place < words.count: words.insert(words[place], at: place)
    case 3: words.shuffle(using: &random)
    case _ where place < words.count:
      var bytes = Array(words[place].utf8)
      mutate(&bytes, &random)
      words[place] = String(decoding: bytes, as: UTF8.self)
    default: break
    }
  }

  // MARK: Script lines

  private static let commands: [String] = [
    #"{"id":"a1","op":"download","item":"film:tmdb:movie:603"}"#,
    "delete book:google:zyTCAlFPjgYC", #"{"op":"begin","id":"t1"}"#,
    #"{"op":"save","record":{"id":"book:local:1","kind":"book","title":"a\u00e9\ud83d\ude00"}}"#,
    #"{"op":"commit","id":"t1"}"#, #"save '{"id":"book:x:1","title":"it\"s"}'"#,
    "list --kind film --limit 3", "select 2", "toggleFold book:x:1", "rollback t1",
    #"{"op":"register","student":202110101,"reason":"기타","detail":"x"}"#, "restore book:x:1",
    "search 'sea' --source kakao --page-size 10", "more", "filter my-class --grade 2 --class 8",
    "delay 3 2026-03-05", "complete guidance:1", "# a comment", "  ", "deleteAll",
    #"{"op":"list","kind":null,"limit":18446744073709551615}"#,
  ]

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let odd: [[UInt8]] = [
      [0], [0x0D], [0xFF], [0xC3], [0xE2, 0x80, 0xA8], [0xED, 0xA0, 0x80], [0x5C], [0x22], [0x27],
      [0x7B], [0x7D], Array(#"\ud800"#.utf8), Array("1e999".utf8), Array(#""op":"#.utf8),
      Array("--".utf8), Array(repeating: 0x5B, count: 300), [0xEF, 0xBB, 0xBF],
    ]
    switch Int.random(in: 0...6, using: &random) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
    case 1 where place < bytes.count: bytes.remove(at: place)
    case 2: bytes.insert(contentsOf: odd.randomElement(using: &random) ?? [], at: place)
    case 3: bytes.removeSubrange(place...)
    case 4: bytes.insert(contentsOf: bytes[..<place], at: place)
    case 5: bytes.append(UInt8.random(in: 0...255, using: &random))
    default:
      let other = Array((commands.randomElement(using: &random) ?? "").utf8)
      bytes = Array(bytes[..<place])
      bytes += other[Int.random(in: 0...other.count, using: &random)...]
    }
    bytes.removeAll { $0 == 0x0A }
  }

  private static func line(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = Array((commands.randomElement(using: &random) ?? "").utf8)
    for _ in 0..<Int.random(in: 0...4, using: &random) { mutate(&bytes, &random) }
    return bytes
  }

  @Test("a mutated line of a script is a command, nothing, or a fault with a code and a reason")
  func scriptLines() {
    var random = SeededGenerator(seed: Self.seed)
    var understood = 0
    for number in 1...20_000 {
      let bytes = Self.line(&random)
      do throws(ScriptFault) {
        if try ScriptParser.command(in: .init(number: number, bytes: bytes)) != nil {
          understood += 1
        }
      } catch {
        #expect(
          !error.problem.code.isEmpty && !error.problem.message.isEmpty,
          "\(String(decoding: bytes, as: UTF8.self)), \(Self.replay)")
      }
    }
    // Neither all of it nonsense nor all of it right.
    #expect((2_000..<18_000).contains(understood), "\(understood), \(Self.replay)")
  }

  @Test("each mutated line that is not blank gets one result; nothing is lost behind it")
  func wholeScripts() throws {
    let sandbox = try Sandbox()
    var random = SeededGenerator(seed: Self.seed)
    var splitter = LineSplitter()
    var input: [UInt8] = []
    for _ in 0..<400 { input += Self.line(&random) + [0x0A] }
    let lines = splitter.feed(input)
    var expected: [Int64] = []
    for line in lines {
      // What faults is answered too.
      let command = Result { () throws(ScriptFault) in try ScriptParser.command(in: line) }
      if case .success(nil) = command { continue }
      expected.append(Int64(line.number))
    }
    // Nobody listens where the catalogues are said to be.
    var environment = ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path]
    for name in ["KAKAO", "GOOGLE", "TMDB"] {
      environment["FRESHET_\(name)_URL"] = "http://127.0.0.1:9"
    }
    let run = try sandbox.run(["run", "-f", "-"], bytes: input, environment)
    let answered = run.results.compactMap { $0["line"]?.numberValue?.int64 }
    #expect(answered.sorted() == expected, Self.replay)
    let ends: [Child.Status] = [.exited(1), .exited(2), .exited(4), .exited(5)]
    #expect(ends.contains(run.status), Self.replay)
  }
}
