import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

/// What users of such tools complained about: lines, bytes, encodings, numbers.
@Suite("Cases: bytes")
struct ByteCases {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func save(_ lines: String...) throws -> Run {
    try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
  }

  @Test("cli-16: a pipe gets whole lines while nothing happens, and after a signal all of them")
  func flushed() throws {
    _ = try save(#"{"id":"book:x:1"}"#)
    let child = try sandbox.start("watch", "--heartbeat", "off")
    // No flag, no terminal, no end of the process: each line comes by itself.
    #expect(try child.record("stream.bookmark")["initial"] == true)
    _ = try save(#"{"id":"book:x:2"}"#)
    #expect(try child.record("view.changed").cursor != nil)
    child.signal(SIGTERM)
    #expect(try child.rest().map(\.type) == ["stream.end"])
  }

  @Test(
    "cli-17: records of several threads never run into each other", arguments: [300, 8192, 70_000])
  func threads(_ size: Int) throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    let output = Output(format: .ndjson, descriptor: ends[1])
    let each = 20_000_000 / size / 40
    let group = DispatchGroup()
    for thread in 0..<4 {
      DispatchQueue.global().async(group: group) {
        let text = String(repeating: String(thread), count: size)
        for _ in 0..<each {
          output.emit(EventHead("item.changed")) { $0.string("text", text) }
        }
      }
    }
    let received = Thread.reading(reader)
    while group.wait(timeout: .now()) == .timedOut { try output.flush() }
    try output.flush()
    close(ends[1])
    let lines = received().split(separator: 0x0A)
    #expect(lines.count == 4 * each)
    for (number, line) in lines.enumerated() {
      let record = try Record(Array(line))
      #expect(record.sequence == Int64(number + 1))
      let text = record["text"]?.stringValue ?? ""
      #expect(text.utf8.count == size && Set(text.utf8).count == 1)
    }
  }

  @Test("cli-19: separators of Unicode are escaped when written, and split nothing when read")
  func separators() throws {
    let odd = "a\u{2028}b\u{2029}c\u{85}d\u{B}e\u{C}f"
    #expect(try save("{\"id\":\"book:x:1\",\"title\":\"\(odd.prefix(7))\"}").results.count == 1)
    let escaped = #"a\u2028b\u2029c\u0085d\u000be\u000cf"#
    #expect(try save(#"{"id":"book:x:2","title":"\#(escaped)"}"#).results.count == 1)
    let list = try sandbox.run("list")
    #expect(list.items == ["book:x:1", "book:x:2"])
    #expect(list.all("snapshot.item")[1]["item"]?.objectValue?["title"]?.stringValue == odd)
    for record in list.records {
      #expect(record.text.unicodeScalars.allSatisfy { !$0.properties.isWhitespace || $0 == " " })
    }
  }

  @Test("cli-21: bytes that are no UTF-8 are refused where they come in, never repaired in silence")
  func foreignBytes() throws {
    let lines: [[UInt8]] = [
      Array(#"{"id":"book:x:1","title":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8),
      Array(#"{"id":"book:x:2"}"#.utf8),
    ]
    let run = try sandbox.run(["save", "-f", "-"], bytes: Array(lines.joined(separator: [0x0A])))
    #expect(run.results.map(\.errorCode) == ["invalid_utf8", nil])
    #expect(try sandbox.run("list").items == ["book:x:2"])
    let word = try Child(raw: [Array("show".utf8), [0x62, 0xFF]])
    #expect(try word.record("stream.error").errorCode == "invalid_utf8")
    #expect(word.wait() == .exited(2))
    let setting = try Child(
      raw: [Array("list".utf8)], variables: [Array("FRESHET_STORE=/tmp/".utf8) + [0xFF]])
    #expect(try setting.record("stream.error").errorCode == "invalid_utf8")
    #expect(setting.wait() == .exited(2))
  }

  @Test("cli-22: numbers come back digit by digit; ids and places are texts")
  func numbers() throws {
    let kept = [
      "1499816949527975237", "18446744073709551616", "7", "7.0", "0.1", "1e3", "-0", "1.50",
    ]
    let extra = kept.enumerated().map { "\"n\($0)\":\($1)" }.joined(separator: ",")
    _ = try save("{\"id\":\"book:x:1\",\(extra)}")
    let list = try sandbox.run("list")
    let text = list.all("snapshot.item")[0].text
    for (place, number) in kept.enumerated() {
      #expect(text.contains("\"n\(place)\":\(number)"), "\(number): \(text)")
    }
    for record in list.records {
      for key in ["cursor", "id", "cid", "ts"] {
        #expect(record.object[key].map { $0.stringValue != nil } ?? true)
      }
      for key in ["seq", "rev", "i", "n"] {
        #expect(record.object[key]?.numberValue?.int64.map { $0 < 1 << 53 } ?? true)
      }
    }
  }

  @Test("cli-24: times are UTC with six decimals, everywhere")
  func times() throws {
    _ = try save(#"{"id":"book:x:1"}"#)
    let run = try sandbox.run("watch", "--since", "start", "--count", "1")
    for record in run.records {
      let time = try #require(record.object["ts"]?.stringValue)
      #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
    }
    #expect(Timestamp.text(0) == "1970-01-01T00:00:00.000000Z")
    #expect(Timestamp.text(1_790_000_000_000_007) == "2026-09-21T14:13:20.000007Z")
  }

  @Test("cli-25: one bad line stops no reader, and json-seq marks where the next record begins")
  func badLine() throws {
    let run = try save("{\"id\":\"book:x:1\"}", "{broken", "{\"id\":\"book:x:2\"}")
    #expect(run.results.map { $0["line"]?.numberValue?.int64 } == [1, 2, 3])
    #expect(run.results.map { $0["ok"] } == [true, false, true])
    let child = try sandbox.start("list", "--format", "json-seq")
    var count = 0
    while let line = try child.nextLine() {
      #expect(line.first == 0x1E)
      _ = try Record(Array(line.dropFirst()))
      count += 1
    }
    #expect(count == 6)
    #expect(child.wait() == .exited(0))
  }
}

extension Thread {
  /// Reads to the end on a thread of its own; the result waits for that.
  fileprivate static func reading(_ handle: FileHandle) -> () -> Data {
    nonisolated(unsafe) var data = Data()
    let done = DispatchSemaphore(value: 0)
    // Written before the signal, read after it.
    let thread = Thread {
      data = handle.readDataToEndOfFile()
      done.signal()
    }
    thread.start()
    return {
      done.wait()
      return data
    }
  }
}
