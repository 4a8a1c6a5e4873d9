import Foundation
import Synchronization

/// The cases of the event stream.
enum EventCases {
  static let all: [BenchCase] = [
    BenchCase(
      name: "encode", summary: "events into lines; by hand: JSONEncoder", events: 200_000,
      work: { (count, waiter) throws(Stop) in try encode(count, waiter) },
      floor: BenchCase.slicing { encodeWithFoundation($0) }),
    BenchCase(
      name: "lines",
      summary: "events to cat, a write(2) each; by hand: a loop of writes",
      events: 100_000,
      work: { (count, waiter) throws(Stop) in
        try intoCat { (pipe) throws(Stop) in
          let output = Output(format: .ndjson, descriptor: pipe, now: { 0 })
          return try sliced(count, waiter) { (number) throws(Stop) in
            emit(number, to: output)
            try output.flush()
          }
        }
      },
      floor: { (count, waiter) throws(Stop) in
        let output = Output(format: .ndjson, now: { 0 })
        // As long as the average of the others.
        for number in 0..<100 { emit(count / 2 + number, to: output) }
        let lines = output.takeWaiting()
        let line = Array(lines[...(lines.firstIndex(of: 0x0A) ?? 0)])
        return try intoCat { (pipe) throws(Stop) in
          try sliced(count, waiter) { (_) throws(Stop) in try write(line, to: pipe) }
        }
      }),
  ]

  // MARK: Writing

  /// Runs a body with a pipe that cat(1) empties.
  private static func intoCat(
    _ body: (Int32) throws(Stop) -> BenchCase.Pass
  ) throws(Stop) -> BenchCase.Pass {
    let cat = Process()
    cat.executableURL = URL(fileURLWithPath: "/bin/cat")
    let pipe = Pipe()
    cat.standardInput = pipe
    cat.standardOutput = FileHandle.nullDevice
    do {
      try cat.run()
    } catch {
      throw .store(Problem(code: "io_error", message: "cannot start /bin/cat: \(error)"))
    }
    let result = Result { () throws(Stop) in
      try body(pipe.fileHandleForWriting.fileDescriptor)
    }
    // Its end is all that cat waits for.
    try? pipe.fileHandleForWriting.close()
    cat.waitUntilExit()
    return try result.get()
  }

  private static func sliced(
    _ count: Int, _ waiter: Waiter, _ each: (Int) throws(Stop) -> Void
  ) throws(Stop) -> BenchCase.Pass {
    let slices = Slices(values: count)
    slices.mark()
    for start in stride(from: 0, to: count, by: slices.size) {
      let end = min(start + slices.size, count)
      try waiter.checkSignal()
      for number in start..<end { try each(number) }
      slices.passed.store(end, ordering: .relaxed)
      slices.mark()
    }
    return BenchCase.Pass(nanoseconds: slices.nanoseconds, events: count, output: count)
  }

  private static func write(_ line: [UInt8], to descriptor: Int32) throws(Stop) {
    let count = line.withUnsafeBytes { buffer in try? System.write(buffer, to: descriptor) }
    guard count == line.count else {
      throw .writeError(Problem(code: "write_error", message: "the pipe does not take a line"))
    }
  }

  @discardableResult
  static func emit(
    _ number: Int, to output: Output, cursor: String = "c1.Zk3q.88.7f2a"
  ) -> Int {
    var head = EventHead("item.changed")
    head.revision = Int64(number)
    head.cursor = cursor
    head.time = 1_790_000_000_000_000
    head.view = "downloads"
    head.id = "film:tmdb:movie:603"
    head.correlation = "s1:L17"
    return output.emit(head) { data in
      data.string("from", "queued")
      data.string("to", "downloading")
      data.int("done", number)
      data.int("total", 987_654)
      data.string("title", "The Matrix, or how the sea came to the shore of the morning")
    }
  }

  // MARK: Encoding

  /// Written as a stream is: batch by batch.
  private static func encode(_ count: Int, _ waiter: Waiter) throws(Stop) -> BenchCase.Pass {
    try intoNothing { (nowhere) throws(Stop) in
      let output = Output(format: .ndjson, descriptor: nowhere, now: { 0 })
      return try sliced(count, waiter) { (number) throws(Stop) in
        if emit(number, to: output) >= Output.highWaterBytes { try output.flush() }
      }
    }
  }

  /// Gives the body a descriptor that takes everything at once.
  static func intoNothing<Value>(_ body: (Int32) throws(Stop) -> Value) throws(Stop) -> Value {
    let nowhere: Int32
    do {
      nowhere = try System.open("/dev/null", forWriting: true)
    } catch {
      throw .store(Problem(code: "io_error", message: "cannot open /dev/null: \(error.words)"))
    }
    defer { System.closeFile(nowhere) }
    return try body(nowhere)
  }

  private struct Event: Encodable {
    struct Payload: Encodable {
      let from: String
      let to: String
      let done: Int
      let total: Int
      let title: String
    }

    let v: Int
    let seq: Int
    let rev: Int
    let cursor: String
    let ts: String
    let type: String
    let view: String
    let id: String
    let cid: String
    let data: Payload
  }

  private static func encodeWithFoundation(_ count: Int) -> Int {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var written = 0
    for number in 0..<count {
      let event = Event(
        v: 1, seq: number, rev: number, cursor: "c1.Zk3q.88.7f2a",
        ts: "2026-09-21T14:13:20.000000Z", type: "item.changed", view: "downloads",
        id: "film:tmdb:movie:603", cid: "s1:L17",
        data: Event.Payload(
          from: "queued", to: "downloading", done: number, total: 987_654,
          title: "The Matrix, or how the sea came to the shore of the morning"))
      // Strings and whole numbers can always be encoded.
      if let bytes = try? encoder.encode(event) { written += bytes.count + 1 }
    }
    return written
  }
}
