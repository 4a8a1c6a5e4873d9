import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

/// A terminal changes how things look, never what is done.
@Suite struct TerminalTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    let items = (1...5).map { #"{"id":"book:x:\#($0)","title":"Title \#($0)"}"# }
    _ = try sandbox.run("save", "-f", "-", input: items.joined(separator: "\n"))
  }

  /// Lines without the carriage return that a terminal adds.
  private func lines(of child: Child) throws -> [String] {
    var lines: [String] = []
    while let line = try child.nextLine() {
      lines.append(String(decoding: line.last == 0x0D ? line.dropLast() : line[...], as: UTF8.self))
    }
    return lines
  }

  private func start(
    _ arguments: [String], _ environment: [String: String] = [:],
    output: Child.StandardOutput = .terminal
  ) throws -> Child {
    try Child(
      arguments,
      environment: ["FRESHET_STORE": sandbox.store, "TERM": "xterm"].merging(environment) { $1 },
      output: output)
  }

  @Test("cli-2: a terminal, a pipe and a file get the same records", arguments: ["list", "watch"])
  func sameRecords(_ command: String) throws {
    let bound = command == "watch" ? ["--since", "start", "--count", "5"] : []
    let arguments = [command, "--format", "ndjson"] + bound
    let terminal = try start(arguments)
    let onTerminal = try lines(of: terminal)
    #expect(terminal.wait() == .exited(0))
    let pipe = try start(arguments, output: .pipe)
    let inPipe = try lines(of: pipe)
    #expect(pipe.wait() == .exited(0))
    let path = sandbox.path("\(command).out")
    let file = try start(arguments, output: .file(path))
    #expect(file.wait() == .exited(0))
    let inFile = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(onTerminal.count == inPipe.count && inPipe.count == inFile.count)
    #expect(onTerminal.count >= 7)
  }

  @Test("on a terminal records are lines for people, unless records are asked for")
  func textOnTerminal() throws {
    let people = try start(["list"])
    #expect(try lines(of: people).allSatisfy { !$0.hasPrefix("{") })
    let records = try start(["list"], ["FRESHET_FORMAT": "ndjson"])
    #expect(try lines(of: records).allSatisfy { $0.hasPrefix("{") })
  }

  @Test(
    "colour is used when asked for, and never against NO_COLOR or in a pipe",
    arguments: [
      (["--color", "always"], [:], true), (["--color", "always"], ["NO_COLOR": "1"], true),
      (["--color", "never"], [:], false), ([], [:], false), ([], ["NO_COLOR": "1"], false),
    ] as [([String], [String: String], Bool)])
  func colour(_ options: [String], _ environment: [String: String], _ isColored: Bool) throws {
    let child = try start(["show", "book:x:9"] + options, environment, output: .pipe)
    _ = try child.rest()
    #expect(child.wait() == .exited(1))
    #expect(child.errorText.contains("\u{1B}[") == isColored)
  }

  @Test("a table is coloured on a terminal only, and by no title; in a pipe nothing is cut")
  func tables() throws {
    let title = String(repeating: "밤", count: 100)
    _ = try sandbox.run(
      "save", "-f", "-", input: #"{"id":"book:x:6","title":"\#(title)","release_date":"1999"}"#)
    let people = try start(["list"])
    let onTerminal = try lines(of: people)
    #expect(onTerminal.count == 6)
    #expect(onTerminal.allSatisfy { $0.hasPrefix("\u{1B}[2mbook:x:") })
    // A pseudo-terminal that does not say how wide it is counts as 80.
    #expect(onTerminal.last?.hasSuffix("밤…") == true)
    #expect(DisplayWidth.of(onTerminal.last.map { $0.replacing("\u{1B}[2m", with: "") } ?? "") < 90)
    let plain = try start(["list"], ["NO_COLOR": "1"])
    #expect(try lines(of: plain).allSatisfy { $0.hasPrefix("book:x:") })
    let dumb = try start(["list"], ["TERM": "dumb"])
    #expect(try lines(of: dumb).allSatisfy { $0.hasPrefix("book:x:") })
    let forced = try start(
      ["list", "--color", "always"], ["FRESHET_FORMAT": "text"], output: .pipe)
    #expect(try lines(of: forced).allSatisfy { $0.hasPrefix("\u{1B}[2mbook:x:") })
    let pipe = try start(["list", "--format", "text"], output: .pipe)
    let inPipe = try lines(of: pipe)
    #expect(inPipe.last == "book:x:6  \(title)  1999")
    #expect(inPipe.first == "book:x:1  Title 1")
  }

  @Test("bench shows on a terminal's stderr how far it is, and takes that away at the end")
  func benchProgress() throws {
    let child = try Child(
      ["bench", "map", "--events", "64", "--runs", "2", "--warmup", "0", "--format", "ndjson"],
      environment: ["HOME": sandbox.folder.path, "TERM": "xterm"], input: .terminal, output: .pipe)
    let records = try child.rest()
    #expect(records.last?.type == "stream.end")
    #expect(child.wait() == .exited(0))
    try child.readScreenToEnd()
    #expect(child.screen.contains("[....................] 0 % "))
    #expect(child.screen.hasSuffix("\r\u{1B}[K"))
  }

  @Test("a reader that closes a terminal's window ends it")
  func hangUp() throws {
    let child = try start(["watch", "--format", "ndjson"])
    while let line = try child.nextLine(), !line.contains("stream.bookmark".utf8) {}
    child.closeOutput()
    #expect(child.wait() != .exited(0))
  }
}
