/// A flow that finishes with one value after a while.
///
///     result   ---(x|)     Timer(after: 3 ticks, on: scheduler)
///
/// Each subscription has a timer of its own; disposing calls it off. Foundation has a
/// class of this name: where both are imported, write `Freshet.Timer`.
@frozen
public struct Timer: Flow {
  /// Nothing but that the time has come.
  public typealias Element = Void

  /// It cannot fail.
  public typealias Failure = Never
  @usableFromInline let time: Duration
  @usableFromInline let scheduler: any TimeScheduler

  /// Makes a flow that speaks once.
  ///
  /// - Parameters:
  ///   - time: How long to wait; zero or less means as soon as possible.
  ///   - scheduler: Measures the time and delivers.
  @inlinable
  public init(after time: Duration, on scheduler: any TimeScheduler) {
    self.time = time
    self.scheduler = scheduler
  }

  /// Sets a timer for one observer.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let time = time
    let scheduler = scheduler
    return Single<Void, Never> { resolver in
      scheduler.schedule(after: time) { resolver.succeed(()) }
    }.subscribe(observer)
  }
}
