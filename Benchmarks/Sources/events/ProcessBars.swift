import BenchFigures
import BenchSupport
import Foundation

/// From the start of the process to its end, beside a program that does nothing.
func version(_ suite: Suite) {
  let folder = Folder(in: suite.directory)
  var nothing = suite
  nothing.program = "/bin/true"
  var ours = Samples()
  var floor = Samples()
  // The first round warms up.
  for round in 0...suite.rounds {
    for (isOurs, suite) in [(true, suite), (false, nothing)] {
      let taken = seconds {
        let program = Program(suite, isOurs ? ["version"] : [], in: folder.path)
        if program.wait() != 0 { stop("version failed") }
        program.closeOutput()
      }
      if round == 0 { continue }
      if isOurs { ours.values.append(taken * 1000) } else { floor.values.append(taken * 1000) }
    }
  }
  suite.tell(
    "version", unit: "ms", ours.median, .atMost(12), samples: ours, [("true_ms", floor.median)],
    beside: "/bin/true \(rounded(floor.median))")
}

/// The reader goes away while nothing happens.
func readerDies(_ suite: Suite) {
  let writer = Writer(suite)
  var samples = Samples()
  var isSound = true
  for round in 0...suite.rounds {
    let program = Program(suite, ["watch", "--heartbeat", "off"], in: writer.folder.path)
    program.line(with: "stream.bookmark")
    let taken = seconds {
      program.closeOutput()
      if program.wait() != 141 { isSound = false }
    }
    if !program.errorText.isEmpty { isSound = false }
    if round > 0 { samples.values.append(taken * 1000) }
  }
  suite.tell(
    "reader-dies", unit: "ms", samples.percentile(1), .atMost(20), samples: samples,
    isSound: isSound)
}

/// A signal while nothing happens.
func sigterm(_ suite: Suite) {
  let writer = Writer(suite)
  var samples = Samples()
  var isSound = true
  for round in 0...suite.rounds {
    let program = Program(suite, ["watch", "--heartbeat", "off"], in: writer.folder.path)
    program.line(with: "stream.bookmark")
    let taken = seconds {
      kill(program.pid, SIGTERM)
      program.line(with: "stream.end")
      if program.line() != nil || program.wait() != -SIGTERM { isSound = false }
    }
    program.closeOutput()
    if round > 0 { samples.values.append(taken * 1000) }
  }
  suite.tell(
    "sigterm", unit: "ms", samples.percentile(1), .atMost(200), samples: samples, isSound: isSound)
}

/// How long after a commit returned here its line can be read from another process.
func latency(_ suite: Suite) {
  let writer = Writer(suite)
  let program = Program(suite, ["watch", "--heartbeat", "off"], in: writer.folder.path)
  program.line(with: "stream.bookmark")
  let warmUp = 50
  let count = warmUp + suite.rounds * 50
  let arrivals = Arrivals(program, count)
  var commits: [Int64] = []
  for number in 0..<count {
    writer.commit([writer.save(number, of: 100)])
    commits.append(nanoseconds())
    usleep(2000)
  }
  let ends = arrivals.wait()
  let delays = Samples(
    values: zip(commits, ends).dropFirst(warmUp).map { max(0, Double($1 - $0) / 1e6) })
  kill(program.pid, SIGTERM)
  _ = program.wait()
  suite.tell(
    "latency", unit: "ms", delays.percentile(0.99), .atMost(2), samples: delays,
    [("commits", Double(count))], isSound: ends.count == count)
}

/// When the last line of each commit came, noted on a thread of its own.
// @unchecked: the thread alone touches program and times until `done` is signalled.
private final class Arrivals: @unchecked Sendable {
  private let program: Program
  private var times: [Int64] = []
  private let done = DispatchSemaphore(value: 0)

  init(_ program: Program, _ count: Int) {
    self.program = program
    let thread = Thread { [self] in
      let cursor = Array("\"cursor\"".utf8)
      while times.count < count, let line = self.program.line() {
        if line.contains(cursor) { times.append(nanoseconds()) }
      }
      done.signal()
    }
    thread.start()
  }

  func wait() -> [Int64] {
    done.wait()
    return times
  }
}

/// A reader that stands still while a million events come.
func stalledReader(_ suite: Suite) {
  let writer = Writer(suite)
  let items = 1000
  writer.commit((0..<items).map { writer.save($0, of: items) })
  let program = Program(suite, ["watch", "--heartbeat", "off"], in: writer.folder.path)
  program.line(with: "stream.bookmark")
  // Another body than before, or there would be no commit.
  writer.commit([writer.save(7 * items, of: items)])
  program.line(with: "view.changed")
  let before = privateMebibytes(of: program.pid)
  let size = 500
  for start in stride(from: 0, to: suite.events, by: size) {
    writer.commit(
      (start..<min(start + size, suite.events)).map { writer.save($0 + 10 * items, of: items) })
  }
  // Whatever it would take in, it has had the time to.
  usleep(1_000_000)
  let stalled = privateMebibytes(of: program.pid)
  let item = Array("\"type\":\"item.".utf8)
  var seen = 0
  var highest = stalled
  var lines = 0
  let taken = seconds {
    while seen < suite.events, let line = program.line() {
      if line.prefix(300).contains(item) { seen += 1 }
      lines += 1
      if lines % 100_000 == 0 { highest = max(highest, privateMebibytes(of: program.pid)) }
    }
  }
  kill(program.pid, SIGTERM)
  _ = program.wait()
  suite.tell(
    "stalled-reader", unit: "MiB", stalled - before, .atMost(4),
    [
      ("events", Double(suite.events)), ("lost", Double(suite.events - seen)),
      ("before_mib", before), ("growth_while_read", highest - before),
      ("events_per_second", Double(seen) / taken),
    ], isSound: seen == suite.events,
    beside: "\(seen) of \(suite.events) events, \(rounded(Double(seen) / taken, 0)) a second")
}
