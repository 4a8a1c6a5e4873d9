import Foundation
import FreshetStore
import FreshetTestServer
import Testing

/// Searches and downloads as scripts, whole, against their golden transcripts.
@Suite("Scripts that ask catalogues, against a server")
struct CatalogueScriptTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func run(_ script: String, on server: CatalogueServer) throws -> Run {
    let key = try sandbox.file("key", "THE-SECRET-KEY")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let urls = ["kakao", "google", "tmdb", "tmdb-image"].flatMap { ["--\($0)-url", server.url] }
    let keys = ["kakao", "google", "tmdb"].flatMap { ["--\($0)-key-file", key] }
    return try sandbox.run(
      ["run", "-f", "-", "--retry", "0", "--jobs", "1"] + urls + keys, bytes: Array(script.utf8))
  }

  private func check(_ run: Run, _ name: String, _ server: CatalogueServer) throws {
    #expect(!run.records.contains { $0.text.contains("SECRET") })
    try Transcript.check(
      run, name, replacing: [(server.url, "http://server"), (sandbox.folder.path, "…")])
  }

  @Test("searches: to the end, a page that is refused and asked for again, lists, what is wrong")
  func goldenSearches() throws {
    var plan = CatalogueServer.Plan()
    plan.refusal = (page: 3, times: 1)
    let server = try CatalogueServer(plan)
    let script = """
      # three pages with a book at each border twice; page 3 is refused once
      search '해리 포터' --source kakao --page-size 2
      more
      more
      {"id":"again","op":"more"}
      more
      {"op":"search","query":"xy","source":"google","page_size":2}
      search --trending week
      {"op":"search","discover":"movie","where":{"sort_by":"popularity.desc"}}
      search x --source google
      search '  ' --source tmdb
      search --discover movie --where sort=x
      """
    let run = try run(script, on: server)
    #expect(run.status == .exited(2))
    try check(run, "search-script", server)
  }

  @Test("downloads: with its picture, twice, of an item nobody has; then the list, and folds")
  func goldenDownloads() throws {
    var plan = CatalogueServer.Plan()
    plan.pictureBytes = 900
    let server = try CatalogueServer(plan)
    let script = """
      download film:tmdb:movie:7
      {"id":"twice","op":"download","item":"film:tmdb:movie:7"}
      download film:tmdb:person:7
      download book:local:1
      download nonsense
      list
      delete film:tmdb:movie:7
      restore film:tmdb:movie:7
      """
    // One at a time, so that the transcript has one order.
    let run = try run(script, on: server)
    #expect(run.status == .exited(1))
    try check(run, "download-script", server)
  }
}
