import Foundation
import Testing

@testable import FreshetCLI

/// Runs of every command, good and bad, whose records are kept.
///
/// `FRESHET_GOLDEN=write swift test --filter golden` writes the files anew; look at the difference.
/// `scripts/check-schema` holds the files against the schema.
@Suite("Golden runs")
struct GoldenRunsTests {
  static let cases = items + following + screens + upkeep + speech

  @Test("a run's records are those of its file", arguments: cases)
  func goldenRun(_ golden: GoldenCase) throws { try golden.check() }

  @Test("every command has a run that succeeds and one that fails")
  func everyCommand() {
    // Nothing can go wrong with these but their arguments.
    let harmless = ["version", "man", "doctor"]
    for command in CommandTable.commands.map(\.name) {
      let mine = Self.cases.filter { $0.name.hasPrefix(command + "/") }
      #expect(mine.contains { $0.exit == 0 }, "\(command)")
      #expect(harmless.contains(command) || mine.contains { $0.exit != 0 }, "\(command)")
    }
  }

  @Test("every file belongs to a run")
  func everyFile() throws {
    let known = Set(Self.cases.map { $0.name + ".ndjson" } + scripts)
    let files = try #require(FileManager.default.enumerator(atPath: GoldenCase.folder.path))
    for case let file as String in files where file.hasSuffix(".ndjson") {
      #expect(known.contains(file), "\(file)")
    }
  }

  /// Those of the tests of scripts.
  private let scripts = ["books", "guidance", "search", "download"].map { "\($0)-script.ndjson" }

  // MARK: Items

  static let items: [GoldenCase] = [
    .init(name: "save/one", words: ["save", "-f", "-"], input: #"{"id":"book:x:1","title":"A"}"#),
    .init(
      name: "save/refused", words: ["save", "-f", "-"],
      input: "{\n[1]\n{}\n{\"id\":\"nope\"}\n{\"id\":\"book:x:1\",\"title\":7}", exit: 1),
    .init(
      name: "save/dry-run", words: ["save", "-f", "-", "--source", "kakao"],
      input: "{\"message\":\"no\",\"errorType\":\"x\"}", exit: 1),
    .init(name: "save/no-file", words: ["save", "-f", "{dir}/none"], exit: 2),
    .init(name: "save/no-input", words: ["save"], exit: 2),
    .init(name: "list/all", words: ["list"]),
    .init(name: "list/kind", words: ["list", "--kind", "film"]),
    .init(name: "list/limit", words: ["list", "--limit", "1"]),
    .init(name: "list/no-store", words: ["list"], exit: 7, before: .missing),
    .init(name: "list/bad-kind", words: ["list", "--kind", "flim"], exit: 2),
    .init(name: "show/one", words: ["show", "book:kakao:1"]),
    .init(name: "show/fold", words: ["show", "book:kakao:1", "--fold"]),
    .init(name: "show/unknown", words: ["show", "book:x:9"], exit: 1),
    .init(name: "delete/some", words: ["delete", "book:local:2", "book:x:9"]),
    .init(name: "delete/dry-run", words: ["delete", "book:local:2", "--dry-run"]),
    .init(
      name: "delete/strict-missing", words: ["delete", "book:x:9", "--strict-missing"], exit: 1),
    .init(name: "delete/all", words: ["delete", "--all", "--yes"]),
    .init(name: "delete/unconfirmed", words: ["delete", "--all"], exit: 2),
    .init(
      name: "restore/one", words: ["restore", "book:local:2"],
      steps: [["delete", "book:local:2"]]),
    .init(name: "restore/unknown", words: ["restore", "book:x:9"], exit: 1),
  ]

  // MARK: Following

  static let following: [GoldenCase] = [
    .init(name: "watch/snapshot", words: ["watch", "--initial", "only"]),
    .init(
      name: "watch/views",
      words: [
        "watch", "downloads", "saved", "detail", "book:kakao:1", "--since", "start",
        "--until-idle", "30ms",
      ],
      steps: [
        ["delete", "film:tmdb:movie:603"], ["delete", "book:kakao:1"],
        ["restore", "book:kakao:1"],
      ]),
    .init(
      name: "watch/filter",
      words: [
        "watch", "--since", "start", "--filter", "kind=book", "--type", "item.*", "--count", "1",
      ]),
    .init(
      name: "watch/after", words: ["watch", "--since", "{cursor}", "--until-idle", "30ms"],
      steps: [["delete", "book:local:2"]]),
    .init(name: "watch/timeout", words: ["watch", "saved", "--timeout", "3s"], exit: 6),
    .init(name: "watch/reset", words: ["watch", "--since", "{other}", "--initial", "only"]),
    .init(name: "watch/strict", words: ["watch", "--since", "{other}", "--strict"], exit: 3),
    .init(name: "watch/bad-cursor", words: ["watch", "--since", "rubbish"], exit: 2),
    .init(
      name: "watch/filter-mismatch", words: ["watch", "saved", "--since", "{cursor}"], exit: 2),
    .init(name: "watch/bad-view", words: ["watch", "dwnloads"], exit: 2),
    .init(name: "watch/no-store", words: ["watch"], exit: 7, before: .missing),
    .init(
      name: "watch/replay-fault", words: ["watch", "--from-file", "-"],
      input: "rubbish\n{\"v\":1,\"seq\":9,\"ts\":\"2026-01-01T00:00:00.000000Z\","
        + "\"type\":\"download.progress\",\"id\":\"film:tmdb:movie:1\","
        + "\"data\":{\"done\":1,\"total\":null}}\n", exit: 1,
      before: .missing),
  ]

  // MARK: Screens

  private static let students =
    #"{"id":202110101,"grade":1,"classNumber":1,"number":1,"name":"가나다"}"#

  static let screens: [GoldenCase] = [
    .init(
      name: "books/load",
      words: ["books", "load", "{root}/Tests/FreshetCatalogTests/Fixtures/books-basic.json"],
      before: .missing),
    .init(
      name: "books/select", words: ["books", "select", "2"], before: .missing,
      steps: [["books", "load", "{root}/Tests/FreshetCatalogTests/Fixtures/books-basic.json"]]),
    .init(
      name: "books/bad-number", words: ["books", "select", "99"], exit: 1, before: .missing,
      steps: [["books", "load", "{root}/Tests/FreshetCatalogTests/Fixtures/books-basic.json"]]),
    .init(name: "books/no-file", words: ["books", "load", "/no/such/file"], exit: 2),
    .init(
      name: "guidance/students", words: ["guidance", "students", "-f", "-"], input: students,
      before: .missing),
    .init(name: "guidance/unknown-student", words: ["guidance", "students", "9"], exit: 1),
    .init(name: "guidance/bad-action", words: ["guidance", "lst"], exit: 2),
    .init(name: "search/no-key", words: ["search", "sea", "--source", "kakao"], exit: 4),
    .init(
      name: "search/page",
      words: ["search", "sea", "--source", "kakao", "--pages", "1"]
        + ["--kakao-url", "{server}"],
      server: GoldenCase.answering("kakao-page1"), environment: ["FRESHET_KAKAO_KEY": "KEY"]),
    .init(
      name: "search/refused-key",
      words: ["search", "sea", "--source", "kakao"]
        + ["--kakao-url", "{server}"],
      exit: 4, server: GoldenCase.answering("kakao-401-bad-key", status: 401),
      environment: ["FRESHET_KAKAO_KEY": "KEY"]),
    .init(
      name: "download/dry-run",
      words: ["download", "film:tmdb:movie:550", "--dry-run"]
        + ["--tmdb-url", "{server}"],
      server: GoldenCase.answering("tmdb-movie-detail"),
      environment: ["FRESHET_TMDB_KEY": "KEY"]),
    .init(
      name: "download/not-found",
      words: ["download", "film:tmdb:movie:1"]
        + ["--tmdb-url", "{server}"],
      exit: 1, server: GoldenCase.answering("tmdb-404", status: 404),
      environment: ["FRESHET_TMDB_KEY": "KEY"]),
    .init(name: "download/no-key", words: ["download", "film:tmdb:movie:1"], exit: 4),
    .init(name: "download/nothing", words: ["download"], exit: 2),
    .init(
      name: "run/script", words: ["run", "-f", "-", "--jobs", "1"],
      input: """
        # a comment

        {"op":"begin","id":"t1"}
        {"op":"save","id":"a","record":{"id":"book:x:2","title":"B"}}
        delete book:x:2
        {"op":"commit","id":"t1"}
        delete book:local:2
        delete book:local:2
        restore book:local:2
        list --kind film
        """),
    .init(
      name: "run/bad-lines", words: ["run", "-f", "-", "--jobs", "1"],
      input: "{\"op\":\"nonsense\"}\nsave {\ndelete\n{\"op\":\"delete\",\"item\":7}", exit: 2),
    .init(
      name: "run/rolled-back", words: ["run", "-f", "-", "--atomic", "--fail-fast"],
      input: "save '{\"id\":\"book:x:2\"}'\nnonsense\ndelete book:x:2", exit: 5),
    .init(
      name: "run/no-commit", words: ["run", "-f", "-", "--jobs", "1"],
      input: "{\"op\":\"begin\"}\nsave '{\"id\":\"book:x:2\"}'", exit: 5),
    .init(name: "run/no-script", words: ["run", "-f", "/no/such/file"], exit: 2),
  ]

  // MARK: Upkeep

  static let upkeep: [GoldenCase] = [
    .init(name: "store/verify", words: ["store", "verify"]),
    .init(name: "store/stats", words: ["store", "stats"]),
    .init(name: "store/no-store", words: ["store", "verify"], exit: 7, before: .missing),
    .init(name: "store/bad-action", words: ["store", "verfy"], exit: 2),
    .init(name: "bench/list", words: ["bench", "--list"]),
    .init(
      name: "bench/bad-pipeline", words: ["bench", "--pipeline", "range(1..3) | nonsense"],
      exit: 2),
    .init(name: "bench/unknown", words: ["bench", "nothing-of-the-kind"], exit: 2),
    .init(name: "config/show", words: ["config", "show", "--origin"]),
    .init(name: "config/bad-action", words: ["config", "shwo"], exit: 2),
    .init(name: "doctor/all", words: ["doctor", "--format", "ndjson"]),
  ]

  // MARK: Words

  static let speech: [GoldenCase] = [
    .init(name: "version/records", words: ["version", "--format", "ndjson"]),
    .init(name: "help/all", words: ["help", "--format", "ndjson"]),
    .init(name: "help/unknown", words: ["help", "wtch", "--format", "ndjson"], exit: 2),
    .init(name: "man/records", words: ["man", "--format", "ndjson"]),
    .init(name: "completions/zsh", words: ["completions", "zsh", "--format", "ndjson"]),
    .init(name: "completions/unknown", words: ["completions", "csh"], exit: 2),
    .init(name: "schema/event", words: ["schema", "--format", "ndjson"]),
    .init(name: "schema/unknown", words: ["schema", "evnt"], exit: 2),
    .init(name: "usage/command", words: ["wtch"], exit: 2),
    .init(name: "usage/option", words: ["list", "--knd", "x"], exit: 2),
    .init(name: "usage/setting", words: ["list", "--format", "xml"], exit: 2),
    .init(
      name: "usage/environment", words: ["list"], exit: 2, environment: ["FRESHET_COLOR": "blue"]),
  ]
}
