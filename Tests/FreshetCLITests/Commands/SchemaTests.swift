import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

/// The schemas say what is done; `scripts/check-schema` holds whole runs against them.
@Suite struct SchemaTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  @Test("schemas are JSON Schema 2020-12 documents", arguments: [[], ["event"], ["command"]])
  func documents(_ words: [String]) throws {
    let child = try Child(["schema"] + words, environment: ["HOME": sandbox.folder.path])
    let line = try #require(try child.nextLine())
    #expect(child.wait() == .exited(0))
    let schema = try #require(try JSONValue(parsing: line).objectValue)
    #expect(
      schema["$schema"]?.stringValue == "https://json-schema.org/draft/2020-12/schema")
  }

  @Test("every operation of a script has its form, and no other has")
  func everyOperation() {
    #expect(CommandSchema.operations.map(\.name).sorted() == ScriptParser.operations.sorted())
  }

  @Test("an open schema passes over what is new, a closed one names what there is")
  func openAndClosed() throws {
    let open = try #require(EventSchema.schema(isClosed: false).objectValue)
    #expect(open["additionalProperties"] == nil)
    #expect(open["properties"]?.objectValue?["type"]?.objectValue?["enum"] == nil)
    let closed = try #require(EventSchema.schema(isClosed: true).objectValue)
    #expect(closed["additionalProperties"] == false)
    let names = closed["properties"]?.objectValue?["type"]?.objectValue?["enum"]?.arrayValue
    #expect(names?.count == EventSchema.types.count)
  }

  @Test("the page on events and the schema know the same types")
  func documentation() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../docs/events.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let rows = text.split(separator: "\n").drop { $0 != "## Types" }
      .prefix { !$0.hasPrefix("A key marked") }.filter { $0.hasPrefix("| `") }
    let told = rows.flatMap { row -> [String] in
      let cell = row.dropFirst(2).prefix { $0 != "|" }
      return cell.split(separator: "`").map(String.init).filter { $0.contains(".") }
    }
    #expect(told.sorted() == EventSchema.types.map(\.type).sorted())
  }
}
