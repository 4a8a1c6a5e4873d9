import Foundation
import FreshetStore
import FreshetTestServer
import Testing

@testable import FreshetCLI

/// A dry run tells what a real one of the same script on the same store would tell.
@Suite("freshet run --dry-run")
struct DryRunTests {
  private let sandbox: Sandbox
  private static let long = String(repeating: "가", count: 451)

  init() throws { sandbox = try Sandbox() }

  private func save(_ id: String, _ overview: String = long) -> String {
    #"{"op":"save","record":{"id":"\#(id)","overview":"\#(overview)"}}"#
  }

  /// What a script answers when it is run dry, and then when it is done.
  private func both(
    _ lines: [String], _ options: [String] = [], key: String? = nil
  ) throws -> (dry: [String], real: [String]) {
    let script = Array(lines.joined(separator: "\n").utf8)
    let before = try sandbox.lines("store", "export", "-", "--include-deleted").lines
    var environment = ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path]
    environment["FRESHET_TMDB_KEY"] = key
    let words = ["run", "-f", "-", "--ordered"] + options
    let dry = try sandbox.run(words + ["--dry-run"], bytes: script, environment)
    #expect(dry.results.allSatisfy { $0["dry"] == true })
    #expect(try sandbox.lines("store", "export", "-", "--include-deleted").lines == before)
    let real = try sandbox.run(words, bytes: script, environment)
    #expect(dry.status == real.status)
    return (told(dry), told(real))
  }

  private func told(_ run: Run) -> [String] {
    let parts = run.records.filter { ["cmd.result", "snapshot.item"].contains($0.type) }
    return parts.map { record in
      let keys = ["line", "op", "ok", "changed", "status", "outcome", "selected"]
      let words = keys.map { record[$0]?.jsonText ?? "-" }
      let item = record["item"]?.jsonText ?? ""
      return (words + [record.id ?? "-", record.errorCode ?? "-", item]).joined(separator: " ")
    }
  }

  @Test("folds: of what earlier lines saved, deleted, folded")
  func folds() throws {
    _ = try sandbox.run(
      "save", "-f", "-", input: #"{"id":"book:local:1","overview":"\#(Self.long)"}"#)
    let (dry, real) = try both([
      "toggleFold book:local:1", "toggleFold book:local:1", "fold book:local:1",
      "fold book:local:1", save("book:local:2"), "fold book:local:2", "toggleFold book:local:2",
      save("book:local:3", "short"), "fold book:local:3", "toggleFold book:local:3",
      "fold book:local:9", "delete book:local:1", "toggleFold book:local:1",
      "restore book:local:1", "toggleFold book:local:1", "deleteAll", "unfold book:local:2",
    ])
    #expect(dry == real)
    #expect(real.count(where: { $0.contains("\"folded\"") }) == 3)
    #expect(real.count(where: { $0.contains("not_found") }) == 3)
  }

  @Test("guidances: what earlier lines registered, deleted, completed; and their list")
  func guidances() throws {
    let student = #"{"id":202110101,"grade":1,"classNumber":1,"number":1,"name":"가나다"}"#
    _ = try sandbox.run("guidance", "students", "-f", "-", input: student)
    _ = try sandbox.run("guidance", "register", "202110101", "shoes")
    let (dry, real) = try both([
      "complete 2", "register 202110101 clothes", "list --view guidance", "delay 2 2026-12-24",
      "delete guidance:2", "delete guidance:2 --yes", "delete guidance:2 --yes",
      "restore guidance:2", "restore guidance:2", "complete 2", "complete 2", "complete 1",
      "register 5 shoes", "list --view guidance", "register 202110101 shoes",
      "filter my-class --grade 2 --class 8", "delete guidance:3 --yes",
    ])
    #expect(dry == real)
    #expect(real.contains { $0.contains("needs_confirmation") })
    #expect(real.contains { $0.contains("registered guidance:2") || $0.contains("guidance:2") })
  }

  @Test("books: what an earlier line chose")
  func books() throws {
    let file = try sandbox.file(
      "series.json",
      #"{"data":[{"attributes":{"title":"One"}},{"attributes":{"title":"Two"}}]}"#)
    _ = try sandbox.run("books", "load", file)
    let (dry, real) = try both([
      "select 1", "select 2", "select 2", "list --view books", "select 3", "select x", "select 1",
    ])
    #expect(dry == real)
    #expect(real.count(where: { $0.contains("\"selected\"") }) == 2)
  }

  @Test("downloads: of what earlier lines saved, deleted, downloaded")
  func downloads() throws {
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:local:2"}"#)
    let detail = GoldenCase.answering("tmdb-movie-detail")
    let server = try TestServer { request in
      request.path.hasSuffix(".jpg") ? .file(Self.picture, for: request) : detail(request)
    }
    let film = "film:tmdb:movie:700001"
    let lines = [
      save("book:local:1"), "download book:local:1", "delete book:local:1",
      "download book:local:1", "download \(film)", "download \(film)", "delete \(film)",
      "download \(film)", "restore \(film)", "delete \(film)",
    ]
    let addresses = ["--tmdb-url", server.url, "--tmdb-image-url", server.url]
    let keyless = try both(lines, addresses)
    #expect(keyless.dry == keyless.real)
    #expect(keyless.real.contains { $0.contains("missing_key") })
    let (dry, real) = try both(lines, ["--jobs", "1"] + addresses, key: "KEY")
    #expect(dry == real)
    #expect(real.count(where: { $0.contains("\"download\" true true") }) == 2)
  }

  /// As much of a picture as is looked at.
  private static let picture: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 200)

  @Test("delete --dry-run: an id that comes twice is gone the second time")
  func twice() throws {
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:local:1"}"#)
    let words = ["delete", "book:local:1", "book:local:1", "book:local:2"]
    let dry = try sandbox.run(words + ["--dry-run"], bytes: nil)
    let real = try sandbox.run(words, bytes: nil)
    #expect(told(dry) == told(real))
    #expect(real.results.map { $0["outcome"] } == ["deleted", "not_found", "not_found"])
  }
}
