import Synchronization

/// One value that is resolved once, shared by everybody and remembered.
///
///     resolve  -----(7)
///     early    -----(7|)
///     late             (7|)
///
/// The first of `resolve` and `fail` counts; later ones do nothing. A promise
/// that is let go unresolved finishes without a value, so that nobody waits for
/// it in vain. Disposing of one observer does not disturb the others.
///
/// - Complexity: `resolve` is O(n) in the number of observers, `subscribe` O(1).
public final class Promise<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let hub: Hub<Element, Failure, Remembered>
  @usableFromInline let isDecided: Atomic<Bool>

  /// Makes a promise that is still open.
  @inlinable
  public init() {
    hub = Hub(memory: Remembered())
    isDecided = Atomic(false)
  }

  /// Makes a promise and starts, at once, the work that decides it.
  ///
  /// - Parameter work: Called once, before this returns; it may keep the promise.
  public convenience init(_ work: (Promise<Element, Failure>) -> Void) {
    self.init()
    work(self)
  }

  /// Decides the promise with a value.
  ///
  /// - Returns: False when it was decided already; then nothing happens.
  @inlinable
  @discardableResult
  public func resolve(_ value: Element) -> Bool {
    guard !isDecided.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    hub.send(last: value)
    return true
  }

  /// Decides the promise with a failure.
  ///
  /// - Returns: False when it was decided already; then nothing happens.
  @inlinable
  @discardableResult
  public func fail(_ failure: Failure) -> Bool {
    guard !isDecided.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    hub.send(end: .failed(failure))
    return true
  }

  /// Decides that there is no value.
  @usableFromInline
  @discardableResult
  func finish() -> Bool {
    guard !isDecided.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    hub.send(end: .finished)
    return true
  }

  /// Adds an observer, or tells it at once what the promise was decided with.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    hub.subscribe(observer)
  }

  deinit {
    if !isDecided.load(ordering: .acquiring) { finish() }
  }

  @frozen
  @usableFromInline
  struct Remembered: HubMemory {
    @usableFromInline var value: Element?

    @inlinable init() {}

    @inlinable static var outlivesEnd: Bool { true }
    @inlinable static var name: String { "Promise" }

    @inlinable
    mutating func remember(_ value: Element) {
      self.value = value
    }

    @inlinable
    func replay(_ body: (Element) -> Void) {
      if let value { body(value) }
    }
  }
}
