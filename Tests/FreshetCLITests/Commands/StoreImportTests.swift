import Foundation
import Freshet
import FreshetStore
import Testing

@testable import FreshetCLI

/// Files as people and other programs write them.
@Suite("freshet store import")
struct StoreImportTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func bodies() throws -> [String: String] {
    let lines = try sandbox.lines("store", "export", "-").lines
    return try lines.reduce(into: [:]) { found, line in
      let item = try ExportedItem(line: Array(line.utf8))
      found[item.id] = String(decoding: item.body, as: UTF8.self)
    }
  }

  private static let whole =
    #"{"title":"T", "id":"book:local:1","kind":"book","source":"local"}"#

  @Test(
    "any order of the members and any white space: a line, lines, an array, CRLF, a mark in front",
    arguments: [
      #"{"id":"book:local:1","body":\#(whole)}"#, #"{"body":\#(whole),"id":"book:local:1"}"#,
      " { \"id\" : \"book:local:1\" , \"body\" : \(whole) } ",
      "{\n  \"body\": \(whole),\n  \"id\": \"book:local:1\"\n}\n",
      "[\n{\"body\":\(whole),\r\n\"id\":\"book:local:1\"}\r\n]\r\n",
      "\u{FEFF}{\"id\":\"book:local:1\",\"body\":\(whole)}\r\n",
    ])
  func anyForm(text: String) throws {
    let run = try sandbox.run("store", "import", "-", input: text)
    #expect(run.status == .exited(0), "\(run.errors)")
    #expect(run.results.last?["items"] == 1)
    // Byte for byte.
    #expect(try bodies() == ["book:local:1": Self.whole])
  }

  @Test("lines and spread documents may come mixed; a line without an end costs only itself")
  func mixed() throws {
    let text = """
      {"id":"a","body":{}}
      { "id": "b",
        "body": {
        }
      }
      {"id":"c","body":{"x":[}
      {"id":"d","body":{"x":[
      {"id":"e","body":{}}
      {"id":"f","body":
      {"id":"g","body":{}}
      {"id":"h",
        "body":{}}
      """
    let run = try sandbox.run("store", "import", "-", input: text)
    #expect(run.results.dropLast().map { $0["line"]?.numberValue?.text } == ["6", "7", "9"])
    #expect(try Set(bodies().keys) == ["a", "b", "e", "g", "h"])
  }

  @Test("a body over several lines keeps its bytes, but for newlines; one without kind gets it")
  func kept() throws {
    let text = """
      {"id": "book:local:1", "body": {"id": "book:local:1",
        "kind": "book", "source": "local", "price": 7.0}}
      {"id": "book:local:2", "body": {"title": "T", "price": 7.0, "id": "book:local:2"}}
      {"id": "film:tmdb:movie:3", "body": {"id": "film:tmdb:movie:3", "kind": null, "x": 1}}
      {"id": "settings", "body": { "a" : 1 }}
      """
    #expect(try sandbox.run("store", "import", "-", input: text).status == .exited(0))
    #expect(
      try bodies() == [
        "book:local:1":
          #"{"id": "book:local:1",   "kind": "book", "source": "local", "price": 7.0}"#,
        "book:local:2":
          #"{"id":"book:local:2","kind":"book","source":"local","title":"T","price":7.0}"#,
        "film:tmdb:movie:3":
          #"{"id":"film:tmdb:movie:3","kind":"film","source":"tmdb","extra":{"x":1}}"#,
        "settings": #"{ "a" : 1 }"#,
      ])
    #expect(try sandbox.run("list", "--kind", "book").items == ["book:local:1", "book:local:2"])
    let watched = try sandbox.run(
      "watch", "downloads", "--filter", "kind=book", "--initial", "only")
    #expect(watched.items == ["book:local:1", "book:local:2"])
  }

  @Test("each refusal names file, line and column, what is wrong and what to do; the others go in")
  func refusals() throws {
    let text = """
      {"id":"book:local:1","body":{"id":"book:local:1"}}
        {"id":"book:local:2","body":{"id":"book:local:2",}}
      {"id":"book:local:3","kind":"book","title":"a record of save"}
      {"id":"book:local:4","delted":true,"body":{"id":"book:local:4"}}
      {"id":"book:local:5","body":{"title":"no id in it"}}
      {"id":"book:local:6","body":{"id":"book:local:6","price":"7"}}
      [1]
      {"id":"book:local:9","body":{"id":"book:local:9"}}
      """
    let file = try sandbox.file("items.ndjson", text)
    let run = try sandbox.run("store", "import", file)
    #expect(run.status == .exited(1))
    let told = run.results.dropLast().map { result in
      ["line", "column"].map { result[$0]?.numberValue?.text ?? "-" }.joined(separator: ":")
        + " \(result.errorCode ?? "")"
    }
    #expect(
      told == [
        "2:52 invalid_json", "3:1 invalid_body", "4:22 invalid_body", "5:- missing_id",
        "6:- wrong_type", "7:- not_an_object",
      ])
    #expect(run.results.dropLast().allSatisfy { $0["file"]?.stringValue == file })
    #expect(run.errors.contains("\(file), line 2, column 52: broken JSON"))
    #expect(run.errors.contains("freshet save -f"))
    #expect(try Set(bodies().keys) == ["book:local:1", "book:local:9"])
  }

  @Test("a body that would nest too deep for save once it is completed stays as it is")
  func depthOnceCompleted() throws {
    func line(_ number: Int, _ levels: Int) -> String {
      #"{"id":"book:local:\#(number)","body":{"id":"book:local:\#(number)","zz":"#
        + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}}"
    }
    // The record is a level, and so is `extra`, into which it is put.
    let text = [line(1, 198), line(2, 199)].joined(separator: "\n")
    #expect(try sandbox.run("store", "import", "-", input: text).status == .exited(0))
    let kept = try bodies()
    #expect(kept["book:local:1"]?.contains(#""extra":{"zz":[["#) == true)
    #expect(kept["book:local:2"]?.hasPrefix(#"{"id":"book:local:2","zz":["#) == true)
    let file = sandbox.path("exported")
    #expect(try sandbox.run("store", "export", file).status == .exited(0))
    #expect(try sandbox.run("store", "import", file).results.last?["changed"] == 0)
  }

  @Test("a signal: how far it came is told")
  func signal() throws {
    let child = try Child(
      ["store", "import", "-"],
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path], input: .pipe)
    child.send("{\"id\":\"a\",\"body\":{}}\nnonsense\n")
    _ = try child.record("cmd.result")
    child.signal(SIGTERM)
    let told = try child.record("cmd.result")
    #expect(told.errorCode == "canceled" && told["status"] == "canceled")
    // One was read, and waits for the commit that will not come.
    #expect(told["items"] == 0 && told["refused"] == 1)
    #expect(try child.record("stream.end")["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGTERM))
  }

  @Test("what nests too deep is told in one way, however deep", arguments: [521, 600, 5000])
  func depth(_ levels: Int) throws {
    let text =
      Self.deep("book:local:1", levels: 520) + "\n" + Self.deep("book:local:2", levels: levels)
      + "\n"
    let run = try sandbox.run("store", "import", "-", input: text)
    #expect(run.results.map(\.errorCode) == ["too_deep", "refused"])
    #expect(run.results.first?["line"] == 2 && run.errors.contains("the 520 levels"))
    #expect(try Array(bodies().keys) == ["book:local:1"])
  }

  /// A line with a body so many levels deep.
  private static func deep(_ id: String, levels: Int) -> String {
    #"{"body":{"id":"\#(id)","kind":"book","source":"local","extra":{"d":"#
      + String(repeating: "[", count: levels - 2) + String(repeating: "]", count: levels - 2)
      + #"}},"id":"\#(id)"}"#
  }

  /// A body of so many bytes.
  private static func long(_ id: String, bytes: Int) -> [UInt8] {
    let head = #"{"id":"\#(id)","kind":"book","source":"local","title":""#
    return Array(head.utf8) + [UInt8](repeating: 0x78, count: bytes - head.utf8.count - 2)
      + Array("\"}".utf8)
  }

  @Test("whatever the library can store comes back: the largest body, the deepest, the longest id")
  func edges() async throws {
    let deep = try ExportedItem(line: Array(Self.deep("book:local:deep", levels: 520).utf8))
    let longID = "b" + String(repeating: "\"\u{2028}\\", count: 102) + "c"
    #expect(longID.utf8.count == 512)
    let item = Self.long("book:local:long", bytes: 1 << 20)
    let free =
      Array("{\"x\":\"".utf8) + [UInt8](repeating: 0x79, count: (1 << 20) - 8)
      + Array("\"}".utf8)
    let manager = try DatabaseManager.open(at: sandbox.store)
    for (id, body) in [
      ("book:local:deep", deep.body), ("deep", deep.body), ("book:local:long", item),
      (longID, free),
    ] { _ = try await manager.save(id: id, body: body).value() }
    _ = try await manager.delete(id: longID).value()
    manager.close()
    let file = sandbox.path("exported")
    #expect(
      try sandbox.run("store", "export", file, "--include-deleted").status == .exited(0))
    let other = try Sandbox()
    let back = try other.run("store", "import", file)
    #expect(back.status == .exited(0), "\(back.errors)")
    #expect(back.results.last?["items"] == 4)
    let copy = other.path("copy")
    #expect(try other.run("store", "export", copy, "--include-deleted").status == .exited(0))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: copy))
        == Data(contentsOf: URL(fileURLWithPath: file)))
    // What commands show of it are lines of records still, deeper than JSONValue reads.
    for command in [["list"], ["show", "book:local:deep"], ["watch", "--since", "start"]] {
      let child = try Child(
        command + (command[0] == "watch" ? ["--until-idle", "50ms"] : []),
        environment: ["FRESHET_STORE": other.store])
      while let line = try child.nextLine() {
        #expect(line.starts(with: Array(#"{"v":1,"#.utf8)) && line.count <= 1 << 20)
      }
      #expect(child.wait() == .exited(0))
    }
  }

  @Test("a byte more than the library can store is refused at its line, in an array at its row")
  func beyondTheEdge() throws {
    func line(_ id: String, _ bytes: Int) -> [UInt8] {
      Array("{\"id\":\"\(id)\",\"body\":".utf8) + Self.long(id, bytes: bytes) + [0x7D]
    }
    let fits = line("book:local:1", 1 << 20)
    let beyond = line("book:local:2", (1 << 20) + 1)
    let wayBeyond = line("book:local:3", (1 << 20) + 5000)
    let newline: [UInt8] = [0x0A]
    let lines = [fits, beyond, wayBeyond, Array(#"{"id":"d","body":{}}"#.utf8)]
    let run = try sandbox.run(
      ["store", "import", "-"], bytes: Array(lines.joined(separator: newline)))
    #expect(run.results.dropLast().map { $0["line"] } == [2, 3])
    #expect(run.results.map(\.errorCode) == ["too_large", "too_large", "refused"])
    #expect(try Set(bodies().keys) == ["book:local:1", "d"])
    let array: [UInt8] = [0x5B] + fits + [0x2C] + beyond + [0x5D]
    let rows = try sandbox.run(["store", "import", "-"], bytes: array)
    #expect(rows.results.first?["row"] == 2 && rows.results.first?.errorCode == "too_large")
  }

  @Test("a document without an end costs what follows it, and that is told")
  func unfinished() throws {
    let text = "{\"id\":\"a\",\"body\":{}}\n[{\"id\":\"b\",\"body\":{}},\n{\"id\":\"c\",\"bo"
    let run = try sandbox.run("store", "import", "-", input: text)
    #expect(run.status == .exited(1))
    #expect(run.results.map(\.errorCode) == ["invalid_json", "refused"])
    #expect(run.results.first?["line"] == 3)
    #expect(try Set(bodies().keys) == ["a", "b"])
    let lost = "{\"id\":\"c\",\n\"body\":{]}}\n\n{\"id\":\"d\",\"body\":{}}\n"
    let broken = try sandbox.run("store", "import", "-", input: lost)
    #expect(broken.results.dropLast().map { $0["line"] } == [2, 2])
    #expect(broken.errors.contains("was not read"))
    #expect(try Set(bodies().keys) == ["a", "b"])
  }

  @Test(
    "a text that is cut off is one refusal, at the line and column where it ends",
    arguments: [
      (#"{"id":"a","bo"#, "1:14", 0), ("{\"id\":\"a\",\n", "1:11", 0),
      ("{\"id\":\"a\",\"body\":{}}\n{\"id\":\"b\",\n \"bo", "3:5", 1),
      ("{\"id\":\"a\",\"body\":{}}\n{\"id\":\"b\",\"body\":{\n\n", "2:19", 1),
    ])
  func cutOff(text: String, place: String, items: Int) throws {
    let run = try sandbox.run("store", "import", "-", input: text)
    #expect(run.status == .exited(1))
    let told = run.results.dropLast().map { result in
      ["line", "column"].map { result[$0]?.numberValue?.text ?? "-" }.joined(separator: ":")
    }
    #expect(told == [place])
    #expect(run.results.last?["refused"] == 1)
    #expect(run.results.last?["items"]?.numberValue?.int64 == Int64(items))
    #expect(!run.errors.contains("was not read"))
  }

  @Test("what import writes anew is what save writes, and an export of that goes in as it is")
  func asSaved() throws {
    let records = [
      #"{"id":"book:local:1","kind":"book","source":"local","pages":7,"title":"T"}"#,
      #"{"id":"book:local:2","kind":"book","source":"local","x":1,"extra":{"y":[1,{"z":null}]}}"#,
      #"{"id":"book:local:3","kind":"book","source":"local","title":null,"price":7.0,"n":1}"#,
    ]
    let lines = try records.map { record in
      let id = try #require(
        try JSONValue(parsing: Array(record.utf8)).objectValue?["id"]?.stringValue)
      return #"{"id":"\#(id)","body":\#(record)}"#
    }
    let imported = try sandbox.run(
      "store", "import", "-", input: lines.joined(separator: "\n") + "\n")
    #expect(imported.status == .exited(0))
    let other = try Sandbox()
    #expect(
      try other.run("save", "-f", "-", input: records.joined(separator: "\n")).status == .exited(0))
    let mine = try sandbox.lines("store", "export", "-").lines
    #expect(try mine == other.lines("store", "export", "-").lines)
    #expect(mine.first?.contains(#""title":"T","extra":{"pages":7}"#) == true)
    // Nothing of it changes again.
    let again = try sandbox.run("store", "import", "-", input: mine.joined(separator: "\n"))
    #expect(again.results.last?["changed"] == 0)
    #expect(try sandbox.lines("store", "export", "-").lines == mine)
  }

  @Test("a body that is too long for a line by its white space alone is written without it")
  func whiteSpace() throws {
    let space = String(repeating: " ", count: 1_047_000)
    let text =
      #"{"id":"book:local:1","body":{"id":"book:local:1","kind":"book",\#(space)"source":"local"}}"#
    #expect(try sandbox.run("store", "import", "-", input: text).status == .exited(0))
    #expect(
      try bodies() == ["book:local:1": #"{"id":"book:local:1","kind":"book","source":"local"}"#])
  }
}
