import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs jobs one after another on a thread of the system's pool.
final class SerialWorker: Sendable {
  private let queue: DispatchQueue

  init(label: String, isUrgent: Bool = true) {
    queue = DispatchQueue(label: label, qos: isUrgent ? .userInitiated : .utility)
  }

  func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

  func run(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = delay.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: job)
  }
}

/// Runs jobs on any thread of the system's pool.
enum SharedPool {
  private static let queue = DispatchQueue(
    label: "freshet.feeds", qos: .userInitiated, attributes: .concurrent)

  static func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

  /// Runs a job so many times, side by side, and returns when all have ended; the caller's thread
  /// takes part.
  static func runTogether(_ count: Int, _ job: @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: count, execute: job)
  }
}

/// A thread of its own, for work that mostly waits.
///
/// By pthreads rather than Foundation, whose loading would take most of a short command's time.
enum BackgroundThread {
  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  static func start(name: String, _ work: @escaping @Sendable () -> Void) {
    // The new thread takes over the one reference that is handed to it; a leak or a double release
    // would be seen by the tests that open and close stores in numbers.
    let handed = Unmanaged.passRetained(Work(work))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let failure = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        #else
          if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
        #endif
        return nil
      }, handed.toOpaque())
    guard failure == 0 else {
      // Without a thread of its own it takes one of the pool's.
      handed.release()
      DispatchQueue(label: name).async(execute: work)
      return
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }
}

/// Lets threads wait for something that happens once.
final class Latch: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  /// To be called exactly once.
  func open() { group.leave() }

  func wait() { group.wait() }
}

/// Lets so many take something at a time; the others wait.
///
/// May go while some are taken.
final class Permits: Sendable {
  // One that began with a number above 0 traps when it goes with a smaller one.
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ count: Int) {
    for _ in 0..<count { semaphore.signal() }
  }

  func take() { semaphore.wait() }

  func giveBack() { semaphore.signal() }
}

/// Lets threads wait until nobody is inside.
final class IdleGroup: Sendable {
  private let group = DispatchGroup()

  func enter() { group.enter() }

  func leave() { group.leave() }

  func wait() { group.wait() }
}
