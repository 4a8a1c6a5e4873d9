import Foundation
import Freshet
import FreshetStore
import FreshetTestServer
import Testing

@testable import FreshetCLI

/// What users of such tools complained about: pipes, signals, standard input.
@Suite("Cases: pipes and signals")
struct PipeCases {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    let lines = (0..<3000).map { "{\"id\":\"book:x:\($0)\",\"title\":\"a title of some length\"}" }
    _ = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
  }

  @Test(
    "cli-31: a reader that goes away ends it with 141, without a word",
    arguments: [
      ["list"], ["watch", "--since", "start"], ["watch", "--initial", "snapshot"],
      ["delete", "--all", "--dry-run"], ["man", "--format", "text"], ["schema"],
    ])
  func head(_ words: [String]) throws {
    let child = try Child(
      words, environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path])
    _ = try child.nextLine()
    child.closeOutput()
    // A document that fits into the pipe is written before anybody can know.
    let expected: [Child.Status] = [.exited(141), .exited(0)]
    #expect(expected.contains(child.wait()))
    if words == ["list"] || words.first == "watch" { #expect(child.wait() == .exited(141)) }
    #expect(child.errorText.isEmpty)
  }

  @Test("cli-33: a stalled reader costs no memory, however much waits for it")
  func stalled() async throws {
    let child = try sandbox.start("watch", "--since", "now", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    let manager = try DatabaseManager.open(at: sandbox.store)
    func change(_ round: Int, _ count: Int) async throws {
      _ = try await manager.apply(
        (0..<count).map {
          .save(id: "book:x:\($0)", body: Array("{\"title\":\"round \(round) of this\"}".utf8))
        }
      ).value()
    }
    // Until the pipe and the buffer are full.
    for round in 0..<4 { try await change(round, 500) }
    let before = try child.residentKilobytes()
    for round in 4..<100 { try await change(round, 500) }
    let after = try child.residentKilobytes()
    #expect(after - before <= 4096, "grew from \(before) to \(after) KiB")
    manager.close()
    var seen = 0
    while seen < 50_000, let record = try child.nextRecord() {
      if record.type.hasPrefix("item.") { seen += 1 }
    }
    #expect(seen == 50_000)
    child.signal(SIGTERM)
    _ = try child.rest()
  }

  @Test("cli-35: the end of the input is the end; a signal is not held up by what is tried again")
  func ends() throws {
    let child = try sandbox.start("run", "-f", "-", input: .pipe)
    child.send("delete book:x:none\n")
    _ = try child.record("cmd.result")
    child.closeInput()
    #expect(try child.record("stream.end")["reason"] == "done")
    #expect(child.wait() == .exited(0))
    // Asked to come back in 25 seconds.
    let server = try TestServer { _ in
      TestAnswer([
        .send(Array("HTTP/1.1 503 Test\r\nRetry-After: 25\r\nContent-Length: 0\r\n\r\n".utf8))
      ])
    }
    let search = try Child(
      ["search", "x", "--source", "kakao", "--kakao-url", server.url],
      environment: ["HOME": sandbox.folder.path, "FRESHET_KAKAO_KEY": "KEY"])
    try server.waitForRequests(1)
    let clock = ContinuousClock()
    let start = clock.now
    search.signal(SIGTERM)
    #expect(try search.record("stream.end")["reason"] == "signal")
    #expect(search.wait() == .signaled(SIGTERM))
    #expect(clock.now - start < .seconds(2))
  }
}
