import FreshetStore
import Glibc
import StoreFaults

/// Two writers, four followers and a compactor on one store; every five seconds one of the writers
/// or the compactor is killed.
///
/// Every acknowledged commit must reach every follower once and in order.
struct Soak {
  let minutes: Int
  let folder: String
  let seed: UInt64

  private struct Writer {
    var child: ChildProcess
    var name: String
    var next = 0
  }

  private struct Follower {
    var child: ChildProcess
    var revision: Int64 = 0
    var count = 0
    /// FNV-1a over its lines.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  }

  private struct State {
    var writers: [Writer] = []
    var followers: [Follower] = []
    /// Acknowledged, and not yet seen by the first follower.
    var awaited: [Int64: String] = [:]
    /// Seen by the first follower before the acknowledgement was read.
    var early: [Int64: String] = [:]
    var acknowledged = 0
    var kills = 0
    var compactions = 0
    var violations: [String] = []
  }

  private var path: String { folder + "/store" }

  func run() throws {
    mkdir(folder, 0o700)
    try DatabaseManager.open(at: path).close()
    var generator = SeededGenerator(seed: seed)
    var state = State()
    for number in 0..<2 { state.writers.append(try writer("a\(number)x0", from: 0)) }
    for _ in 0..<4 {
      state.followers.append(
        Follower(child: try ChildProcess(ExerciserProgram.path, ["follow", path])))
    }
    var compactor = try startCompactor()
    let clock = ContinuousClock()
    let end = clock.now + .seconds(60 * minutes)
    var nextKill = clock.now + .seconds(5)
    var nextReport = clock.now + .seconds(60)
    while clock.now < end, state.violations.isEmpty {
      usleep(20_000)
      gather(&state)
      state.compactions += compactor.lines(wait: false).count
      if clock.now >= nextKill {
        nextKill = clock.now + .seconds(5)
        let victim = generator.below(3)
        if victim < 2 {
          try kill(victim, &state)
        } else {
          compactor.signal(SIGKILL)
          compactor.wait()
          compactor = try startCompactor()
        }
        state.kills += 1
      }
      if clock.now >= nextReport {
        nextReport = clock.now + .seconds(60)
        Report.line(summary(state))
      }
    }
    compactor.signal(SIGKILL)
    compactor.wait()
    try finish(&state)
    Report.line("soak: \(minutes) min, " + summary(state) + ", FRESHET_SEED=\(seed)")
    Report.end(state.violations)
  }

  private func startCompactor() throws -> ChildProcess {
    try ChildProcess(ExerciserProgram.path, ["compact", path])
  }

  private func summary(_ state: State) -> String {
    "\(state.acknowledged) acknowledged commits, \(state.followers.map(\.count)) followed, "
      + "\(state.kills) kills, \(state.compactions) compactions, "
      + "\(state.violations.count) broken promises"
  }

  private func writer(_ name: String, from number: Int) throws -> Writer {
    let child = try ChildProcess(
      ExerciserProgram.path, ["write", path, name, "\(number)", "paced"])
    return Writer(child: child, name: name, next: number)
  }

  private func kill(_ number: Int, _ state: inout State) throws {
    let old = state.writers[number]
    old.child.signal(SIGKILL)
    old.child.wait()
    take(old.child.lines(wait: true), from: number, &state)
    state.writers[number] = try writer(
      "a\(number)x\(state.kills)", from: state.writers[number].next + 1)
  }

  private func gather(_ state: inout State) {
    for number in state.writers.indices {
      take(state.writers[number].child.lines(wait: false), from: number, &state)
    }
    for number in state.followers.indices {
      follow(state.followers[number].child.lines(wait: false), number, &state)
    }
  }

  private func take(_ lines: [String], from number: Int, _ state: inout State) {
    for line in lines {
      let words = line.split(separator: " ").compactMap { Int64($0) }
      guard words.count == 2 else {
        state.violations.append("a writer said: \(line)")
        continue
      }
      state.writers[number].next = Int(words[0]) + 1
      state.acknowledged += 1
      let id = "\(state.writers[number].name)-\(words[0])"
      if let seen = state.early.removeValue(forKey: words[1]) {
        if !seen.contains(id) { state.violations.append("revision \(words[1]) is \(seen)") }
      } else {
        state.awaited[words[1]] = id
      }
    }
  }

  private func follow(_ lines: [String], _ number: Int, _ state: inout State) {
    for line in lines {
      let revision = line.split(separator: " ").first.flatMap { Int64($0) } ?? 0
      let last = state.followers[number].revision
      // A kill loses nothing, so no epoch begins and no number is passed over.
      if revision != last + 1 {
        state.violations.append("follower \(number): \(last) is followed by \(line)")
      }
      state.followers[number].revision = revision
      state.followers[number].count += 1
      for byte in line.utf8 {
        state.followers[number].hash =
          (state.followers[number].hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      }
      guard number == 0 else { continue }
      if let id = state.awaited.removeValue(forKey: revision) {
        if !line.contains(id) { state.violations.append("\(id) was acknowledged for \(line)") }
      } else {
        state.early[revision] = line
      }
    }
  }

  /// Lets the followers come to the end, and compares.
  private func finish(_ state: inout State) throws {
    for number in state.writers.indices {
      state.writers[number].child.signal(SIGKILL)
      state.writers[number].child.wait()
      take(state.writers[number].child.lines(wait: true), from: number, &state)
    }
    let manager = try DatabaseManager.open(at: path)
    let end = try manager.save(id: "end", body: Array("{}".utf8)).wait()?.get()
    if end != .saved { state.violations.append("the last save: \(String(describing: end))") }
    let last = manager.token.revision
    manager.close()
    for number in state.followers.indices {
      while state.followers[number].revision < last {
        let lines = state.followers[number].child.lines(wait: true)
        if lines.isEmpty {
          state.violations.append("follower \(number) ended at \(state.followers[number].revision)")
          break
        }
        follow(lines, number, &state)
      }
    }
    if Set(state.followers.map(\.hash)).count != 1 {
      state.violations.append("the followers have seen different changes")
    }
    for (revision, id) in state.awaited {
      state.violations.append("\(id), acknowledged as \(revision), was never seen")
    }
  }
}
