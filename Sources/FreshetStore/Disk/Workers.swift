import Dispatch
import Foundation

/// Runs jobs one after another on a thread of the system's pool.
final class SerialWorker: Sendable {
  private let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
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
}

/// A thread of its own, for work that mostly waits.
enum BackgroundThread {
  static func start(name: String, _ work: @escaping @Sendable () -> Void) {
    let thread = Thread { work() }
    thread.name = name
    thread.start()
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

/// Lets threads wait until nobody is inside.
final class IdleGroup: Sendable {
  private let group = DispatchGroup()

  func enter() { group.enter() }

  func leave() { group.leave() }

  func wait() { group.wait() }
}
