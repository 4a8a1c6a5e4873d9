import FreshetStore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The other ways to write records and to speak to people and managers.
@Suite struct FormatTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  @Test("json-seq begins each record with the separator")
  func jsonSeqBeginsEachRecordWithTheSeparator() throws {
    let answer = try sandbox.lines("config", "show", "--format", "json-seq")
    #expect(answer.status == .exited(0))
    #expect(answer.lines.count >= 4)
    for line in answer.lines {
      #expect(line.utf8.first == 0x1E)
      let value = try JSONValue(parsing: Array(line.utf8.dropFirst()))
      #expect(value.objectValue?["v"] == 1)
    }
  }

  @Test("an error under json-seq is a record of json-seq")
  func anErrorUnderJsonSeqIsARecordOfJsonSeq() throws {
    let answer = try sandbox.lines("nonsense", "--format", "json-seq")
    #expect(answer.status == .exited(2))
    #expect(answer.lines.allSatisfy { $0.utf8.first == 0x1E } && answer.lines.count == 3)
  }

  @Test("stderr can speak in objects")
  func stderrCanSpeakInObjects() throws {
    let run = try sandbox.run("show", "book:x:1", "--log-format", "ndjson")
    #expect(run.status == .exited(7))
    let line = try #require(run.errors.split(separator: "\n").first)
    let object = try #require(try JSONValue(parsing: Array(line.utf8)).objectValue)
    #expect(object.keys == ["ts", "level", "message"])
    #expect(object["level"]?.stringValue == "error")
    #expect(object["message"]?.stringValue?.contains("no store") == true)
  }

  @Test("a command line that makes no sense is told in objects too")
  func aCommandLineThatMakesNoSenseIsToldInObjectsToo() throws {
    let answer = try sandbox.lines("nonsense", "--log-format=ndjson")
    #expect(answer.errors.hasPrefix("{\"ts\":"))
  }

  @Test("a service manager hears when watch is ready and when it stops")
  func aServiceManagerHearsWhenWatchIsReadyAndWhenItStops() throws {
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:1","title":"a"}"#)
    let path = "/tmp/freshet-notify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    defer { unlink(path) }
    let manager = try DatagramSocket(at: path)
    let child = try Child(
      ["watch"], environment: ["FRESHET_STORE": sandbox.store, "NOTIFY_SOCKET": path])
    #expect(try manager.next() == "READY=1")
    #expect(try child.record("stream.bookmark")["initial"] == true)
    child.signal(SIGTERM)
    #expect(try manager.next() == "STOPPING=1")
    #expect(child.wait() == .signaled(SIGTERM))
  }

  @Test(
    "a manager that is not there changes nothing",
    arguments: ["/nowhere/at/all", "not an address", "@abstract-nobody", ""])
  func aManagerThatIsNotThereChangesNothing(_ address: String) throws {
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:1","title":"a"}"#)
    let run = try sandbox.run(
      "watch", "--initial", "only",
      environment: ["FRESHET_STORE": sandbox.store, "NOTIFY_SOCKET": address])
    #expect(run.status == .exited(0))
  }
}
