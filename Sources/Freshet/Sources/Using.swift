/// A flow with a resource that lives as long as each subscription.
///
///     result   1--2--|     Using({ open() }) { file in lines(of: file) } release: { $0.close() }
///
/// The resource is made with the subscription and released when the flow
/// finishes, fails or is disposed of: after the end has been delivered, once.
public struct Using<Resource: Sendable, Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  private let acquire: @Sendable () -> Resource
  private let use: @Sendable (Resource) -> Source
  private let release: @Sendable (Resource) -> Void

  /// Makes a flow from a resource.
  ///
  /// - Parameters:
  ///   - acquire: Makes the resource; called with each subscription.
  ///   - use: Makes the flow that needs it.
  ///   - release: Lets the resource go.
  public init(
    _ acquire: @escaping @Sendable () -> Resource,
    use: @escaping @Sendable (Resource) -> Source,
    release: @escaping @Sendable (Resource) -> Void
  ) {
    self.acquire = acquire
    self.use = use
    self.release = release
  }

  /// Makes the resource, and subscribes to the flow that uses it.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let resource = acquire()
    let release = release
    // The observer holds the token, so the resource goes when the observer does.
    let token = Disposable { release(resource) }
    return use(resource).subscribe(UsingObserver(downstream: observer, token: token))
  }
}

struct UsingObserver<Downstream: Observer>: Observer {
  typealias Element = Downstream.Element
  typealias Failure = Downstream.Failure
  var downstream: Downstream
  let token: Disposable

  static var mayPause: Bool { Downstream.mayPause }

  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  mutating func receive(_ value: Element) -> Answer {
    downstream.receive(value)
  }

  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
    token.dispose()
  }
}
