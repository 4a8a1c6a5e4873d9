import Freshet
import FreshetStore

/// The cases of the store.
enum StoreCases {
  static let all: [BenchCase] = [
    BenchCase(
      name: "save", summary: "durable saves, one after the other", events: 2000,
      work: { (count, waiter) throws(Stop) in try saves(count, inOneCommit: 1, waiter) },
      floor: { (count, waiter) throws(Stop) in try rawWrites(count, waiter) }),
    BenchCase(
      name: "save-1000", summary: "durable commits of a thousand saves", events: 200_000,
      work: { (count, waiter) throws(Stop) in try saves(count, inOneCommit: 1000, waiter) }),
  ]

  // MARK: Saving

  private static func body(_ number: Int) -> [UInt8] {
    Array(
      "{\"id\":\"book:bench:\(number)\",\"title\":\"\(String(repeating: "x", count: 900))\"}".utf8)
  }

  private static func saves(
    _ count: Int, inOneCommit size: Int, _ waiter: Waiter
  ) throws(Stop) -> BenchCase.Pass {
    try BenchFolders.inFolder { (folder) throws(Stop) in
      let manager: DatabaseManager
      do throws(StoreError) {
        manager = try DatabaseManager.open(at: folder + "/store")
      } catch {
        throw .store(Problem(error))
      }
      defer { manager.close(quickly: waiter.isStopped) }
      var nanoseconds: [Double] = []
      for start in stride(from: 0, to: count, by: size) {
        let numbers = start..<min(start + size, count)
        let operations = numbers.map {
          FreshetStore.Operation.save(id: "book:bench:\($0)", body: body($0))
        }
        let begin = ContinuousClock.now
        let answer = try Blocking.result(of: manager.apply(operations), waiter)
        nanoseconds.append(begin.duration(to: .now).nanoseconds / Double(numbers.count))
        if case .failure(let error) = answer { throw .store(Problem(error)) }
      }
      return BenchCase.Pass(nanoseconds: nanoseconds, events: count, output: count)
    }
  }

  /// The same bytes appended to a file, each made durable.
  private static func rawWrites(_ count: Int, _ waiter: Waiter) throws(Stop) -> BenchCase.Pass {
    try BenchFolders.inFolder { (folder) throws(Stop) in
      func failing<Value>(_ work: () throws(System.Failure) -> Value) throws(Stop) -> Value {
        do {
          return try work()
        } catch {
          throw .store(Problem(code: "io_error", message: "cannot write: \(error.words)"))
        }
      }
      let descriptor = try failing { () throws(System.Failure) in
        try System.open(folder + "/raw", forWriting: true)
      }
      defer { System.closeFile(descriptor) }
      var nanoseconds: [Double] = []
      for number in 0..<count {
        try waiter.checkSignal()
        let bytes = body(number)
        let begin = ContinuousClock.now
        try failing { () throws(System.Failure) in try System.writeDurably(bytes, to: descriptor) }
        nanoseconds.append(begin.duration(to: .now).nanoseconds)
      }
      return BenchCase.Pass(nanoseconds: nanoseconds, events: count, output: count)
    }
  }
}
