/// One value, or a failure, by work that is done anew for each subscription.
///
///     result   ----(7|)     Single { resolver in … resolver.succeed(7) }
///     result   ----#        Single { resolver in … resolver.fail(.offline) }
///
/// Making a single does nothing. The work starts with the subscription and may
/// answer at once or later, from any thread; the first answer counts. A
/// resolver that is let go without an answer finishes the stream without a
/// value, so that no subscriber waits in vain.
public struct Single<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline
  enum Content: Sendable {
    case known(Known<Element, Failure>)
    case work(@Sendable (Resolver) -> Disposable?)
  }

  @usableFromInline let content: Content

  @inlinable
  init(_ content: Content) {
    self.content = content
  }

  /// Makes a single from work that answers through a resolver.
  ///
  /// - Parameter work: Starts the work. The token it returns, if any, is disposed
  ///   of when the subscription is, and when the work has answered.
  @inlinable
  public init(_ work: @escaping @Sendable (Resolver) -> Disposable?) {
    self.init(Content.work(work))
  }

  /// Makes a single from a function that is called with each subscription.
  ///
  /// - Parameter body: Called on the subscribing thread.
  @inlinable
  public init(calling body: @escaping @Sendable () throws(Failure) -> Element) {
    self.init { resolver in
      do throws(Failure) {
        resolver.succeed(try body())
      } catch {
        resolver.fail(error)
      }
      return nil
    }
  }

  /// A single that has its value.
  @inlinable
  public static func just(_ value: Element) -> Single {
    Single(Content.known(.value(value)))
  }

  /// A single that has failed.
  @inlinable
  public static func fail(_ failure: Failure) -> Single {
    Single(Content.known(.end(.failed(failure))))
  }

  /// Starts the work for one observer.
  ///
  /// Work that answers at once has been delivered when this returns.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    switch content {
    case .known(let known):
      return known.tell(observer)
    case .work(let work):
      let subscription = SingleSubscription<O>()
      subscription.begin(observer, work)
      return subscription
    }
  }

  /// Its answer, if it was made with one.
  @inlinable
  public var known: Known<Element, Failure>? {
    if case .known(let known) = content { known } else { nil }
  }

  /// Takes the answer of a single's work.
  ///
  /// The first answer counts.
  public final class Resolver: Sendable {
    @usableFromInline let subscription: Subscription
    @usableFromInline let answer: @Sendable (Subscription, Known<Element, Failure>) -> Void

    @inlinable
    init(
      _ subscription: Subscription,
      _ answer: @escaping @Sendable (Subscription, Known<Element, Failure>) -> Void
    ) {
      self.subscription = subscription
      self.answer = answer
    }

    /// Answers with a value.
    @inlinable
    public func succeed(_ value: Element) {
      answer(subscription, .value(value))
    }

    /// Answers with a failure.
    @inlinable
    public func fail(_ failure: Failure) {
      answer(subscription, .end(.failed(failure)))
    }

    @inlinable
    deinit {
      // Asked first, because here the types are not known and the answer would be dear to make.
      if !subscription.isDisposed { answer(subscription, .end(.finished)) }
    }
  }
}
