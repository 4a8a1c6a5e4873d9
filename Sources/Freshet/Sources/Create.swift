/// A flow that a closure feeds by hand, with flow control and a cancel hook.
///
///     Create<Line, ReadError> { emitter in
///       let reader = startReading { emitter.send($0) } end: { emitter.finish() }
///       return Disposable { reader.stop() }
///     }
///
/// The closure runs with each subscription. The emitter keeps the stream
/// contract whatever is done with it: events from several threads, or from
/// inside a delivery, are delivered one after the other; nothing follows the
/// end or a dispose.
public struct Create<Element: Sendable, Failure: Error>: Flow {
  private let work: @Sendable (Emitter<Element, Failure>) -> Disposable?

  /// Makes a flow from a closure that feeds it.
  ///
  /// - Parameter work: Starts the work. The token it returns is disposed of when the
  ///   subscription is, and when the stream has ended.
  public init(_ work: @escaping @Sendable (Emitter<Element, Failure>) -> Disposable?) {
    self.work = work
  }

  /// Runs the closure with an emitter for this observer.
  ///
  /// The closure is not run when the observer disposes of its handle at once.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let emission = Emission<Element, Failure>()
    let subscription = emission.hub.subscribe(EmissionOutlet(downstream: observer, emission))
    if subscription.isDisposed { return subscription }
    let emitter = Emitter(emission)
    emission.keep(work(emitter))
    return subscription
  }
}

/// The way to feed a ``Create`` flow.
///
/// Safe to use from any thread. Letting it go without an end finishes the stream, so
/// that nobody waits in vain.
public final class Emitter<Element: Sendable, Failure: Error>: Sendable {
  private let emission: Emission<Element, Failure>

  init(_ emission: Emission<Element, Failure>) {
    self.emission = emission
  }

  /// Whether anybody still listens.
  public var isDisposed: Bool { emission.isClosed }

  /// Sends a value.
  ///
  /// - Returns: `.pause` when the observer asks for a pause: ``onResume(_:)`` tells
  ///   when it is over. `.stop` when nobody listens any more.
  @discardableResult
  public func send(_ value: Element) -> Answer {
    if emission.isClosed { return .stop }
    let answer = emission.hub.send(value)
    return emission.isClosed ? .stop : answer
  }

  /// Finishes the stream.
  public func finish() {
    emission.hub.send(end: .finished)
  }

  /// Fails the stream.
  public func fail(_ failure: Failure) {
    emission.hub.send(end: .failed(failure))
  }

  /// Sets what is called, each time, when the observer wants to go on after a pause.
  ///
  /// A resume that came before this call is not lost: the closure is called at once.
  public func onResume(_ body: @escaping @Sendable () -> Void) {
    emission.onResume(body)
  }

  deinit {
    emission.hub.send(end: .finished)
  }
}
