import Freshet
import FreshetTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("lines of a log in a pipe")
struct LogOutputTests {
  /// Both ends of a new pipe.
  private static func pipeEnds() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0, "expected a pipe, errno \(errno)")
    return (ends[0], ends[1])
  }

  /// Everything up to the end of the pipe.
  private static func all(from descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count > 0 {
        bytes += piece[..<count]
      } else if count == 0 || errno != EINTR {
        return bytes
      }
    }
  }

  @Test("a log writes lines, each with its line break")
  func lines() throws {
    let (reading, writing) = try Self.pipeEnds()
    defer { close(reading) }
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: [1, 2].flow.log("numbers", to: StandardLogOutput(descriptor: writing)))
    close(writing)
    let text = String(decoding: Self.all(from: reading), as: UTF8.self)
    #expect(text == "numbers: start\nnumbers: value 1\nnumbers: value 2\nnumbers: end finished\n")
  }

  @Test("a reader that has gone ends neither the process nor the stream")
  func deadReader() throws {
    let (reading, writing) = try Self.pipeEnds()
    close(reading)
    defer { close(writing) }
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: [1, 2].flow.log("numbers", to: StandardLogOutput(descriptor: writing)))
    #expect(recorder.transcript == ["1", "2", "finished"])
  }

  @Test("a closed file is no harm either")
  func closed() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: Just(1).log("numbers", to: StandardLogOutput(descriptor: -1)))
    #expect(recorder.transcript == ["1", "finished"])
  }

  @Test("a line longer than the pipe arrives whole, also where writing does not wait")
  func slowReader() throws {
    let (reading, writing) = try Self.pipeEnds()
    defer { close(reading) }
    try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let long = String(repeating: "x", count: 300_000)
    let read = Box<[UInt8]>([])
    let finished = Threads.finishes(within: 60) {
      Threads.concurrently(2) { number in
        if number == 0 {
          StandardLogOutput(descriptor: writing).write(long)
          close(writing)
        } else {
          read.value = Self.all(from: reading)
        }
      }
    }
    #expect(finished, "expected the line to be written while it is read")
    #expect(read.value == Array((long + "\n").utf8), "expected the whole line")
  }
}
