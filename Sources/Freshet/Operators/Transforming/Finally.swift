import Synchronization

extension Flow {
  /// Runs a closure once when the stream is over, whether it ended or was disposed of.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     finally { how in close(how) }
  ///
  /// Everything passes through unchanged. The closure runs after the observer has been told the
  /// end, or after the source has been stopped by a dispose, on the thread that did either. It
  /// runs once per subscription, and is released then; also when the subscription is let go
  /// without either.
  ///
  /// - Parameter action: Is given how the source ended; nil when it was disposed of, also by an
  ///   operator that had enough, such as a ``take(_:)`` behind this.
  /// - Complexity: O(1) per value.
  @inlinable
  public func finally(
    _ action: @escaping @Sendable (End<Failure>?) -> Void
  ) -> Finally<Self> {
    Finally(source: self, action: action)
  }
}

/// The flow behind `finally(_:)`.
@frozen
public struct Finally<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let action: @Sendable (End<Failure>?) -> Void

  @inlinable
  init(source: Source, action: @escaping @Sendable (End<Failure>?) -> Void) {
    self.source = source
    self.action = action
  }

  /// Subscribes to the source, with the closure behind the observer.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = FinallySubscription(action)
    source.subscribe(FinallyObserver(downstream: observer, handle: handle))
    return handle
  }
}

/// Passes on, and runs the closure after the end.
@frozen
@usableFromInline
struct FinallyObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let handle: FinallySubscription<Failure>
  @usableFromInline var hasEnded = false

  @inlinable
  @inline(__always)
  init(downstream: Downstream, handle: FinallySubscription<Failure>) {
    self.downstream = downstream
    self.handle = handle
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    guard handle.attach(subscription) else { return }
    downstream.start(handle)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded, !handle.isDisposed else { return .stop }
    let answer = downstream.receive(value)
    if answer == .stop { handle.dispose() }
    return answer
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, handle.markEnded() else { return }
    hasEnded = true
    downstream.end(end)
    handle.run(end)
  }
}

/// The handle that runs the closure after a dispose.
// @unchecked is inherited; the closure sits in its own mutex. `FinallyTests` would notice.
@usableFromInline
final class FinallySubscription<Failure: Error>: RelaySubscription, @unchecked Sendable {
  private let action: Mutex<(@Sendable (End<Failure>?) -> Void)?>

  @usableFromInline
  init(_ action: @escaping @Sendable (End<Failure>?) -> Void) {
    self.action = Mutex(action)
    super.init()
  }

  /// Runs the closure, the first time.
  @usableFromInline
  func run(_ end: End<Failure>?) {
    let action = action.withLock { exchange(&$0, for: nil) }
    action?(end)
  }

  @usableFromInline
  override func onDispose() {
    super.onDispose()
    run(nil)
  }

  deinit {
    run(nil)
  }
}
