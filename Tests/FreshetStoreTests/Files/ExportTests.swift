import Foundation
import Freshet
import Testing

@testable import FreshetStore

@Suite("Export and import")
struct ExportTests {
  private func read(_ path: String) throws -> [[UInt8]] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return [UInt8](data).split(separator: 0x0A).map { Array($0) }
  }

  @Test("there and back: ids, bodies byte for byte, order, deleted items at their places")
  func roundTrip() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store)
    let bodies = [
      #"{"a" : 7.0 ,"b":"\u00e9/é","c":[1e5,{}]}"#, "{}", #"{"emoji":"🎬"}"#,
      #"{"x":"\"body\":{}"}"#,
    ]
    for (number, body) in bodies.enumerated() {
      _ = try await store.save(id: "odd \"\\ id \(number) ü", body: Array(body.utf8)).value()
    }
    _ = try await store.delete(id: "odd \"\\ id 1 ü").value()
    let file = directory.path + "/items.ndjson"
    let report = try await store.export(to: file, includingDeleted: true).value()
    #expect(report.liveCount == 3)
    #expect(report.deletedCount == 1)
    let lines = try read(file)
    #expect(lines.count == 4)
    let copy = try DatabaseManager.open(at: directory.path + "/copy")
    for line in lines {
      _ = try await copy.apply(try ExportedItem(line: line).operations).value()
    }
    for (one, other) in zip(
      try await store.fetch(includingDeleted: true).value(),
      try await copy.fetch(includingDeleted: true).value())
    {
      #expect(one.id == other.id)
      #expect(one.body == other.body)
      #expect(one.isDeleted == other.isDeleted)
    }
    _ = try await copy.restore(id: "odd \"\\ id 1 ü").value()
    #expect(try await copy.fetch().value().map(\.id).firstIndex(of: "odd \"\\ id 1 ü") == 1)
    let withoutDeleted = try await store.export(to: file, replacing: true).value()
    #expect(withoutDeleted.deletedCount == 0)
    #expect(try read(file).count == 3)
  }

  @Test("a file that is there is kept unless it may be replaced")
  func exists() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store)
    let file = directory.path + "/items.ndjson"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    let error = await #expect(throws: StoreError.self) { try await store.export(to: file).value() }
    #expect(error?.code == .exists)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
  }

  @Test("an export writes over no file but the one it may replace")
  func partials() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store)
    _ = try await store.save(id: "a", body: Array("{}".utf8)).value()
    let file = directory.path + "/items.ndjson"
    let others = ["", ".\(Platform.processID)", ".\(Platform.processID)-2"].map {
      file + $0 + ".partial"
    }
    for other in others { try Data("mine".utf8).write(to: URL(fileURLWithPath: other)) }
    _ = try await store.export(to: file).value()
    for other in others { #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine") }
    #expect(try read(file).count == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.count == 2 + others.count)
  }

  @Test(
    "lines of another form are refused",
    arguments: [
      "", " ", "{}", "[]", "7", #"{"id":"a"}"#, #"{"id":"a\q","body":{}}"#, #"{"body":{}}"#,
      #"{"id":7,"body":{}}"#, #"{"id":"a","deleted":1,"body":{}}"#, #"{"id":"a","body":[1]}"#,
      #"{"id":"a","body":{"x":}}"#, #"{"id":"a","body":{}} x"#, #"{"id":"a","body":{},"body":{}}"#,
      #"{"id":"a","delted":true,"body":{}}"#,
    ])
  func malformed(line: String) {
    #expect(throws: StoreError.self) { try ExportedItem(line: Array(line.utf8)) }
  }

  @Test("an id that cannot be saved is refused before it is tried")
  func invalid() throws {
    let item = try ExportedItem(line: Array(#"{"id":"","body":{}}"#.utf8))
    #expect(throws: StoreError.self) { try item.validate() }
  }

  @Test("members in any order, with any white space; the body's bytes are kept, but for newlines")
  func anyForm() throws {
    let body = #"{ "a" : 7.0 ,"b":"\u00e9/é\n" }"#
    for text in [
      #"{"id":"x","body":\#(body)}"#, #"{"body":\#(body),"id":"x"}"#,
      #"  { "deleted" : false , "body" : \#(body) , "id" : "x" }  "#,
      #"{"body":\#(body),"deleted":null,"id":"\u0078"}"# + "\r",
      "\t{\"id\":\"x\",\n\"body\":\n\(body)}\n",
    ] {
      let item = try ExportedItem(line: Array(text.utf8))
      #expect(item.id == "x" && !item.isDeleted && item.body == Array(body.utf8), "\(text)")
    }
    let spread = try ExportedItem(line: Array("{\"id\":\"x\",\"body\":{\n  \"a\": 1\n}}".utf8))
    #expect(text(spread.body) == "{   \"a\": 1 }")
    try spread.validate()
  }

  @Test(
    "what is wrong is told with its line and column",
    arguments: [
      (#"{"id":7,"body":{}}"#, 1, 7), ("{\n  \"id\": \"a\",\n  \"body\": []\n}", 3, 11),
      ("{\"id\":\"é\",\"body\":{\"x\":}}", 1, 23), ("  [1]", 1, 3),
      (#"{"id":"a","id":"b"}"#, 1, 11),
      (#"{"body":{}}"#, 1, 1),
    ])
  func places(text: String, line: Int, column: Int) {
    let fault = #expect(throws: ExportedItem.Fault.self) {
      try ExportedItem(parsing: Array(text.utf8))
    }
    #expect(fault?.line == line && fault?.column == column, "\(String(describing: fault))")
  }
}
