import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Real threads for the few tests that need them.
public enum Threads {
  /// Runs a body on a thread with a small stack and waits for it.
  ///
  /// A body whose stack grows with the number of values overflows and crashes the
  /// process, which is what such a test is for.
  ///
  /// - Parameters:
  ///   - kibibytes: The size of the stack; 512 is that of a secondary thread on many systems.
  ///     It is eight times as much in a program with a sanitizer, whose frames are larger.
  ///   - body: What to run.
  public static func onSmallStack(kibibytes: Int = 512, _ body: @escaping @Sendable () -> Void) {
    join([start(kibibytes: kibibytes * (isSanitized ? 8 : 1), body)])
  }

  /// Whether the address sanitizer or the thread sanitizer is part of this program.
  private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    #if canImport(Darwin)
      dlsym(UnsafeMutableRawPointer(bitPattern: -2), name) != nil  // RTLD_DEFAULT
    #else
      dlsym(nil, name) != nil
    #endif
  }

  /// Runs a body on several threads at once and waits for all of them.
  ///
  /// - Parameters:
  ///   - count: How many threads.
  ///   - body: Called on each thread with its number, from zero.
  public static func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    join((0..<count).map { number in start(kibibytes: 1024) { body(number) } })
  }

  /// Runs a body on another thread and waits for it, but not for ever.
  ///
  /// - Parameters:
  ///   - seconds: How long to wait before giving up.
  ///   - body: What to run.
  /// - Returns: False when the body was not done in time: a deadlock, most likely.
  public static func finishes(
    within seconds: Int = 10, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let thread = start(kibibytes: 1024) {
      body()
      done.signal()
    }
    guard done.wait(timeout: .now() + .seconds(seconds)) == .success else {
      pthread_detach(thread)
      return false
    }
    join([thread])
    return true
  }

  private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  private static func start(
    kibibytes: Int, _ body: @escaping @Sendable () -> Void
  ) -> pthread_t {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, kibibytes * 1024)
    let thread = create(attributes, Unmanaged.passRetained(Job(body)).toOpaque())
    pthread_attr_destroy(attributes)
    attributes.deallocate()
    return thread
  }

  private static func create(
    _ attributes: UnsafePointer<pthread_attr_t>, _ job: UnsafeMutableRawPointer
  ) -> pthread_t {
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, attributes, { Threads.run($0) }, job)
      precondition(code == 0, "a thread could not be started: error \(code)")
      return thread!
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, attributes, { Threads.run($0!) }, job)
      precondition(code == 0, "a thread could not be started: error \(code)")
      return thread
    #endif
  }

  private static func run(_ job: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body()
    return nil
  }

  private static func join(_ threads: [pthread_t]) {
    for thread in threads { pthread_join(thread, nil) }
  }
}
