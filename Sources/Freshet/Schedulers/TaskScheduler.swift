import Synchronization

/// Runs work on Swift's concurrency runtime: on the global executor, a task executor or an actor.
///
/// Work runs one after the other, in the order in which it was scheduled.
public final class TaskScheduler: TimeScheduler {
  private let worker: Worker
  private let timers: TimerQueue
  private let clock = ContinuousClock()
  private let origin: ContinuousClock.Instant

  /// Runs work on the global executor.
  public convenience init(priority: TaskPriority? = nil) {
    self.init(priority: priority, run: { $0() })
  }

  /// Runs work on a task executor.
  ///
  /// - Parameters:
  ///   - executor: Where the work runs; kept alive by the scheduler.
  ///   - priority: The priority of the tasks that run it.
  public convenience init(executor: any TaskExecutor, priority: TaskPriority? = nil) {
    self.init(priority: priority) { work in
      await withTaskExecutorPreference(executor) { work() }
    }
  }

  /// Runs work on an actor.
  ///
  /// - Parameters:
  ///   - actor: Where the work runs; kept alive by the scheduler.
  ///   - priority: The priority of the tasks that run it.
  public convenience init<Host: Actor>(on actor: Host, priority: TaskPriority? = nil) {
    self.init(priority: priority) { work in await Self.perform(work, on: actor) }
  }

  private init(
    priority: TaskPriority?,
    run: @escaping @Sendable (@escaping @Sendable () -> Void) async -> Void
  ) {
    let worker = Worker(priority: priority, run: run)
    let clock = clock
    let origin = clock.now
    self.worker = worker
    self.origin = origin
    timers = TimerQueue(now: { Moment(origin.duration(to: clock.now)) }) { delay, wake in
      let deadline = clock.now.advanced(by: delay)
      let task = Task(priority: priority) {
        do {
          try await clock.sleep(until: deadline)
        } catch {
          return  // Cancelled: the timer was called off.
        }
        worker.schedule(wake)
      }
      return Disposable { task.cancel() }
    }
  }

  private static func perform<Host: Actor>(
    _ work: @Sendable () -> Void, on actor: isolated Host
  ) {
    work()
  }

  /// The continuous clock, from the making of the scheduler.
  public var now: Moment {
    Moment(origin.duration(to: clock.now))
  }

  /// Hands work to the task that runs this scheduler's works one by one.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    worker.schedule(work)
  }

  /// Hands work over after a while, in the order of the works' times.
  ///
  /// - Parameters:
  ///   - delay: How long to wait; zero or less means as soon as possible.
  ///   - work: What to run.
  /// - Returns: The token that calls it off. Work that has begun is not called off.
  /// - Complexity: O(log n) in the number of works that wait.
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> Disposable {
    timers.schedule(after: delay, work)
  }
}

/// Runs work in order, in one task at a time.
private final class Worker: Sendable {
  private let priority: TaskPriority?
  private let run: @Sendable (@escaping @Sendable () -> Void) async -> Void
  private let queue = WorkQueue()

  init(
    priority: TaskPriority?,
    run: @escaping @Sendable (@escaping @Sendable () -> Void) async -> Void
  ) {
    self.priority = priority
    self.run = run
  }

  func schedule(_ work: @escaping @Sendable () -> Void) {
    guard queue.append(work) else { return }
    Task(priority: priority) { [queue, run] in
      while let work = queue.next() { await run(work) }
    }
  }
}

/// Work in order, with one worker at a time.
private final class WorkQueue: Sendable {
  private struct State: Sendable {
    var queue = Queue<@Sendable () -> Void>()
    var hasWorker = false
  }

  private let state = Mutex(State())

  /// Adds work; true when the caller must bring a worker.
  func append(_ work: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      state.queue.append(work)
      return !exchange(&state.hasWorker, for: true)
    }
  }

  /// Takes the next work; nil sends the worker home.
  func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      let work = state.queue.popFirst()
      if work == nil { state.hasWorker = false }
      return work
    }
  }
}
