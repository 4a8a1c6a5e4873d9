import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("freshet run")
struct RunTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func run(_ script: String, _ options: String...) throws -> Run {
    try sandbox.run(["run", "-f", "-"] + options, bytes: Array(script.utf8))
  }

  private func save(_ id: String) -> String {
    "{\"op\":\"save\",\"record\":{\"id\":\"\(id)\"}}"
  }

  private func status(_ run: Run) -> [String] {
    run.results.map {
      "\($0["line"]?.jsonText ?? "") \($0["op"]?.stringValue ?? $0["op"]?.jsonText ?? "") "
        + "\($0["status"]?.stringValue ?? "") \($0["ok"]?.jsonText ?? "")"
    }
  }

  @Test("a transaction that is left open with nothing in it: stderr says why the exit code is 5")
  func emptyTransaction() throws {
    let result = try run("begin\n")
    #expect(result.status == .exited(5))
    #expect(result.errors.contains("the script ended before its commit"))
  }

  @Test("every command line gets exactly one result; comments and blank lines none")
  func oneResultEach() throws {
    let result = try run(
      """
      # a script
      \(save("book:local:1"))

      save '{"id":"book:local:2","title":"two words"}'
      delete book:local:1
      delete book:local:1   # gone already
      restore book:local:1
      list --kind book
      nonsense
      {"op":"delete"}
      {"op":
      deleteAll
      """)
    #expect(
      status(result) == [
        "2 save done true", "4 save done true", "5 delete done true", "6 delete done true",
        "7 restore done true", "8 list done true", "9 nonsense failed false",
        "10 delete failed false", "11 null failed false", "12 deleteAll done true",
      ])
    #expect(result.results[3]["changed"] == false)
    #expect(result.results[9]["count"] == 2)
    #expect(result.all("snapshot.item").count == 2)
    #expect(result.status == .exited(2))
  }

  @Test("results carry the command's own id")
  func correlation() throws {
    let result = try run(
      "{\"id\":\"a1\",\"op\":\"delete\",\"item\":\"book:local:1\"}\ndelete book:local:2\n"
        + "{\"id\":\"a1\",\"op\":\"deleteAll\"}")
    #expect(result.results.map(\.correlation) == ["s1:a1", "s1:L2", "s1:a1"])
    #expect(result.results[2].errorCode == "duplicate_id")
  }

  @Test("a bad record is exit 1, the rest is done")
  func badRecord() throws {
    let result = try run("save '{\"id\":\"x\"}'\n\(save("book:local:1"))\n")
    #expect(result.status == .exited(1))
    #expect(try sandbox.run("list").items == ["book:local:1"])
  }

  private func deep(_ levels: Int) -> String {
    let open = String(repeating: "[", count: levels)
    let close = String(repeating: "]", count: levels)
    return "{\"op\":\"save\",\"record\":{\"id\":\"book:local:9\",\"foo\":\(open)\(close)}}"
  }

  @Test("a record that is too deep is exit 1, the rest is done", arguments: [199, 509, 600])
  func tooDeep(_ levels: Int) throws {
    let result = try run("\(save("book:local:1"))\n\(deep(levels))\n\(save("book:local:2"))\n")
    #expect(result.status == .exited(1))
    #expect(result.results.map(\.errorCode) == [nil, "too_deep", nil])
    #expect(try sandbox.run("list").items == ["book:local:1", "book:local:2"])
  }

  @Test("in a transaction it is the rollback, and later lines are answered", arguments: [199, 509])
  func tooDeepInTransaction(_ levels: Int) throws {
    let result = try run(
      "begin\n\(save("book:local:1"))\n\(deep(levels))\ncommit\n\(save("book:local:2"))\n")
    #expect(result.status == .exited(5))
    #expect(result.results.count == 5)
    #expect(result.results.filter { $0["line"] == 3 }.map(\.errorCode) == ["too_deep"])
    #expect(try sandbox.run("list").items == ["book:local:2"])
  }

  @Test("begin to commit is one revision")
  func commit() throws {
    let result = try run(
      "{\"op\":\"begin\",\"id\":\"t1\"}\n\(save("book:local:1"))\n\(save("book:local:2"))\n"
        + "delete book:local:1\n{\"op\":\"commit\",\"id\":\"t1\"}\n")
    #expect(result.status == .exited(0))
    #expect(
      status(result) == [
        "1 begin done true", "2 save done true", "3 save done true", "4 delete done true",
        "5 commit done true",
      ])
    #expect(Set(result.results.dropFirst().map(\.revision)) == [1])
    #expect(result.all("cmd.accepted").count == 3)
    #expect(try sandbox.run("list").items == ["book:local:2"])
  }

  @Test(
    "whatever comes before the commit rolls back, exit 5, nothing written",
    arguments: [
      "",  // the end of the script
      "save '{\"id\":\"x\"}'\ncommit\n", "nonsense\ncommit\n", "begin\ncommit\n",
      "restore book:local:77\ncommit\n", "{\"op\":\"commit\",\"id\":\"other\"}\n",
      "{broken\ndelete book:local:1\ncommit\n",
    ])
  func rollsBack(_ rest: String) throws {
    let result = try run("begin\n\(save("book:local:1"))\n\(rest)")
    #expect(result.status == .exited(5))
    #expect(result.end?["reason"] == "rolled_back")
    let saved = try #require(result.results.first { $0["line"] == 2 })
    #expect(saved["status"] == "rolled_back")
    #expect(saved["ok"] == false)
    #expect(result.results.count == 2 + rest.split(separator: "\n").count)
    #expect(Set(result.results.map { $0["line"]?.jsonText }).count == result.results.count)
    #expect(try sandbox.run("list").items.isEmpty)
  }

  @Test("after a rollback the next lines are taken again")
  func goesOn() throws {
    let result = try run("begin\nnonsense\ncommit\n\(save("book:local:1"))\n")
    #expect(result.status == .exited(5))
    #expect(try sandbox.run("list").items == ["book:local:1"])
  }

  @Test("a rollback that was asked for is no failure")
  func rollback() throws {
    let result = try run("begin t\n\(save("book:local:1"))\nrollback t\n")
    #expect(
      status(result) == ["1 begin done true", "2 save rolled_back true", "3 rollback done true"])
    #expect(result.status == .exited(0))
    #expect(try sandbox.run("list").items.isEmpty)
  }

  @Test("a signal before the commit rolls back and is then obeyed")
  func signal() throws {
    let child = try sandbox.start("run", "-f", "-", input: .pipe)
    child.send("begin\n\(save("book:local:1"))\n")
    _ = try child.record("cmd.accepted")
    child.signal(SIGTERM)
    #expect(try child.record("cmd.result")["status"] == "rolled_back")
    #expect(try child.record("stream.end")["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGTERM))
    #expect(try sandbox.run("list").items.isEmpty)
  }

  @Test("--atomic: all or nothing, one revision")
  func atomic() throws {
    let good = try run("\(save("book:local:1"))\n\(save("book:local:2"))\n", "--atomic")
    #expect(good.status == .exited(0))
    #expect(Set(good.results.map(\.revision)) == [1])
    let bad = try run("\(save("book:local:3"))\nnonsense\n\(save("book:local:4"))\n", "--atomic")
    #expect(bad.status == .exited(5))
    #expect(
      status(bad) == [
        "2 nonsense failed false", "1 save rolled_back false", "3 save rolled_back false",
      ])
    #expect(try sandbox.run("list").items == ["book:local:1", "book:local:2"])
  }

  @Test("--fail-fast takes no more lines")
  func failFast() throws {
    let result = try run(
      "\(save("book:local:1"))\nnonsense\n\(save("book:local:2"))\n", "--fail-fast")
    #expect(result.results.count == 2)
    #expect(try sandbox.run("list").items == ["book:local:1"])
  }

  @Test("--dry-run answers what a run would, line after line, and writes nothing")
  func dryRun() throws {
    _ = try run(save("book:local:1"))
    let script =
      "\(save("book:local:2"))\n\(save("book:local:1"))\ndelete book:local:1\n"
      + "delete book:local:1\ndelete book:local:9\nrestore book:local:1\nrestore book:local:9\n"
      + "\(save("book:local:2"))\nbegin\ndelete book:local:2\n\(save("book:local:3"))\n"
      + "deleteAll\ncommit\nrestore book:local:3\n"
    let before = try sandbox.run("store", "stats").results.first?.text.contains("\"revision\":1")
    #expect(before == true)
    let dry = try run(script, "--dry-run")
    #expect(dry.results.allSatisfy { $0["dry"] == true })
    #expect(try sandbox.run("list").items == ["book:local:1"])
    let real = try run(script)
    let told = [dry, real].map { run in
      run.results.map { result in
        ["line", "ok", "changed", "status", "outcome", "count"].map {
          result[$0]?.jsonText ?? "-"
        }
      }
    }
    #expect(told[0] == told[1])
    #expect(
      real.results.map { $0["outcome"]?.stringValue ?? "-" } == [
        "saved", "unchanged", "deleted", "not_found", "not_found", "restored", "-", "unchanged",
        "-", "deleted", "saved", "deleted_all", "-", "restored",
      ])
  }

  @Test("--dry-run: list tells what the lines before it would have left, as a run does")
  func dryList() throws {
    _ = try run((1...4).map { save("book:local:\($0)") }.joined(separator: "\n"))
    _ = try sandbox.run("delete", "book:local:4")
    let script = [
      save("book:local:5"), "delete book:local:1", "list", "deleteAll", "list",
      "restore book:local:3", "restore book:local:2", save("book:local:1"), "restore book:local:4",
      save("film:local:6"), "list", "list --kind film", "list --limit 2", "delete film:local:6",
      #"save '{"id":"book:local:2","title":"other"}'"#, "list", "begin", "deleteAll", "list",
      "commit", "list",
    ].joined(separator: "\n")
    let dry = try run(script, "--dry-run")
    #expect(try sandbox.run("list").items.count == 3)
    let real = try run(script)
    func told(_ run: Run) -> [String] {
      run.records.filter { $0.type.hasPrefix("snapshot.") }.map { record in
        let item = record["item"]?.jsonText ?? record["count"]?.jsonText ?? ""
        return "\(record.correlation ?? "") \(record.type) \(record.id ?? "") \(item)"
      }
    }
    #expect(told(dry) == told(real))
    #expect(dry.status == .exited(0))
    let last = real.all("snapshot.begin").map { $0["count"]?.numberValue?.int64 ?? -1 }
    #expect(last == [3, 0, 5, 1, 5, 4, 4, 0])
  }

  @Test("the example script runs without a failure")
  func example() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    _ = try run(save("film:tmdb:tv:700001"))
    let result = try sandbox.run("run", "-f", root.path + "/Examples/first-run.txt")
    #expect(result.status == .exited(0))
    #expect(try sandbox.run("list").items == ["film:tmdb:tv:700001", "book:local:1"])
  }

  @Test("lines are answered while the script is still being written")
  func interactive() throws {
    let child = try sandbox.start("run", "-f", "-", input: .pipe)
    child.send(save("book:local:1") + "\n")
    #expect(try child.record("cmd.result")["outcome"] == "saved")
    child.send("delete book:local:1")
    child.closeInput()
    #expect(try child.record("cmd.result")["outcome"] == "deleted")
    #expect(child.wait() == .exited(0))
  }

  @Test("random lines get one result each, never a crash")
  func fuzz() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "save", "delete", "{", "}", "\"op\"", ":", "\"save\"", "begin", "commit", "'", "\\",
      "\u{2028}",
      "book:local:1", "[", "]", ",", "\u{FFFD}", "list", "--limit", "9", "rollback", "restore",
    ]
    var lines: [String] = []
    for _ in 0..<300 {
      let words = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        pieces.randomElement(using: &random)!
      }
      lines.append(words.joined(separator: " "))
    }
    let result = try run(lines.joined(separator: "\n"))
    let answered = result.results.compactMap { $0["line"]?.jsonText }
    #expect(Set(answered).count == answered.count, "seed \(seed)")
    #expect(answered.count == 300, "seed \(seed)")
  }
}
