import Foundation
import FreshetStore
import Synchronization
import Testing

/// The world's odd states: nothing is lost, nothing crashes, and the exit code says what it was.
@Suite struct RobustnessTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:1","title":"a"}"#)
  }

  @Test(
    "a full disk under stdout is exit 74, told on stderr",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"),
    arguments: [["list"], ["save", "-f", "-"], ["man"], ["watch", "--initial", "only"]])
  func fullStandardOutput(_ arguments: [String]) throws {
    let child = try Child(
      arguments, environment: ["FRESHET_STORE": sandbox.store], output: .file("/dev/full"))
    #expect(child.wait() == .exited(74))
    #expect(child.errorText.contains("cannot write to stdout"))
  }

  @Test("an unknown locale and no TERM change nothing")
  func unknownLocale() throws {
    let run = try sandbox.run(
      "list", environment: ["FRESHET_STORE": sandbox.store, "LC_ALL": "xx_XX.nope", "LANG": "?"])
    #expect(run.status == .exited(0))
    #expect(run.items == ["book:x:1"])
  }

  @Test("NUL, lone surrogates, U+2028 and line noise in a record cost at most that record")
  func oddText() throws {
    let lines = [
      #"{"id":"book:x:2","title":"nul \\u0000 inside"}"#,
      #"{"id":"book:x:3","title":"lone \\ud800 half"}"#,
      "{\"id\":\"book:x:4\",\"title\":\"line\u{2028}end\u{85}s\"}",
      "\u{0}\u{1}\u{2}", #"{"id":"book:x:5","title":"last"}"#,
    ]
    let run = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
    #expect(run.status == .exited(1))
    #expect(run.results.count { $0["ok"] == true } == 4)
    let list = try sandbox.run("list")
    #expect(list.items == (1...5).map { "book:x:\($0)" })
    for record in list.records {
      #expect(
        !record.text.unicodeScalars.contains { ["\u{2028}", "\u{85}", "\u{0}"].contains($0) })
    }
  }

  @Test("an endless input is answered line by line, in constant memory")
  func endlessInput() throws {
    let child = try sandbox.start("run", "-f", "-", input: .pipe)
    let isOver = Atomic(false)
    let sender = Thread {
      while !isOver.load(ordering: .acquiring) { child.send("delete book:x:none\n") }
    }
    sender.start()
    var answers = 0
    var memory: [Int] = []
    while answers < 4000, let record = try child.nextRecord() {
      if record.type == "cmd.result" { answers += 1 }
      if answers == 1000 || answers == 4000, record.type == "cmd.result" {
        memory.append(try child.residentKilobytes())
      }
    }
    child.signal(SIGTERM)
    child.closeOutput()
    _ = child.wait()
    isOver.store(true, ordering: .releasing)
    try #require(memory.count == 2)
    #expect(memory[1] - memory[0] < 4096, "grew from \(memory[0]) to \(memory[1]) KiB")
  }
}
