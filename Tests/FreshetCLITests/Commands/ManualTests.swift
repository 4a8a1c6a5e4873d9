import Foundation
import FreshetStore
import Testing

/// Help, manual page and completions: all made from the one table of commands.
@Suite struct ManualTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func document(_ arguments: String...) throws -> String {
    let child = try Child(arguments, environment: ["HOME": sandbox.folder.path])
    var lines: [String] = []
    while let line = try child.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
    #expect(child.wait() == .exited(0))
    #expect(child.errorText.isEmpty)
    return lines.joined(separator: "\n") + "\n"
  }

  private func table() throws -> JSONObject {
    try #require(try JSONValue(parsing: Array(try document("help", "--json").utf8)).objectValue)
  }

  private func names(of value: JSONValue?) -> [String] {
    value?.arrayValue?.compactMap { $0.objectValue?["name"]?.stringValue } ?? []
  }

  @Test(
    "each shell reads its completions without complaint", arguments: ["bash", "zsh", "fish"])
  func eachShellReadsItsCompletionsWithoutComplaint(_ shell: String) throws {
    let script = try sandbox.file("completion", try document("completions", shell))
    guard let tool = Tool(shell) else { return }
    let result = try tool.run("-n", script)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
  }

  @Test(
    "completions hold every command and every option", arguments: ["bash", "zsh", "fish"])
  func completionsHoldEveryCommandAndEveryOption(_ shell: String) throws {
    let script = try document("completions", shell)
    let table = try table()
    for command in table["commands"]?.arrayValue ?? [] {
      let command = try #require(command.objectValue)
      for option in names(of: command["options"]) + names(of: table["global"]) {
        let written = shell == "fish" ? "-l \(option.dropFirst(2)) " : option
        #expect(script.contains(written))
      }
    }
    for name in names(of: table["commands"]) { #expect(script.contains(name)) }
  }

  @Test(
    "bash completes", .enabled(if: Tool.isInstalled("bash")),
    arguments: [
      ("freshet wat", "watch"), ("freshet list --ki", "--kind"),
      ("freshet list --kind ''", "film book"), ("freshet list --kind = b", "book"),
      ("freshet --store /tmp completions z", "zsh"), ("freshet watch --initial o", "only"),
      ("freshet -v list --limit 3 --kin", "--kind"), ("freshet delete --timeout", ""),
      ("freshet nothing ''", ""),
    ])
  func bashCompletes(_ line: String, _ wanted: String) throws {
    let script = try sandbox.file("completion", try document("completions", "bash"))
    let answer = try #require(Tool("bash")).run(
      "-c",
      """
      source "\(script)"
      eval "COMP_WORDS=(\(line))"
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _freshet
      echo "${COMPREPLY[*]}"
      """)
    #expect(answer.errors.isEmpty)
    #expect(answer.output == wanted + "\n")
  }

  @Test(
    "fish completes", .enabled(if: Tool.isInstalled("fish")))
  func fishCompletes() throws {
    let script = try sandbox.file("completion", try document("completions", "fish"))
    let fish = try #require(Tool("fish"))
    let home = ["HOME": sandbox.folder.path]
    let kinds = try fish.run(
      "-c", "source \(script); complete -C 'freshet list --kind '", environment: home)
    #expect(kinds.output.split(separator: "\n").map { $0.prefix(4) } == ["book", "film"])
    let shells = try fish.run(
      "-c", "source \(script); complete -C 'freshet completions '", environment: home)
    #expect(shells.output == "bash\nfish\nzsh\n")
  }

  @Test("help of an action is of it alone; that of the command names them all")
  func helpOfAnAction() throws {
    let export = try document("store", "export", "--help")
    #expect(export.contains("usage: freshet store export [--include-deleted] [--force] FILE"))
    #expect(export.contains("freshet store export items.ndjson") && export.contains("73"))
    for other in ["compact", "salvage", "sign"] { #expect(!export.contains(other)) }
    #expect(try document("help", "store", "export") == export)
    let whole = try document("store", "--help")
    let page = try document("man").replacing("\\-", with: "-")
    let command = try #require(
      table()["commands"]?.arrayValue?.compactMap(\.objectValue).first { $0["name"] == "store" })
    let actions = names(of: command["actions"])
    #expect(actions.count == 7)
    for action in actions {
      #expect(whole.contains("\n  \(action) "))
      #expect(page.contains("\n.B \"\(action)"))
      #expect(
        try document("store", action, "--help").contains("examples:\n  freshet store \(action)"))
    }
    let unknown = try sandbox.run("help", "store", "exprot", "--format", "ndjson")
    #expect(unknown.status == .exited(2) && unknown.errors.contains("did you mean export?"))
    #expect(try sandbox.run("help", "list", "x", "--format", "ndjson").status == .exited(2))
  }

  @Test("the manual page names every command, option and exit code")
  func theManualPageNamesEveryCommandOptionAndExitCode() throws {
    let page = try document("man").replacing("\\-", with: "-")
    let table = try table()
    for name in names(of: table["commands"]) { #expect(page.contains("freshet \(name)")) }
    for command in table["commands"]?.arrayValue ?? [] {
      for option in names(of: command.objectValue?["options"]) { #expect(page.contains(option)) }
    }
    for code in [0, 1, 2, 3, 4, 5, 6, 7, 70, 74, 141] { #expect(page.contains(".B \"\(code)\"")) }
  }

  @Test(
    "man shows the page without warnings", .enabled(if: Tool.isInstalled("man")))
  func manShowsThePageWithoutWarnings() throws {
    let page = try sandbox.file("freshet.1", try document("man"))
    let shown = try #require(Tool("man")).run(
      "--warnings", "-E", "UTF-8", "-l", page, environment: ["MANWIDTH": "80", "PAGER": "cat"])
    #expect(shown.status == 0)
    #expect(shown.errors.isEmpty, "\(shown.errors)")
    #expect(shown.output.contains("SYNOPSIS"))
  }

  @Test("with ndjson asked for, documents are records")
  func withNdjsonAskedForDocumentsAreRecords() throws {
    for command in [["man"], ["completions", "zsh"], ["doctor"], ["config", "show"]] {
      let run = try sandbox.run(command + ["--format", "ndjson"], bytes: nil)
      #expect(run.status == .exited(0))
    }
    let run = try sandbox.run("man", "--format", "ndjson")
    #expect(run.results.first?["text"]?.stringValue?.contains(".SH NAME") == true)
  }

  @Test("an unknown shell is refused with the ones there are")
  func anUnknownShellIsRefusedWithTheOnesThereAre() throws {
    let run = try sandbox.run("completions", "tcsh", "--format", "ndjson")
    #expect(run.status == .exited(2))
    #expect(run.errors.contains("tcsh") && run.errors.contains("bash, zsh, fish"))
  }
}
