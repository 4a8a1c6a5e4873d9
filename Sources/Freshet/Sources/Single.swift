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
  @usableFromInline let work: @Sendable (Resolver) -> Disposable?

  /// Makes a single from work that answers through a resolver.
  ///
  /// - Parameter work: Starts the work. The token it returns, if any, is disposed
  ///   of when the subscription is, and when the work has answered.
  @inlinable
  public init(_ work: @escaping @Sendable (Resolver) -> Disposable?) {
    self.work = work
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
    Single { resolver in
      resolver.succeed(value)
      return nil
    }
  }

  /// A single that has failed.
  @inlinable
  public static func fail(_ failure: Failure) -> Single {
    Single { resolver in
      resolver.fail(failure)
      return nil
    }
  }

  /// Starts the work for one observer.
  ///
  /// Work that answers at once has been delivered when this returns.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let subscription = SingleSubscription(observer)
    subscription.begin(work)
    return subscription
  }

  /// Takes the answer of a single's work.
  ///
  /// The first answer counts.
  public final class Resolver: Sendable {
    @usableFromInline let answer: @Sendable (Result<Element, Failure>?) -> Void

    @inlinable
    init(_ answer: @escaping @Sendable (Result<Element, Failure>?) -> Void) {
      self.answer = answer
    }

    /// Answers with a value.
    @inlinable
    public func succeed(_ value: Element) {
      answer(.success(value))
    }

    /// Answers with a failure.
    @inlinable
    public func fail(_ failure: Failure) {
      answer(.failure(failure))
    }

    @inlinable
    deinit {
      answer(nil)
    }
  }
}
