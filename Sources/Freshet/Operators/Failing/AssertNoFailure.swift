extension Flow {
  /// Stops the program when the source fails.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     assertNoFailure("the list is built in")
  ///
  /// For failures that only a mistake in the program can cause; the result
  /// cannot fail. A failure prints the message, the failure and the place of the
  /// call to standard error and traps, in release builds too. Values and a finish
  /// pass through unchanged.
  ///
  /// - Parameter message: Why the source cannot fail.
  /// - Complexity: free for values.
  @_transparent
  public func assertNoFailure(
    _ message: String = "", file: StaticString = #fileID, line: UInt = #line
  ) -> AssertNoFailure<Self> {
    AssertNoFailure(source: self, message: message, file: file, line: line)
  }
}

/// The flow behind `assertNoFailure(_:file:line:)`.
@frozen
public struct AssertNoFailure<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// It cannot fail: a failure stops the program.
  public typealias Failure = Never
  @usableFromInline let source: Source
  @usableFromInline let message: String
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt

  @_transparent
  @usableFromInline
  init(source: Source, message: String, file: StaticString, line: UInt) {
    self.source = source
    self.message = message
    self.file = file
    self.line = line
  }

  /// Subscribes to the source; its failure stops the program.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(
      AssertNoFailureObserver<Source.Failure, O>(
        downstream: observer, message: message, file: file, line: line))
  }

  /// Hands the steps after it to the source, which makes them one closure with its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    source.subscribe(
      AssertNoFailureObserver<Source.Failure, O>(
        downstream: observer, message: message, file: file, line: line), through: next)
  }
}

@frozen
@usableFromInline
struct AssertNoFailureObserver<Failure: Error, Downstream: Observer>: Observer
where Downstream.Failure == Never {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline var downstream: Downstream
  @usableFromInline let message: String
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt

  @inlinable
  @inline(__always)
  init(downstream: Downstream, message: String, file: StaticString, line: UInt) {
    self.downstream = downstream
    self.message = message
    self.file = file
    self.line = line
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    switch end {
    case .finished: downstream.end(.finished)
    case .failed(let failure): trapOnFailure(failure, message, file, line)
    }
  }
}

@usableFromInline
func trapOnFailure(
  _ failure: any Error, _ message: String, _ file: StaticString, _ line: UInt
) -> Never {
  let reason = message.isEmpty ? "" : ": \(message)"
  fatalError("a flow that must not fail has failed\(reason) (\(failure))", file: file, line: line)
}
