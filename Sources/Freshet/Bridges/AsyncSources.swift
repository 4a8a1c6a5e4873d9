extension Single {
  /// Makes a single from an asynchronous function, which runs in a task per subscription.
  ///
  ///     result   ----(7|)     Single(async: { try await load() })
  ///
  /// Disposing of the subscription cancels the task. What a cancelled task
  /// throws or returns is not delivered.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - body: The function.
  public init(
    priority: TaskPriority? = nil,
    async body: @escaping @Sendable () async throws(Failure) -> Element
  ) {
    self.init { resolver in
      let task = Task(priority: priority) {
        do throws(Failure) {
          let value = try await body()
          if !Task.isCancelled { resolver.succeed(value) }
        } catch {
          if !Task.isCancelled { resolver.fail(error) }
        }
      }
      return Disposable { task.cancel() }
    }
  }
}

/// A flow of the elements of an asynchronous sequence.
///
///     result   --1--2--3--|     AsyncFlow { lines(of: url) }
///
/// Each subscription makes a sequence and iterates over it in a task of its own.
/// It does not iterate ahead of a pausing observer. Disposing cancels the task.
/// A `CancellationError` that the sequence throws because of that is not
/// delivered.
public struct AsyncFlow<Base: AsyncSequence & Sendable>: Flow
where Base.Element: Sendable {
  /// The sequence's elements.
  public typealias Element = Base.Element

  /// What the sequence throws.
  public typealias Failure = Base.Failure
  private let make: @Sendable () -> Base
  private let priority: TaskPriority?

  /// Makes a flow from a closure that makes the sequence.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - make: Called with each subscription.
  public init(priority: TaskPriority? = nil, _ make: @escaping @Sendable () -> Base) {
    self.make = make
    self.priority = priority
  }

  /// Starts a task that iterates over the sequence for one observer.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let make = make
    let priority = priority
    return Create<Element, Failure> { emitter in
      let gate = ResumeGate()
      emitter.onResume { gate.open() }
      let task = Task(priority: priority) {
        var iterator = make().makeAsyncIterator()
        do throws(Failure) {
          while !Task.isCancelled, let value = try await iterator.next(isolation: nil) {
            switch emitter.send(value) {
            case .more: continue
            case .pause: await gate.wait()
            case .stop: return
            }
          }
          emitter.finish()
        } catch {
          if !Task.isCancelled { emitter.fail(error) }
        }
      }
      return Disposable {
        task.cancel()
        gate.open()
      }
    }.subscribe(observer)
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// A flow of this sequence's elements; see ``AsyncFlow``.
  ///
  /// Every subscription iterates over this same sequence.
  public var flow: AsyncFlow<Self> {
    let sequence = self
    return AsyncFlow { sequence }
  }
}
