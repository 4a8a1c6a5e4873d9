import BenchFigures
import BenchSupport
import Foundation
import Freshet
import FreshetStore

/// Four processes that save one record at a time.
func processCases(_ bench: Bench) {
  let each = 1000
  func round(_ extra: inout Extra, _ work: String, _ path: String) -> Double {
    let children = (0..<4).map { Child([work, path, String(each), String($0)]) }
    for child in children { child.waitForLine() }
    let start = nanoseconds()
    for child in children { child.go() }
    // Each says when it had done, and its slowest save in µs.
    let ends = children.map { $0.numbers() }
    let last = ends.map { $0[0] }.max() ?? 0
    extra.add("max_ms", (ends.map { $0[1] }.max() ?? 0) / 1000)
    extra.add("p99_us", ends.map { $0[2] }.max() ?? 0)
    return Double(4 * each) / ((last - Double(start)) / 1e9)
  }
  bench.compare(
    "save/durable/4-processes", unit: "saves/s", reach: 8_000, isDurable: true,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      openStore(folder.path + "/store").close()
      return round(&extra, "save", folder.path + "/store")
    },
    sqlite: sqliteReading { extra in
      let folder = Folder(in: bench.directory)
      // Open all the while: whoever comes first or goes last locks the others out for a moment.
      let keeper = SQLite(folder.path + "/db")
      defer { withExtendedLifetime(keeper) {} }
      return round(&extra, "sqlite-save", folder.path + "/db")
    })
}

/// This program again, as another process.
final class Child {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending: [UInt8] = []

  init(_ arguments: [String]) {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--child"] + arguments
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { stop("cannot start a child: \(error)") }
  }

  /// The child's next line.
  @discardableResult
  func waitForLine() -> String {
    while true {
      if let end = pending.firstIndex(of: 0x0A) {
        defer { pending.removeFirst(end + 1) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { stop("a child ended early") }
      pending.append(contentsOf: more)
    }
  }

  func go() { input.fileHandleForWriting.write(Data("go\n".utf8)) }

  func numbers() -> [Double] { waitForLine().split(separator: " ").compactMap { Double($0) } }

  func wait() {
    process.waitUntilExit()
  }
}

/// What a child does: says that it is ready, waits for a line, works, prints its figures.
func runChild(_ arguments: [String], _ bench: Bench) {
  guard arguments.count >= 2 else { stop("a child needs its work and a path") }
  let path = arguments[1]
  let count = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
  let offset = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
  switch arguments[0] {
  case "save":
    let manager = openStore(path)
    childSaves(count, offset) { _ = answer(manager.save(id: $0, body: $1)) }
    manager.close()
  case "stamped-save":
    let manager = openStore(path)
    childStampedSaves(count) { _ = answer(manager.save(id: $0, body: $1)) }
    manager.close()
  case "commits": durablyFilled(path, commits: count).close()
  case "memory":
    let manager = openStore(path)
    _ = answer(manager.fetch(id: Records.id(0)))
    say("\(privateMebibytes())")
    manager.close()
  default: runSQLiteChild(arguments[0], path, count, offset)
  }
}

func childSaves(_ count: Int, _ offset: Int, _ save: (String, [UInt8]) -> Void) {
  let bodies = (0..<count).map { Records.body($0) }
  say("ready")
  _ = readLine()
  var samples = Samples()
  for number in 0..<count {
    samples.values.append(
      seconds { save(Records.id(offset * count + number), bodies[number]) } * 1e6)
  }
  say("\(nanoseconds()) \(samples.percentile(1)) \(samples.percentile(0.99))")
}

/// Saves one record a millisecond and prints, at the end, when each save had returned.
func childStampedSaves(_ count: Int, _ save: (String, [UInt8]) -> Void) {
  let bodies = (0..<count).map { Records.body($0) }
  say("ready")
  _ = readLine()
  var ends: [Int64] = []
  ends.reserveCapacity(count)
  for number in 0..<count {
    save(Records.id(number), bodies[number])
    ends.append(nanoseconds())
    usleep(1000)
  }
  say(ends.map { String($0) }.joined(separator: " "))
}

private func runSQLiteChild(_ work: String, _ path: String, _ count: Int, _ offset: Int) {
  #if SQLITE
    switch work {
    case "sqlite-save":
      let database = SQLite(path)
      childSaves(count, offset) { database.save($0, $1) }
    case "sqlite-stamped-save":
      let database = SQLite(path)
      childStampedSaves(count) { database.save($0, $1) }
    case "sqlite-memory":
      let database = SQLite(path)
      _ = database.fetch(Records.id(0))
      say("\(privateMebibytes())")
    default: stop("unknown work: \(work)")
    }
  #else
    stop("unknown work: \(work)")
  #endif
}
