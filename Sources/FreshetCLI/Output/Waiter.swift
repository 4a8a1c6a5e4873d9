import CFreshet
import Synchronization

/// Waits for input, for another thread's call, for a signal, for the reader's death, or for a time.
///
/// One thread waits; `wake()` may be called from any thread and is never lost. The main thread's waiter
/// hears of signals and of the reader; a job's is told to end by `stop(_:)`.
final class Waiter: Sendable {
  /// What ended a wait.
  struct Wake {
    /// The input has bytes or has ended.
    var inputIsReady = false
    /// stdout takes bytes.
    var outputIsReady = false
    /// `wake()` was called.
    var isCalled = false
    /// The time is over.
    var isTimeout = false
  }

  private let ends: (read: Int32, write: Int32)
  private let isCalled = Atomic<Bool>(false)
  private let watchesReader: Bool
  private let isMain: Bool
  /// Why a job's thread is to end.
  private let stopped = Mutex<Stop?>(nil)

  /// Installs the signal handlers of the process, or serves a job.
  ///
  /// - Parameter ends: A pipe of its own. (An initialiser that makes the pipe and can
  ///   throw crashes the optimiser of Swift 6.3.1, because of the atomic property.)
  private init(ends: (read: Int32, write: Int32), isMain: Bool) {
    self.ends = ends
    self.isMain = isMain
    watchesReader = isMain && System.hasOtherEnd(1)
    if isMain { freshet_signals_install(ends.write) }
  }

  deinit {
    // The signal handlers write to the main thread's pipe as long as the process lives.
    guard !isMain else { return }
    System.closeFile(ends.read)
    System.closeFile(ends.write)
  }

  /// Makes the waiter of the process.
  static func make() throws(Stop) -> Waiter { try make(isMain: true) }

  /// Makes the waiter of a job's thread.
  static func makeForJob() throws(Stop) -> Waiter { try make(isMain: false) }

  private static func make(isMain: Bool) throws(Stop) -> Waiter {
    do {
      return Waiter(ends: try System.makePipe(), isMain: isMain)
    } catch {
      throw .store(Problem(code: "io_error", message: "cannot make a pipe: \(error.words)"))
    }
  }

  /// The signal that asked the process to end, if one came.
  var signal: Int32? {
    let number = freshet_signals_received()
    return number == 0 ? nil : number
  }

  /// Ends a wait that runs or the next one.
  func wake() {
    if isCalled.exchange(true, ordering: .acquiringAndReleasing) { return }
    let one: [UInt8] = [1]
    // A full pipe is readable already, and nothing else can fail here.
    _ = one.withUnsafeBytes { buffer in try? System.write(buffer, to: ends.write) }
  }

  /// Throws when the process, or the job, was asked to end.
  func checkSignal() throws(Stop) {
    if isMain {
      if let signal { throw .signal(signal) }
    } else if let stop = stopped.withLock({ $0 }) {
      throw stop
    }
  }

  /// Whether a job was told to end.
  var isStopped: Bool { stopped.withLock { $0 != nil } }

  /// Ends a job's waits, the one that runs and all later ones; the first reason counts.
  func stop(_ reason: Stop) {
    stopped.withLock { stopped in
      if stopped == nil { stopped = reason }
    }
    wake()
  }

  /// Waits for the first thing to happen.
  ///
  /// - Parameters:
  ///   - input: What bytes are expected from.
  ///   - forOutput: Whether bytes wait that stdout may take.
  /// - Throws: ``Stop/signal(_:)``, ``Stop/readerGone``.
  func wait(
    input: Int32? = nil, forOutput: Bool = false, timeout: Duration? = nil
  ) throws(Stop) -> Wake {
    let clock = ContinuousClock()
    let deadline = timeout.map { clock.now + $0 }
    while true {
      try checkSignal()
      if isCalled.exchange(false, ordering: .acquiringAndReleasing) {
        drain()
        return Wake(isCalled: true)
      }
      let remaining = deadline.map { max(.zero, clock.now.duration(to: $0)) }
      let ready = try pollOnce(input: input, forOutput: forOutput, timeout: remaining)
      if watchesReader, ready[1].isBroken { throw .readerGone }
      try checkSignal()
      let wake = Wake(
        inputIsReady: input != nil && ready[2].isReadable,
        outputIsReady: forOutput && ready[1].isWritable,
        isCalled: ready[0].isReadable && isCalled.exchange(false, ordering: .acquiringAndReleasing))
      if ready[0].isReadable { drain() }
      if wake.inputIsReady || wake.outputIsReady || wake.isCalled { return wake }
      if let deadline, clock.now >= deadline { return Wake(isTimeout: true) }
    }
  }

  private func pollOnce(
    input: Int32?, forOutput: Bool, timeout: Duration?
  ) throws(Stop) -> [System.Readiness] {
    var interests = [
      System.Interest(descriptor: ends.read, read: true),
      // A descriptor of -1 is left out by poll(2).
      System.Interest(descriptor: watchesReader || forOutput ? 1 : -1, write: forOutput),
    ]
    if let input { interests.append(System.Interest(descriptor: input, read: true)) }
    do {
      return try System.poll(interests, timeout: timeout)
    } catch {
      throw .store(Problem(code: "io_error", message: "cannot wait: \(error.words)"))
    }
  }

  private func drain() {
    var bytes: [UInt8] = []
    // Empty is an error too, and the end of the loop.
    while let count = try? System.read(from: ends.read, limit: 64, into: &bytes), count == 64 {}
  }
}
