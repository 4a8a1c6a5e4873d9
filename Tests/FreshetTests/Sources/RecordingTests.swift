import Freshet
import FreshetTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Recording")
struct RecordingTests {
  private struct Offline: Error, Hashable, Codable {
    var code = 1
  }

  private static let ends: [End<Offline>?] = [.finished, .failed(Offline()), nil]

  @Test("plays what was written down, for each subscription", arguments: examples)
  func example(_ example: Example) {
    example.check()
    example.check()
  }

  static let examples: [Example] = [
    Example("values and the finish", "1 2 |") { Recording<Int, Never>([1, 2]) },
    Example("values and a failure", "1 2 #5") {
      Recording([1, 2], end: .failed(Trouble(5)))
    },
    Example("values without an end", "1 2") { Recording<Int, Never>([1, 2], end: nil) },
    Example("nothing", "|") { Recording<Int, Never>() },
    Example("a recording of a recording", "1 #5") {
      Recording([1], end: .failed(Trouble(5))).recorded().promoteFailure(to: Trouble.self)
        .flatMap { $0 }
    },
    Example("inside flatMap, known or not", "1 2 3 |") {
      [[], [1], [2, 3]].flow.flatMap { Recording<Int, Never>($0) }
    },
  ]

  @Test("without an end it stays open, across pauses and resumes, until the dispose")
  func open() {
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: Recording([1, 2], end: nil))
    for _ in 0..<5 { recorder.resume() }
    #expect(recorder.transcript == ["1", "2"])
    recorder.dispose()
    #expect(recorder.transcript == ["1", "2"])
    #expect(recorder.violations == [])
  }

  @Test("records a flow, failure and all")
  func recorded() {
    let recorder = Recorder<Recording<Int, Trouble>, Never>()
    recorder.subscribe(to: failing(1, 2, code: 3).recorded())
    #expect(recorder.values == [Recording([1, 2], end: .failed(Trouble(3)))])
    #expect(recorder.end == .finished)
  }

  @Test("is the same after it was in a file")
  func file() throws {
    for end in Self.ends {
      let recording = Recording([1, 2], end: end)
      let data = try JSONEncoder().encode(recording)
      #expect(try JSONDecoder().decode(Recording<Int, Offline>.self, from: data) == recording)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let failed = try encoder.encode(Recording([1], end: .failed(Offline())))
    #expect(
      String(decoding: failed, as: UTF8.self)
        == #"{"end":"failed","failure":{"code":1},"values":[1]}"#)
  }

  @Test(
    "refuses a file that is not one",
    arguments: [
      #"{"end":"finished"}"#, #"{"values":[1],"end":"failed"}"#, #"{"values":[1],"end":"over"}"#,
      #"{"values":["a"]}"#, "[]",
    ])
  func damaged(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Recording<Int, Offline>.self, from: Data(text.utf8))
    }
  }

  @Test("is a value")
  func value() {
    var recording = Recording<Int, Never>([1])
    recording.values.append(2)
    #expect(recording == Recording([1, 2]))
    #expect(recording != Recording([1, 2], end: nil))
    #expect(Set([recording, recording]).count == 1)
  }
}
