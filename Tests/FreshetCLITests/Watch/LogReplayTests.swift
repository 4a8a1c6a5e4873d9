import Foundation
import FreshetStore
import Testing

/// `freshet watch --from-file`: a log told again as if live.
@Suite("freshet watch --from-file")
struct LogReplayTests {
  private let sandbox: Sandbox
  /// A log of two runs, the second appended.
  private let log: String

  init() throws {
    sandbox = try Sandbox()
    let items = [#"{"id":"book:kakao:1","title":"one"}"#, #"{"id":"film:tmdb:movie:1"}"#]
    // One commit.
    let script = items.map { "save '\($0)'" }.joined(separator: "\n")
    _ = try sandbox.run("run", "--atomic", "-f", "-", input: script)
    _ = try sandbox.run("delete", "film:tmdb:movie:1")
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:kakao:2"}"#)
    let first = try sandbox.run(
      "watch", "downloads", "saved", "--since", "start", "--until-idle", "30ms")
    let second = try sandbox.run("watch", "downloads", "saved", "--until-idle", "30ms")
    log = try sandbox.file(
      "log.ndjson", (first.records + second.records).map { $0.text + "\n" }.joined())
  }

  /// What a record says, but for its number.
  private func said(_ records: [Record]) -> [String] {
    records.filter { !["stream.hello", "stream.end"].contains($0.type) }.map { record in
      var object = record.object
      object.removeValue(forKey: "seq")
      return JSONValue.object(object).jsonText
    }
  }

  private func logged() throws -> [Record] {
    try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map {
      try Record(Array($0.utf8))
    }
  }

  @Test("the same views tell the same, whatever is in the store and whether there is one")
  func same() throws {
    let run = try sandbox.run(
      "watch", "downloads", "saved", "--from-file", log, environment: ["HOME": "/nowhere"])
    #expect(run.status == .exited(0))
    #expect(run.end?["reason"] == "input_end")
    let records = try logged()
    #expect(said(run.records) == said(records))
    for key in ["store", "epoch", "oldest"] {
      #expect(run.records[0][key] == records[0][key])
    }
  }

  @Test("no line becomes longer than 1 MiB, whatever the log holds as it is that is escaped here")
  func bounded() throws {
    let ts = "2026-12-01T00:00:00.000000Z"
    func line(_ type: String, _ rest: String, _ data: String) -> String {
      #"{"v":1,"seq":1,"rev":1,"ts":"\#(ts)","type":"\#(type)","view":"downloads"\#(rest),"data":{\#(data)}}"#
    }
    // Each becomes two or six times as long.
    let separators = String(repeating: "\u{2028}", count: 300_000)
    let deletes = String(repeating: "\u{7F}", count: 900_000)
    let log = try sandbox.file(
      "long.ndjson",
      [
        line(
          "item.added", #","i":0,"n":2,"id":"book:x:1""#,
          #""item":{"id":"book:x:1","title":"\#(separators)"}"#),
        line(
          "view.changed", #","i":1,"n":2"#,
          #""from":"a","to":"b","cause":"c","state":{"message":"\#(deletes)"},"diff":null"#),
        line("later.type", #","cid":"\#(deletes)""#, #""seen":7"#),
        line("later.type", #","more":"\#(deletes)""#, #""seen":8,"a":{"b":"short"}"#),
        line("later.type", "", #""seen":9,"text":["\#(deletes)"]"#),
        line("item.added", #","i":0,"n":1,"id":"book:x:2""#, #""item":{"id":"book:x:2"}"#),
      ].joined(separator: "\n"))
    for format in ["ndjson", "json-seq"] {
      let child = try Child(
        ["watch", "downloads", "--from-file", log, "--format", format],
        environment: ["HOME": sandbox.folder.path])
      var records: [Record] = []
      while var line = try child.nextLine() {
        #expect(line.count < 1 << 20)
        if line.first == 0x1E { line.removeFirst() }
        records.append(try Record(line))
      }
      #expect(child.wait() == .exited(0))
      let told = Array(records.dropFirst().dropLast())
      #expect(told.map { $0.object["seq"] } == (2...7).map { .number(JSONNumber(Int64($0))) })
      #expect(told[0]["item"] == .null && told[0].id == "book:x:1")
      let message = try #require(told[1]["state"]?.objectValue?["message"]?.stringValue)
      #expect(message.utf8.count == 65_536 + 3 && message.hasSuffix("\u{7F}…"))
      #expect(told[2]["seen"] == 7 && (told[2].correlation?.utf8.count ?? 0) == 65_536 + 3)
      #expect(told[3]["seen"] == 8 && told[3]["a"]?.objectValue?["b"] == "short")
      #expect(told[4]["seen"] == 9 && told[4]["text"] == .null)
      #expect(told[5]["item"]?.objectValue?["id"] == "book:x:2")
    }
  }

  @Test("standard input, json-seq and spaces between records do as well")
  func otherForms() throws {
    let text = try String(contentsOfFile: log, encoding: .utf8)
    let sequence = text.split(separator: "\n").map { "\u{1E}\($0)\r\n\n" }.joined()
    let run = try sandbox.run(
      "watch", "downloads", "saved", "--from-file", "-", input: sequence)
    #expect(said(run.records) == said(try logged()))
  }

  @Test("one view of several: the cursor moves to the last record told, and fits this stream")
  func oneView() throws {
    let run = try sandbox.run("watch", "saved", "--from-file", log, "--since", "start")
    #expect(run.all("item.added").map(\.id) == ["book:kakao:1", "book:kakao:2"])
    #expect(run.records.allSatisfy { $0.object["view"] != "downloads" })
    let commits = run.records.filter { $0.object["i"] != nil }
    #expect(commits.compactMap(\.cursor).count == 2)
    let cursor = try #require(commits.compactMap(\.cursor).first)
    let rest = try sandbox.run("watch", "saved", "--from-file", log, "--since", cursor)
    #expect(rest.all("item.added").map(\.id) == ["book:kakao:2"])
    let other = try sandbox.run("watch", "downloads", "--from-file", log, "--since", cursor)
    #expect(other.status == .exited(2))
    // The same cursor begins in the store, too.
    let live = try sandbox.run("watch", "saved", "--since", cursor, "--count", "1")
    #expect(live.all("item.added").map(\.id) == ["book:kakao:2"])
  }

  @Test("filters, types, counts and the state alone, as live")
  func bounds() throws {
    let filtered = try sandbox.run(
      "watch", "downloads", "--from-file", log, "--since", "start", "--filter", "kind=film",
      "--type", "item.*")
    #expect(
      filtered.records.map(\.type).filter { $0.hasPrefix("item.") } == [
        "item.added", "item.removed",
      ])
    #expect(filtered.records.filter { $0.type.hasPrefix("item.") }.allSatisfy { $0.cursor != nil })
    let counted = try sandbox.run("watch", "--from-file", log, "--since", "start", "--count", "1")
    #expect(counted.end?["reason"] == "count")
    #expect(counted.all("item.added").count == 2)
    let state = try sandbox.run("watch", "saved", "--from-file", log, "--initial", "only")
    #expect(state.items == ["book:kakao:1", "book:kakao:2"])
    #expect(state.end?["reason"] == "done")
  }

  @Test("a cursor file makes a second replay go on where the first was")
  func cursorFile() throws {
    let file = sandbox.path("cursor.json")
    let first = try sandbox.run(
      "watch", "--from-file", log, "--since", "start", "--count", "1", "--cursor-file", file)
    #expect(first.all("item.removed").isEmpty)
    let second = try sandbox.run("watch", "--from-file", log, "--cursor-file", file)
    #expect(second.all("item.removed").map(\.id) == ["film:tmdb:movie:1"])
    #expect(second.all("item.added").map(\.id) == ["book:kakao:2"])
    let third = try sandbox.run("watch", "--from-file", log, "--cursor-file", file)
    #expect(third.records.allSatisfy { !$0.type.hasPrefix("item.") })
  }

  @Test("a line that is no record costs itself, and exit 1; the end may be cut off")
  func faults() throws {
    let text = try String(contentsOfFile: log, encoding: .utf8)
    let run = try sandbox.run(
      "watch", "downloads", "saved", "--from-file", "-",
      input: "rubbish\n{\"a\":1}\n[]\n{\"v\":2,\"type\":\"x\",\"data\":{}}\n" + text
        + "{\"v\":1,\"se")
    #expect(run.status == .exited(1))
    #expect(
      run.results.map(\.errorCode) == [
        "invalid_json", "bad_record", "not_an_object", "bad_record", "invalid_json",
      ])
    #expect(said(run.records.filter { $0.type != "cmd.result" }) == said(try logged()))
  }

  @Test("gaps, errors, unknown types and records of no view pass; --strict ends at a gap")
  func passing() throws {
    let lines = [
      #"{"v":1,"seq":1,"ts":"t","type":"stream.gap","data":{"reason":"compacted","from":null,"oldest":"x"}}"#,
      #"{"v":1,"seq":2,"ts":"t","type":"future.kind","data":{"x":[1.0,2]}}"#,
      #"{"v":1,"seq":3,"ts":"t","type":"download.progress","id":"a","data":{"done":1,"total":null}}"#,
      #"{"v":1,"seq":4,"ts":"t","type":"view.changed","view":"search","data":{"from":"a","to":"b"}}"#,
    ]
    let file = try sandbox.file("odd.ndjson", lines.map { $0 + "\n" }.joined())
    let run = try sandbox.run("watch", "--from-file", file)
    #expect(
      run.records.map(\.type).dropFirst().dropLast() == [
        "stream.gap", "future.kind", "download.progress",
      ])
    #expect(run.records[2]["x"]?.jsonText == "[1.0,2]")
    let search = try sandbox.run("watch", "search", "--from-file", file, "--type", "view.changed")
    #expect(search.all("view.changed").count == 1)
    let strict = try sandbox.run("watch", "--from-file", file, "--strict")
    #expect(strict.status == .exited(3))
    #expect(strict.all("stream.error").map(\.errorCode) == ["compacted"])
  }

  @Test("a log of two stores ends at the second; a cursor of another store begins anew")
  func otherStores() throws {
    let other = try Sandbox()
    _ = try other.run("save", "-f", "-", input: #"{"id":"book:x:1"}"#)
    let theirs = try other.run("watch", "--since", "start", "--count", "1")
    let text = try String(contentsOfFile: log, encoding: .utf8)
    let run = try sandbox.run(
      "watch", "--from-file", "-",
      input: text + theirs.records.map { $0.text + "\n" }.joined())
    #expect(run.status == .exited(1))
    #expect(run.all("stream.error").map(\.errorCode) == ["different_store"])
    let cursor = try #require(theirs.records.compactMap(\.cursor).last)
    let anew = try sandbox.run("watch", "--from-file", log, "--since", cursor)
    #expect(anew.all("stream.reset").map { $0["reason"] } == ["different_store"])
    #expect(anew.all("item.added").count == 3)
    #expect(
      try sandbox.run("watch", "--from-file", log, "--since", cursor, "--strict").status
        == .exited(3))
  }

  @Test("a pipe that stays open ends with the time, the silence or a signal")
  func openPipe() throws {
    for (option, reason) in [("--timeout", "timeout"), ("--until-idle", "idle")] {
      let child = try sandbox.start("watch", "--from-file", "-", option, "20ms", input: .pipe)
      #expect(try child.record("stream.end")["reason"]?.stringValue == reason)
      _ = child.wait()
    }
    let child = try sandbox.start("watch", "--from-file", "-", input: .pipe)
    child.send(#"{"v":1,"seq":1,"ts":"t","type":"future.kind","data":{}}"# + "\n")
    _ = try child.record("future.kind")
    child.signal(SIGTERM)
    #expect(try child.record("stream.end")["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGTERM))
  }

  @Test(
    "what makes no sense is exit 2",
    arguments: [["--since", "now"], ["guidance", "--grade", "1"], ["--source", "tmdb"]])
  func refused(_ words: [String]) throws {
    let run = try sandbox.run(["watch", "--from-file", log] + words, bytes: nil)
    #expect(run.status == .exited(2))
    #expect(try sandbox.run("watch", "--from-file", "/no/file").status == .exited(2))
  }
}
