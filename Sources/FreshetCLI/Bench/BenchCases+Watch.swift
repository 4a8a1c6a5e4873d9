import Freshet
import FreshetStore

/// The cases of `watch`: the command itself, its stdout thrown away.
enum WatchCases {
  static let all: [BenchCase] = [
    BenchCase(
      name: "replay", summary: "records of a file told again, as by watch --from-file",
      events: 50_000, work: { (count, waiter) throws(Stop) in try replay(count, waiter) }),
    BenchCase(
      name: "watch", summary: "commits of a store told, as by watch --since start", events: 20_000,
      work: { (count, waiter) throws(Stop) in try watch(count, waiter) }),
  ]

  private static func replay(_ count: Int, _ waiter: Waiter) throws(Stop) -> BenchCase.Pass {
    try BenchFolders.inFolder { (folder) throws(Stop) in
      let path = folder + "/log.ndjson"
      try writeLog(count, to: path)
      return try timed(["watch", "--from-file", path], count, waiter)
    }
  }

  /// The same hundred records again and again: a replay looks at each by itself.
  private static func writeLog(_ count: Int, to path: String) throws(Stop) {
    let output = Output(format: .ndjson, now: { 0 })
    let storeID = String(repeating: "0123456789abcdef", count: 2)
    let filter = Cursor.Filter()
    func records(_ count: Int) -> [UInt8] {
      for number in 0..<count {
        let token = Token(storeID: storeID, epoch: 1, revision: Int64(number) + 1)
        EventCases.emit(number, to: output, cursor: Cursor(token: token, filter: filter).text)
      }
      return output.takeWaiting()
    }
    let hundred = records(100)
    do throws(System.Failure) {
      let descriptor = try System.open(path, forWriting: true)
      defer { System.closeFile(descriptor) }
      for _ in 0..<(count / 100) { try System.writeFully(hundred, to: descriptor) }
      try System.writeFully(records(count % 100), to: descriptor)
    } catch {
      throw .store(Problem(code: "io_error", message: "cannot write \(path): \(error.words)"))
    }
  }

  private static func watch(_ count: Int, _ waiter: Waiter) throws(Stop) -> BenchCase.Pass {
    try BenchFolders.inFolder { (folder) throws(Stop) in
      let path = folder + "/store"
      try fill(path, commits: count, waiter)
      defer { closeStore() }
      return try timed(
        ["watch", "--since", "start", "--count", "\(count)", "--store", path], count, waiter)
    }
  }

  /// A commit for each saving of one of a hundred items; the last one makes all durable.
  private static func fill(_ path: String, commits: Int, _ waiter: Waiter) throws(Stop) {
    try save(0..<(commits - 1), in: path, .interval(.seconds(3600)), waiter)
    try save((commits - 1)..<commits, in: path, .everyCommit, waiter)
  }

  private static func save(
    _ numbers: Range<Int>, in path: String, _ durability: StoreOptions.Durability, _ waiter: Waiter
  ) throws(Stop) {
    var options = StoreOptions()
    options.durability = durability
    options.compactsAutomatically = false
    let manager: DatabaseManager
    do throws(StoreError) {
      manager = try DatabaseManager.open(at: path, options: options)
    } catch {
      throw .store(Problem(error))
    }
    defer { manager.close(quickly: waiter.isStopped) }
    for number in numbers {
      try waiter.checkSignal()
      let id = "book:bench:\(number % 100)"
      let body = Array("{\"id\":\"\(id)\",\"title\":\"change \(number) of this item\"}".utf8)
      let answer = try Blocking.result(of: manager.save(id: id, body: body), waiter)
      if case .failure(let error) = answer { throw .store(Problem(error)) }
    }
  }

  private static func closeStore() {
    // Without a store there is nothing to close.
    if let manager = try? DatabaseManager.shared { manager.close() }
  }

  /// Runs a command of this program that tells so many events.
  private static func timed(
    _ words: [String], _ count: Int, _ waiter: Waiter
  ) throws(Stop) -> BenchCase.Pass {
    let invocation: Invocation
    do {
      invocation = try CommandTable.parser.parse(words)
    } catch {
      throw .usage("bad_arguments", error.message)
    }
    return try EventCases.intoNothing { (nowhere) throws(Stop) in
      let session = Session(
        settings: try Settings(invocation, environment: { _ in nil }, waiter),
        output: Output(format: .ndjson, descriptor: nowhere), waiter: waiter)
      Allocations.restart()
      let start = ContinuousClock.now
      _ = try invocation.command.run(invocation, session)
      try session.output.flush()
      let nanoseconds = start.duration(to: .now).nanoseconds
      return BenchCase.Pass(
        nanoseconds: [nanoseconds / Double(count)], events: count,
        output: session.counted("events"))
    }
  }
}
