import Freshet
import Synchronization

/// A scheduler whose time moves only when a test says so.
///
///     let scheduler = VirtualScheduler()
///     let recorder = Recorder<Int, Never>(scheduler: scheduler)
///     recorder.subscribe(to: subject.debounce(for: .seconds(1), on: scheduler))
///     subject.send(7)
///     scheduler.advance(by: .seconds(1))
///
/// Works that are due at the same moment run in the order in which they were
/// scheduled. Work that is scheduled while time advances runs inside the same
/// advance when it is due by then, and every work sees its own due time as
/// ``now``. Time is advanced by one thread at a time; work may be scheduled and
/// called off from any thread.
public final class VirtualScheduler: TimeScheduler {
  private struct State: Sendable {
    var now: Moment
    var heap = DueHeap<Job>()
  }

  private let state: Mutex<State>

  /// How long one character of a marble diagram lasts.
  public let tick: Duration

  /// Makes a scheduler that stands at a moment.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - tick: How long one character of a marble diagram lasts; see ``MarbleDiagram``.
  ///     Must be positive.
  public init(now: Moment = .zero, tick: Duration = .milliseconds(1)) {
    precondition(tick > .zero, "a tick must last for some time, not \(tick)")
    self.tick = tick
    state = Mutex(State(now: now))
  }

  /// The present moment: the due time of the work that runs, or where the last advance ended.
  public var now: Moment {
    state.withLock { $0.now }
  }

  /// How many works wait, without those that were called off.
  ///
  /// - Complexity: O(n).
  public var pendingCount: Int {
    state.withLock { state in state.heap.entries.count { !$0.payload.isCancelled } }
  }

  /// The moment at which the next work is due; nil when none waits.
  ///
  /// - Complexity: O(n).
  public var nextDue: Moment? {
    state.withLock { state in
      state.heap.entries.lazy.filter { !$0.payload.isCancelled }.map(\.due).min()
    }
  }

  /// Runs work at the present moment, as soon as time is advanced.
  ///
  /// It runs after the works that are due at this moment already.
  ///
  /// - Complexity: O(log n) in the number of works that wait.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    _ = insert(Job(work), after: .zero)
  }

  /// Runs work once, when time has been advanced by a while.
  ///
  /// - Parameters:
  ///   - delay: How long from the present moment; zero or less means at the present moment.
  ///   - work: What to run.
  /// - Returns: The token that calls it off, and lets go of the work.
  /// - Complexity: O(log n) in the number of works that wait.
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> Disposable {
    let job = insert(Job(work), after: delay)
    return Disposable { job.cancel() }
  }

  /// The same, but before everything else that is due at that moment.
  func scheduleFirst(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    let job = insert(Job(work), after: delay, isFirst: true)
    return Disposable { job.cancel() }
  }

  private func insert(_ job: Job, after delay: Duration, isFirst: Bool = false) -> Job {
    state.withLock { $0.heap.insert(job, due: $0.now + max(.zero, delay), isFirst: isFirst) }
    return job
  }

  // MARK: Moving time

  /// Runs everything that is due at this moment, without moving time.
  public func runDue() {
    advance(to: now)
  }

  /// Moves time forward and runs what comes due, in order.
  ///
  /// - Parameter duration: How far. Not negative.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "time does not go back: advance(by: \(duration))")
    advance(to: now + duration)
  }

  /// Moves time forward to a moment and runs what comes due, in order.
  ///
  /// Work that keeps scheduling work without delay keeps this from returning;
  /// ``run(limit:)`` has a limit for that.
  ///
  /// - Parameter moment: Where to stop. A moment that has passed runs nothing.
  public func advance(to moment: Moment) {
    while let job = next(until: moment) { job.run() }
    state.withLock { $0.now = max($0.now, moment) }
  }

  /// Runs everything that waits and all that comes of it, moving time as needed.
  ///
  /// - Parameter limit: How many works to run at most.
  /// - Returns: How many ran.
  /// - Throws: ``LimitReached`` when there is still work after that many, as with a
  ///   timer that repeats for ever.
  @discardableResult
  public func run(limit: Int = 1_000_000) throws(LimitReached) -> Int {
    var count = 0
    while count < limit {
      guard let job = next(until: nil) else { return count }
      job.run()
      count += 1
    }
    guard nextDue == nil else {
      throw LimitReached(limit: limit, pending: pendingCount, now: now)
    }
    return count
  }

  /// Takes the first work that is due and moves time to it.
  private func next(until limit: Moment?) -> Job? {
    while true {
      let job = state.withLock { state -> Job? in
        guard let first = state.heap.first, limit.map({ first.due <= $0 }) ?? true else {
          return nil
        }
        _ = state.heap.popFirst()
        // One that was called off does not move time.
        if !first.payload.isCancelled { state.now = max(state.now, first.due) }
        return first.payload
      }
      guard let job else { return nil }
      if !job.isCancelled { return job }
    }
  }

  /// There was still work when the limit was reached.
  public struct LimitReached: Error, Hashable, CustomStringConvertible {
    /// How many works were allowed to run.
    public let limit: Int
    /// How many works still wait.
    public let pending: Int
    /// The moment that was reached.
    public let now: Moment

    /// What happened and what to do, in words.
    public var description: String {
      "\(limit) works ran and \(pending) still wait at \(now.sinceOrigin): "
        + "a timer repeats without end; use advance(by:)"
    }
  }

  /// One scheduled work, whose closure is let go as soon as it has run or was called off.
  private final class Job: Sendable {
    // In a struct, because a closure that goes in and out of generic storage gains a
    // wrapper each time.
    private struct Work: Sendable {
      let body: @Sendable () -> Void
    }

    private let work: Mutex<Work?>

    init(_ body: @escaping @Sendable () -> Void) {
      work = Mutex(Work(body: body))
    }

    var isCancelled: Bool { work.withLock { $0 == nil } }

    func run() {
      take()?.body()
    }

    func cancel() {
      _ = take()
    }

    private func take() -> Work? {
      work.withLock { work in
        let taken = work
        work = nil
        return taken
      }
    }
  }
}
