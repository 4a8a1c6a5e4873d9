import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("freshet list, show, delete, restore")
struct ItemCommandsTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    let lines = ["book:local:1", "film:local:2", "book:local:3"].map { "{\"id\":\"\($0)\"}" }
    _ = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
  }

  @Test("list: in the order of insertion, by kind, up to a limit")
  func list() throws {
    #expect(try sandbox.run("list").items == ["book:local:1", "film:local:2", "book:local:3"])
    #expect(try sandbox.run("list", "--kind", "book").items == ["book:local:1", "book:local:3"])
    let cut = try sandbox.run("list", "--limit", "1")
    #expect(cut.items == ["book:local:1"])
    #expect(cut.all("stream.bookmark").isEmpty)
    #expect(cut.end?["reason"] == "limit")
    #expect(try sandbox.run("list", "--limit", "x").status == .exited(2))
  }

  @Test("show: the item, or exit 1")
  func show() throws {
    #expect(try sandbox.run("show", "film:local:2").items == ["film:local:2"])
    let none = try sandbox.run("show", "film:local:9")
    #expect(none.status == .exited(1))
    #expect(none.results.map(\.errorCode) == ["not_found"])
  }

  @Test("show: a long text is left out where the line would be longer than 1 MiB")
  func showLong() throws {
    for (length, isTold) in [(500_000, true), (700_000, false)] {
      let text = String(repeating: "x", count: length)
      _ = try sandbox.run(
        "save", "-f", "-", input: #"{"id":"book:local:9","overview":"\#(text)"}"#)
      for fold in ["--unfold", "--fold"] {
        let run = try sandbox.run("show", "book:local:9", fold)
        #expect(run.status == .exited(0))
        #expect(run.records.allSatisfy { $0.text.utf8.count < 1 << 20 })
        let item = try #require(run.all("snapshot.item").first)
        #expect(item["item"]?.objectValue?["overview"]?.stringValue?.utf8.count == length)
        let summary = try #require(item["summary"]?.objectValue)
        #expect(summary["characters"]?.numberValue?.int64 == Int64(length))
        let shown = summary["text"]?.stringValue?.utf8.count
        #expect(shown == (fold == "--fold" ? 453 : isTold ? length : nil), "\(length) \(fold)")
      }
    }
  }

  @Test("restore -f: ids of a file or of standard input, instead of words")
  func restoreFromFile() throws {
    _ = try sandbox.run("delete", "--all", "--yes")
    let ids = "# first\nbook:local:1\n\nbook:local:7\nnonsense\nfilm:local:2\n"
    let run = try sandbox.run("restore", "-f", "-", input: ids)
    #expect(run.results.map { $0["line"] } == [2, 4, 5, 6])
    #expect(run.results.map(\.errorCode) == [nil, "not_found", "malformed_id", nil])
    #expect(run.status == .exited(1))
    #expect(try sandbox.run("list").items == ["book:local:1", "film:local:2"])
    let file = try sandbox.file("ids", "book:local:3\n")
    #expect(try sandbox.run("restore", "-f", file).status == .exited(0))
    #expect(try sandbox.run("restore").status == .exited(2))
    #expect(try sandbox.run("restore", "book:local:1", "-f", file).status == .exited(2))
    #expect(try sandbox.run("restore", "-f", "/no/such").status == .exited(2))
  }

  @Test("delete and restore: out, and back at the old place")
  func deleteAndRestore() throws {
    let deleted = try sandbox.run("delete", "book:local:1", "film:local:2")
    #expect(deleted.results.map { $0["outcome"] } == ["deleted", "deleted"])
    #expect(Set(deleted.results.map(\.revision)).count == 1)
    #expect(try sandbox.run("show", "book:local:1").status == .exited(1))
    let restored = try sandbox.run("restore", "film:local:2", "book:local:3", "book:local:9")
    #expect(restored.results.map { $0["outcome"] } == ["restored", "not_deleted", nil])
    #expect(restored.results[2].errorCode == "not_found")
    #expect(restored.status == .exited(1))
    #expect(try sandbox.run("list").items == ["film:local:2", "book:local:3"])
  }

  @Test("delete: what is gone already is no failure unless asked")
  func missing() throws {
    let run = try sandbox.run("delete", "book:local:9")
    #expect(run.status == .exited(0))
    #expect(run.results[0]["changed"] == false)
    let strict = try sandbox.run("delete", "--strict-missing", "book:local:9", "book:local:1")
    #expect(strict.status == .exited(1))
    #expect(strict.results.map { $0["ok"] } == [false, true])
    let malformed = try sandbox.run("delete", "nonsense", "book:local:3")
    #expect(malformed.results.map(\.errorCode) == ["malformed_id", nil])
  }

  @Test("delete -f: ids one a line, comments and blank lines passed over")
  func fromFile() throws {
    let run = try sandbox.run(
      "delete", "-f", "-", input: "# old ones\n\n  book:local:1 \r\nfilm:local:2")
    #expect(run.results.map { $0["line"] } == [3, 4])
    #expect(try sandbox.run("list").items == ["book:local:3"])
  }

  @Test("delete --all: only when confirmed; --dry-run does nothing")
  func all() throws {
    let unconfirmed = try sandbox.run("delete", "--all")
    #expect(unconfirmed.status == .exited(2))
    let dry = try sandbox.run("delete", "--all", "--dry-run")
    #expect(dry.results[0]["dry"] == true)
    #expect(dry.results[0]["count"] == 3)
    #expect(try sandbox.run("delete", "--dry-run", "book:local:1").results[0]["dry"] == true)
    #expect(try sandbox.run("list").items.count == 3)
    let run = try sandbox.run("delete", "--all", "--yes")
    #expect(run.results[0]["count"] == 3)
    #expect(try sandbox.run("list").items.isEmpty)
    #expect(try sandbox.run("delete", "--all", "--yes").results[0]["changed"] == false)
  }

  @Test("delete: ids, -f and --all exclude each other")
  func ways() throws {
    #expect(try sandbox.run("delete").status == .exited(2))
    #expect(try sandbox.run("delete", "book:local:1", "--all", "--yes").status == .exited(2))
  }
}
