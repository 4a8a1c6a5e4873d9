import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("freshet save")
struct SaveTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func fixture(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("FreshetCatalogTests/Fixtures/\(name).json").path
  }

  @Test("records go in and come back as they were")
  func roundTrip() throws {
    let record =
      #"{"id":"book:local:1","kind":"book","source":"local","title":"밤\u2028의","vote_average":7.0,"#
      + #""price":9007199254740993,"extra":{"mood":null,"n":1e400}}"#
    let saved = try sandbox.run("save", "-f", "-", input: record + "\n")
    #expect(saved.status == .exited(0))
    #expect(saved.results.map { $0["outcome"] } == ["saved"])
    #expect(saved.results[0].id == "book:local:1")
    #expect(saved.results[0].revision == 1)
    #expect(saved.results[0].correlation == "s1:L1")
    let listed = try sandbox.run("list")
    #expect(listed.all("snapshot.item").count == 1)
    #expect(listed.records.contains { $0.text.contains(record) })
    #expect(listed.records.map(\.type).suffix(2) == ["stream.bookmark", "stream.end"])
  }

  @Test("a broken line is refused with its number, the others go in, exit 1")
  func brokenLine() throws {
    let lines = [
      #"{"id":"book:local:1"}"#, #"{"id":"book:local:2"}"#, #"{"id":"book:local:3""#,
      #"{"id":"book:local:4"}"#, #"{"id":"book:local:5"}"#,
    ]
    let run = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
    #expect(run.status == .exited(1))
    #expect(run.results.map { $0["ok"] } == [true, true, false, true, true])
    #expect(run.results[2].errorCode == "invalid_json")
    #expect(run.results[2]["line"] == 3)
    #expect(run.errors.contains("line 3"))
    #expect(try sandbox.run("list").items.count == 4)
  }

  @Test(
    "what is refused says why",
    arguments: [
      ("{}", "missing_id"), (#"{"id":"x"}"#, "malformed_id"), ("[[]]", "not_an_object"),
      ("7", "not_an_object"), (#"{"id":"book:local:1","title":7}"#, "wrong_type"),
      (#"{"id":"book:local:1","kind":"film"}"#, "conflicting_fields"),
    ])
  func refused(_ line: String, _ code: String) throws {
    let run = try sandbox.run(
      "save", "-f", "-", input: line + "\n{\"id\":\"book:local:9\"}\n")
    #expect(run.status == .exited(1))
    #expect(run.results.first?.errorCode == code)
    #expect(try sandbox.run("list").items == ["book:local:9"])
  }

  @Test("JSON of ten thousand levels is refused, not a crash")
  func deep() throws {
    let deep = "{\"id\":\"book:local:1\",\"t\":" + String(repeating: "[", count: 10_000) + "}"
    let run = try sandbox.run("save", "-f", "-", input: deep + "\n{\"id\":\"book:local:9\"}\n")
    #expect(run.results.map(\.errorCode) == ["too_deep", nil])
  }

  private func nested(_ levels: Int, id: String) -> String {
    // One level is the record, one is `extra`.
    let open = String(repeating: "[", count: levels - 2)
    let close = String(repeating: "]", count: levels - 2)
    return "{\"id\":\"\(id)\",\"title\":\"[[{\\\"\",\"foo\":\(open)\(close)}"
  }

  @Test("a record that is too deep, as it would be kept, costs only itself", arguments: [201, 513])
  func tooDeep(_ levels: Int) throws {
    let lines = [
      nested(200, id: "book:local:1"), nested(levels, id: "book:local:2"),
      nested(3, id: "book:local:3"),
    ]
    let run = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
    #expect(run.status == .exited(1))
    #expect(run.results.map(\.errorCode) == [nil, "too_deep", nil])
    #expect(run.results[1]["line"] == 2)
    let listed = try sandbox.run("list")
    #expect(listed.items == ["book:local:1", "book:local:3"])
    #expect(listed.records.allSatisfy { RecordDepth.of(Array($0.text.utf8)) <= 202 })
  }

  @Test("bytes that are no UTF-8, and lines over 1 MiB, cost only themselves")
  func foreignBytes() throws {
    let long =
      Array(#"{"id":"book:local:1","title":""#.utf8)
      + [UInt8](repeating: 0x61, count: 1 << 20) + Array("\"}\n".utf8)
    let bad = Array(#"{"id":"book:local:2","title":""#.utf8) + [0xFF] + Array("\"}\r\n".utf8)
    let bytes = long + bad + Array("{\"id\":\"book:local:3\",\"title\":\"\\uD800\\u0000\"}".utf8)
    let run = try sandbox.run(["save", "-f", "-"], bytes: bytes)
    #expect(run.status == .exited(1))
    #expect(run.results.map(\.errorCode) == ["too_large", "invalid_utf8", nil])
    #expect(try sandbox.run("list").items == ["book:local:3"])
  }

  @Test("a record just below the limit goes in and comes out on one line of at most 1 MiB")
  func largest() throws {
    let title = String(repeating: "x", count: (1 << 20) - 4096 - 66)
    let run = try sandbox.run(
      "save", "-f", "-", input: "{\"id\":\"book:local:1\",\"title\":\"\(title)\"}")
    #expect(run.status == .exited(0))
    let listed = try sandbox.run("list")
    #expect(listed.items.count == 1)
    #expect(listed.records.allSatisfy { $0.text.utf8.count < 1 << 20 })
  }

  @Test("one array, over lines or not, is its elements")
  func array() throws {
    let text = "[{\"id\":\"book:local:1\"},\n {\"id\":\"book:local:2\"}\n]"
    let run = try sandbox.run("save", "-f", "-", input: text)
    #expect(run.results.map { $0["row"] } == [1, 2])
    #expect(run.results.map(\.correlation) == ["s1:L1.1", "s1:L2.2"])
    #expect(try sandbox.run("list").items == ["book:local:1", "book:local:2"])
  }

  @Test("rows of an array on one line are told apart, whoever's they are")
  func arrayRows() throws {
    let own = try sandbox.run(
      "save", "-f", "-", input: "[{\"id\":\"book:local:1\"},7,{\"id\":\"book:local:2\"}]")
    #expect(own.results.map(\.correlation) == ["s1:L1.1", "s1:L1.2", "s1:L1.3"])
    #expect(own.results.map { $0["row"] } == [1, 2, 3])
    #expect(own.errors.contains("line 1, row 2"))
    let row = "{\"id\":1,\"title\":\"a\"}"
    let tmdb = try sandbox.run(
      "save", "--source", "tmdb", "-f", "-",
      input: "[\(row),{\"page\":1,\"results\":[\(row),\(row)]},\(row)]")
    #expect(tmdb.results.map { $0["row"] } == [1, 2, 3, 4])
  }

  @Test("a TMDB page: films and series in, persons and collections skipped and counted")
  func tmdb() throws {
    let run = try sandbox.run("save", "--source", "tmdb", "-f", fixture("tmdb-trending-all"))
    #expect(run.status == .exited(0))
    #expect(run.results.map { $0["status"] } == ["done", "done", "skipped", "skipped"])
    #expect(run.results[2]["reason"] == "person")
    #expect(run.end?["counts"]?.objectValue?["saved"] == 2)
    #expect(run.end?["counts"]?.objectValue?["skipped"] == 2)
    #expect(
      try sandbox.run("list").items == ["film:tmdb:movie:700001", "film:tmdb:tv:700001"])
  }

  @Test("TMDB's own error is reported as such")
  func tmdbError() throws {
    let run = try sandbox.run("save", "--source", "tmdb", "-f", fixture("tmdb-401"))
    #expect(run.status == .exited(1))
    #expect(run.results.map(\.errorCode) == ["catalogue_error"])
    #expect(run.errors.contains("Invalid API key"))
  }

  @Test("the same record again changes nothing, another body replaces")
  func again() throws {
    let record = #"{"id":"book:local:1","title":"a"}"#
    _ = try sandbox.run("save", "-f", "-", input: record)
    let same = try sandbox.run("save", "-f", "-", input: record)
    #expect(same.results[0]["changed"] == false)
    #expect(same.results[0]["outcome"] == "unchanged")
    #expect(same.results[0].revision == nil)
    let other = try sandbox.run("save", "-f", "-", input: #"{"id":"book:local:1","title":"b"}"#)
    #expect(other.results[0]["outcome"] == "replaced")
  }

  @Test("a pipe that trickles gets each answer while it stays open")
  func trickle() throws {
    let child = try sandbox.start("save", "-f", "-", input: .pipe)
    _ = try child.record("stream.hello")
    for number in 1...3 {
      child.send("{\"id\":\"book:local:\(number)\"}\n")
      #expect(try child.record("cmd.result").id == "book:local:\(number)")
    }
    child.closeInput()
    #expect(try child.record("stream.end")["reason"] == "done")
    #expect(child.wait() == .exited(0))
  }

  @Test("a writer killed at 12 random moments has lost nothing it acknowledged")
  func killed() throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    var random = SeededGenerator(seed: seed)
    var acknowledged: Set<String> = []
    for round in 1...12 {
      let child = try sandbox.start("save", "-f", "-", input: .pipe)
      let sender = Thread {
        for number in 0..<10_000 {
          child.send("{\"id\":\"book:local:\(round)-\(number)\",\"title\":\"whole\"}\n")
        }
      }
      sender.start()
      // The moment is counted in records read, which is somewhere in the midst of a later write.
      for _ in 0..<Int.random(in: 0...300, using: &random) {
        guard let record = try child.nextRecord() else { break }
        if record.type == "cmd.result", let id = record.id { acknowledged.insert(id) }
      }
      child.signal(9)
      #expect(child.wait() == .signaled(9))
      // The next writer opens the store each time; the whole of it is read now and then.
      guard round.isMultiple(of: 6) else { continue }
      let listed = try sandbox.run("list")
      let lost = acknowledged.subtracting(listed.items)
      #expect(lost.isEmpty, "lost \(lost.count) of \(acknowledged.count), seed \(seed)")
      #expect(
        listed.all("snapshot.item").allSatisfy { $0["item"]?.objectValue?["title"] == "whole" },
        "seed \(seed)")
    }
  }

  @Test("thousands of bad lines are all told on stdout, a few on stderr")
  func manyBadLines() throws {
    let run = try sandbox.run("save", "-f", "-", input: String(repeating: "y\n", count: 5000))
    #expect(run.results.count == 5000)
    #expect(run.errors.split(separator: "\n").count == 21)
  }

  @Test("an input that cannot be read is a usage error")
  func unreadable() throws {
    #expect(try sandbox.run("save", "-f", sandbox.path("none")).status == .exited(2))
    #expect(try sandbox.run("save", "-f", sandbox.folder.path).status == .exited(2))
    #expect(try sandbox.run("save").status == .exited(2))
  }
}
