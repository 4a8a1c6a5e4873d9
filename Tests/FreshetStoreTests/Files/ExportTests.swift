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

  @Test(
    "lines of another form are refused",
    arguments: [
      "", "{}", #"{"body":{},"id":"a"}"#, #"{"id":"a"}"#, #"{"id":"a\q","body":{}}"#,
      #"{"id":7,"body":{}}"#, #"{"id":"a","deleted":1,"body":{}}"#,
    ])
  func malformed(line: String) {
    #expect(throws: StoreError.self) { try ExportedItem(line: Array(line.utf8)) }
  }

  @Test("a body that cannot be saved is refused before it is tried")
  func invalid() throws {
    for line in [#"{"id":"a","body":[1]}"#, #"{"id":"","body":{}}"#, #"{"id":"a","body":{"x":}}"#] {
      let item = try ExportedItem(line: Array(line.utf8))
      #expect(throws: StoreError.self) { try item.validate() }
    }
  }
}
