import Foundation
import FreshetStore
import FreshetTestServer
import Testing

/// What users of such tools complained about: downloads, batches, catalogues and keys.
@Suite("Cases: catalogues")
struct CatalogueCases {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func environment(_ server: String, key: String = "KEY") -> [String: String] {
    [
      "FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path, "FRESHET_KAKAO_URL": server,
      "FRESHET_GOOGLE_URL": server, "FRESHET_TMDB_URL": server,
      "FRESHET_TMDB_IMAGE_URL": server, "FRESHET_KAKAO_KEY": key, "FRESHET_GOOGLE_KEY": key,
      "FRESHET_TMDB_KEY": key,
    ]
  }

  /// A film whose picture comes in halves, the second one behind a gate.
  private func film(_ gate: TestGate?) -> @Sendable (TestRequest) -> TestAnswer {
    { request in
      if request.path.hasPrefix("/movie/") {
        return .json("{\"id\":1,\"title\":\"One\",\"poster_path\":\"/1.jpg\"}")
      }
      var picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
      picture += [UInt8](repeating: 7, count: 40_000)
      let head = TestAnswer.head(200, [("Content-Type", "image/jpeg")], length: picture.count)
      var steps: [TestAnswer.Step] = [.send(head), .send(Array(picture[..<20_000]))]
      if let gate { steps.append(.hold(gate)) }
      steps.append(.send(Array(picture[20_000...])))
      return TestAnswer(steps)
    }
  }

  private func assets() -> [String] {
    // Not there before the first picture.
    (try? FileManager.default.contentsOfDirectory(atPath: sandbox.store + "/assets")) ?? []
  }

  @Test("cli-36: killed in the middle of a picture, nothing with its name is there, nor its item")
  func killed() throws {
    let gate = TestGate()
    let server = try TestServer(film(gate))
    let child = try Child(
      ["download", "film:tmdb:movie:1"], environment: environment(server.url))
    while try child.record("download.progress")["done"] == 0 {}
    child.signal(SIGKILL)
    #expect(child.wait() == .signaled(SIGKILL))
    gate.open()
    #expect(assets().allSatisfy { $0.hasSuffix(".part") || $0.hasPrefix(".") }, "\(assets())")
    #expect(try sandbox.run("list").items.isEmpty)
    let again = try TestServer(film(nil))
    let run = try sandbox.run(
      ["download", "film:tmdb:movie:1"], bytes: nil, environment(again.url))
    #expect(run.results.map { $0["outcome"] } == ["saved"])
  }

  @Test("cli-39: progress is a record of its own; a pipe for stderr gets no bar")
  func progress() throws {
    let server = try TestServer(film(nil))
    let run = try sandbox.run(
      ["download", "film:tmdb:movie:1"], bytes: nil, environment(server.url))
    let progress = run.all("download.progress")
    #expect(progress.first?["done"] == 0)
    #expect(progress.last?["done"] == progress.last?["total"])
    #expect(progress.allSatisfy { $0.id == "film:tmdb:movie:1" })
    #expect(run.errors.isEmpty)
  }

  @Test("cli-40: no id twice in a search, and the report counts what was left out")
  func duplicates() throws {
    let server = try TestServer { request in
      let page = Int(request.query["page"] ?? "") ?? 0
      return .json(
        "{\"documents\":[{\"title\":\"A\",\"isbn\":\"9791190000011\"},"
          + "{\"title\":\"B\",\"isbn\":\"979119000002\(page)\"}],"
          + "\"meta\":{\"is_end\":\(page >= 2),\"total_count\":4,\"pageable_count\":4}}")
    }
    let run = try sandbox.run(
      ["search", "x", "--source", "kakao", "--all"], bytes: nil, environment(server.url))
    let ids = run.all("search.item").compactMap(\.id)
    #expect(ids.count == 3 && Set(ids).count == 3)
    #expect(run.all("search.page").map { $0["duplicates"] } == [0, 1])
  }

  @Test(
    "cli-41: a key is in nothing that goes out, whatever fails",
    arguments: ["kakao", "google", "tmdb"])
  func canary(_ source: String) throws {
    let key = "CANARY-0123456789abcdef"
    let servers: [TestServer] = try [
      TestServer { _ in .json("{\"message\":\"bad key \(key)\"}", status: 401) },
      TestServer { request in .json("{\"error\":\"\(request.target)\"}", status: 500) },
      TestServer { _ in TestAnswer([.cut]) },
      TestServer { _ in .redirect(to: "http://127.0.0.1:9/\(key)") },
    ]
    let places = servers.map(\.url) + ["http://no.such.host.invalid", "http://127.0.0.1:9"]
    for place in places {
      for command in [
        ["search", "x", "--source", source, "--retry", "0", "-v"],
        ["run", "-f", "-", "-v"], ["config", "show", "--origin"],
      ] {
        let run = try sandbox.run(
          command, bytes: Array("search x --source \(source)\n".utf8),
          environment(place, key: key))
        #expect(!run.errors.contains(key), "\(place): \(run.errors)")
        #expect(!run.records.contains { $0.text.contains(key) }, "\(place)")
      }
    }
    let files = FileManager.default.enumerator(atPath: sandbox.folder.path)
    for case let file as String in files ?? .init() {
      // A folder is no text.
      let text = try? String(contentsOfFile: sandbox.path(file), encoding: .utf8)
      #expect(text?.contains(key) != true, "\(file)")
    }
  }
}
