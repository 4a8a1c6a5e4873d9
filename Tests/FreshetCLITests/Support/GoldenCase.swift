import Foundation
import FreshetTestServer
import Testing

/// One run of the program whose records are kept in `Golden/<name>.ndjson`.
struct GoldenCase: Sendable, CustomTestStringConvertible {
  /// The command and what the case is about: `watch/snapshot`.
  let name: String
  /// The arguments.
  ///
  /// `{dir}` is the run's folder, `{root}` the package, `{server}` a catalogue,
  /// `{cursor}` the cursor of the first commit, `{other}` one of another store.
  let words: [String]
  var input: String?
  var exit: Int32 = 0
  /// What is in the store before.
  var before = Store.items
  /// Commands that are run before.
  var steps: [[String]] = []
  /// The catalogue at `{server}`.
  var server: (@Sendable (TestRequest) -> TestAnswer)?
  var environment: [String: String] = [:]

  /// What is in the store before a run.
  enum Store {
    case missing
    /// Two books and a film, one commit.
    case items
  }

  var testDescription: String { name }

  /// The package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  static let folder = URL(fileURLWithPath: root + "/Tests/FreshetCLITests/Golden")

  static let items = [
    #"{"id":"book:kakao:1","title":"하나","authors":["김"],"price":100,"overview":"a text"}"#,
    #"{"id":"film:tmdb:movie:603","title":"The Matrix","release_date":"1999-03-31"}"#,
    #"{"id":"book:local:2","title":"two"}"#,
  ]

  /// Runs it in a folder of its own, and holds it against its file.
  func check() throws {
    let sandbox = try Sandbox()
    if before == .items {
      let script = Self.items.map { "save '\($0)'" }.joined(separator: "\n")
      _ = try sandbox.run("run", "--atomic", "-f", "-", input: script)
    }
    for step in steps { _ = try sandbox.run(step.map { fill($0, sandbox, "") }, bytes: nil) }
    let server = try server.map { try TestServer($0) }
    let words = try words.map { word in
      var word = fill(word, sandbox, server?.url ?? "")
      if word == "{cursor}" {
        let run = try sandbox.run("watch", "--since", "start", "--count", "1")
        word = try #require(run.records.compactMap(\.cursor).last)
      }
      if word == "{other}" { word = try Self.otherCursor() }
      return word
    }
    let run = try sandbox.run(
      words, bytes: input.map { Array($0.utf8) },
      ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path].merging(environment) { $1 })
    #expect(run.status == .exited(exit), "\(run.errors)")
    for line in run.errors.split(separator: "\n") { #expect(line.hasPrefix("freshet: ")) }
    try Transcript.check(run, name, replacing: [(sandbox.folder.path, "DIR")])
  }

  private func fill(_ word: String, _ sandbox: Sandbox, _ server: String) -> String {
    word.replacing("{dir}", with: sandbox.folder.path).replacing("{root}", with: Self.root)
      .replacing("{server}", with: server)
  }

  private static func otherCursor() throws -> String {
    let other = try Sandbox()
    let run = try other.run("save", "-f", "-", input: #"{"id":"book:x:1"}"#)
    #expect(run.status == .exited(0))
    return try #require(try other.run("list").records.compactMap(\.cursor).last)
  }

  /// A catalogue that answers with a file of the fixtures.
  static func answering(
    _ fixture: String, status: Int = 200
  ) -> @Sendable (TestRequest) -> TestAnswer {
    { _ in
      let path = root + "/Tests/FreshetCatalogTests/Fixtures/\(fixture).json"
      // A fixture that is missing shows in the run's records.
      return .json((try? String(contentsOfFile: path, encoding: .utf8)) ?? "", status: status)
    }
  }
}
