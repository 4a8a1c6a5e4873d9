import Foundation
import FreshetStore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A named pipe as an input: its writer is waited for as bytes are.
@Suite("Inputs that are named pipes")
struct InputPipeTests {
  private let sandbox: Sandbox
  private let pipe: String

  init() throws {
    sandbox = try Sandbox()
    pipe = sandbox.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
  }

  private func start(_ words: [String]) throws -> Child {
    try Child(
      words.map { $0 == "PIPE" ? pipe : $0 },
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path])
  }

  @Test(
    "a signal ends the wait for a writer in good order",
    arguments: [
      ["save", "-f", "PIPE"], ["run", "-f", "PIPE"], ["store", "import", "PIPE"],
      ["books", "load", "PIPE"], ["watch", "--from-file", "PIPE"],
      ["list", "--config", "PIPE"],
      ["search", "x", "--source", "tmdb", "--tmdb-key-file", "PIPE"],
      ["bench", "map", "--compare", "PIPE"],
    ], [SIGTERM, SIGINT])
  func signaled(_ words: [String], _ number: Int32) throws {
    let child = try start(words)
    try child.waitUntilIdle()
    child.signal(number)
    let records = try child.rest()
    #expect(records.first?.type == "stream.hello")
    #expect(records.last?.type == "stream.end" && records.last?["reason"] == "signal")
    #expect(records.last?["signal"]?.numberValue?.int64 == Int64(number))
    #expect(child.wait() == .signaled(number))
  }

  @Test(
    "--timeout ends the wait for a writer",
    arguments: [
      ["watch", "--from-file", "PIPE", "--timeout", "50ms"],
      ["watch", "--config", "PIPE", "--timeout", "50ms"],
      [
        "watch", "search", "x", "--source", "tmdb", "--tmdb-key-file", "PIPE", "--timeout", "50ms",
      ],
    ])
  func timeout(_ words: [String]) throws {
    let child = try start(words)
    let records = try child.rest()
    #expect(records.map(\.type) == ["stream.hello", "stream.end"])
    #expect(records.last?["reason"] == "timeout")
    #expect(child.wait() == .exited(6))
  }

  /// Opens the pipe when the child has, writes and closes it.
  private func write(_ text: String) throws {
    // Waits for the reader.
    let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
    try writer.write(contentsOf: Data(text.utf8))
    try writer.close()
  }

  @Test("a writer that comes later is read to its end")
  func written() throws {
    let save = try start(["save", "-f", "PIPE"])
    try write("{\"id\":\"book:x:1\",\"title\":\"A\"}\n{\"id\":\"book:x:2\",\"title\":\"B\"}")
    #expect(try save.rest().filter { $0["status"] == "done" }.count == 2)
    #expect(save.wait() == .exited(0))
    let config = try start(["config", "show", "--config", "PIPE", "--format", "ndjson"])
    try write("{\"grade\":\"2\"}")
    #expect(
      try config.rest().contains { $0["name"] == "grade" && $0["value"] == "2" })
    #expect(config.wait() == .exited(0))
    let empty = try start(["save", "-f", "PIPE"])
    try write("")
    #expect(try empty.rest().map(\.type) == ["stream.hello", "stream.end"])
    #expect(empty.wait() == .exited(0))
  }
}
