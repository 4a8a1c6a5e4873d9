import FreshetStore
import Glibc
import StoreFaults

/// Several processes on one store: writers, a compactor in a loop, followers, and readers of lists;
/// when asked for, one of those that write is killed every five seconds.
struct LiveRun {
  let path: String
  let seconds: Int
  let seed: UInt64
  var writers = 2
  /// Microseconds between two commits of a writer.
  var writerPause: UInt32 = 0
  /// Microseconds between two compactions.
  var compactorPause: UInt32 = 50_000
  var kills = false
  /// Says each minute how far it has come.
  var tells = false

  private struct Writer {
    var child: ChildProcess
    var name: String
    var next = 0
  }

  private struct State {
    var writers: [Writer] = []
    var compactor: ChildProcess
    var readers: [ChildProcess]
    var ledger: LiveLedger
    var compactions = 0
    var kills = 0
    var rounds = 0
  }

  private func start(_ words: String...) throws -> ChildProcess {
    try ChildProcess(ExerciserProgram.path, words)
  }

  private func startWriter(_ name: String, from number: Int) throws -> Writer {
    Writer(
      child: try start("live-write", path, name, "\(number)", "\(writerPause)"), name: name,
      next: number)
  }

  private func startCompactor() throws -> ChildProcess {
    try start("live-compact", path, "\(compactorPause)")
  }

  /// Runs to the end, or to the first broken promise; these, and what there was to see.
  func run() throws -> (violations: [String], summary: String) {
    try DatabaseManager.open(at: path).close()
    var generator = SeededGenerator(seed: seed)
    var state = State(
      compactor: try startCompactor(),
      readers: [
        try start("live-follow", path), try start("live-follow", path),
        try start("live-follow", path, "\(seconds)"), try start("live-list", path),
        try start("live-observe", path),
      ],
      ledger: LiveLedger([
        LiveLedger.Reader(name: "follower 1", seesChanges: true),
        LiveLedger.Reader(name: "follower 2", seesChanges: true),
        LiveLedger.Reader(name: "the sleeper", seesChanges: true),
        LiveLedger.Reader(name: "the lister", seesChanges: false),
        LiveLedger.Reader(name: "the observer", seesChanges: false),
      ]))
    for number in 0..<writers { state.writers.append(try startWriter("w\(number)x0", from: 0)) }
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var nextKill = clock.now + .seconds(5)
    var nextReport = clock.now + .seconds(60)
    while clock.now < end, state.ledger.violations.isEmpty {
      usleep(5000)
      gather(&state)
      if kills, clock.now >= nextKill {
        nextKill += .seconds(5)
        try kill(generator.below(writers + 1), &state)
      }
      if tells, clock.now >= nextReport {
        nextReport += .seconds(60)
        Report.line(summary(state))
      }
    }
    try finish(&state)
    return (state.ledger.violations, summary(state))
  }

  private func summary(_ state: State) -> String {
    "\(state.compactions) compactions, \(state.kills) kills, " + state.ledger.summary
  }

  private func kill(_ victim: Int, _ state: inout State) throws {
    state.kills += 1
    guard victim < writers else {
      end(state.compactor)
      hear(state.compactor, &state)
      state.compactor = try startCompactor()
      return
    }
    end(state.writers[victim].child)
    take(from: victim, &state)
    // The commit after the last acknowledged one may be there.
    state.writers[victim] = try startWriter(
      "w\(victim)x\(state.kills)", from: state.writers[victim].next + 1)
  }

  private func end(_ child: ChildProcess) {
    child.signal(SIGKILL)
    child.wait()
  }

  private func gather(_ state: inout State) {
    for number in state.writers.indices { take(from: number, &state) }
    hear(state.compactor, &state)
    for number in state.readers.indices {
      for line in state.readers[number].lines(wait: false) { state.ledger.hear(line, number) }
    }
    state.rounds += 1
    if state.rounds % 100 == 0 { state.ledger.settleClaims() }
  }

  private func take(from number: Int, _ state: inout State) {
    for line in state.writers[number].child.lines(wait: false) {
      state.ledger.take(line, from: state.writers[number].name)
      state.writers[number].next += 1
    }
  }

  private func hear(_ compactor: ChildProcess, _ state: inout State) {
    for line in compactor.lines(wait: false) {
      state.ledger.compacted(line)
      state.compactions += 1
    }
  }

  /// Lets the readers come to the end, and compares with the store.
  private func finish(_ state: inout State) throws {
    for number in state.writers.indices {
      end(state.writers[number].child)
      take(from: number, &state)
    }
    end(state.compactor)
    hear(state.compactor, &state)
    if !state.ledger.violations.isEmpty { return }
    let manager = try DatabaseManager.open(at: path)
    let saved = try manager.save(id: "end", body: Array("{}".utf8)).wait()?.get()
    if saved != .saved { state.ledger.report("the last save: \(String(describing: saved))") }
    let last = manager.token.revision
    // As long as anybody has something to say: a reader may have a minute of changes before it.
    for number in state.readers.indices {
      while state.ledger.readers[number].revision < last, state.ledger.violations.isEmpty {
        let lines = state.readers[number].lines(wait: true)
        if lines.isEmpty {
          let reader = state.ledger.readers[number]
          state.ledger.report("\(reader.name) ended at \(reader.revision) of \(last)")
        }
        for line in lines { state.ledger.hear(line, number) }
      }
      end(state.readers[number])
    }
    let live = try manager.fetch().wait()?.get() ?? []
    state.ledger.finish(live: live.count)
    let verification = try manager.verify().wait()?.get()
    manager.close()
    for problem in verification?.problems ?? [] {
      state.ledger.report("\(problem.file), byte \(problem.offset): \(problem.message)")
    }
  }
}
