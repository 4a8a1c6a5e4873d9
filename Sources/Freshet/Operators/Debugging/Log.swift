extension Flow {
  /// Writes down everything that passes, in both directions.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     log("prices")
  ///
  /// Downwards: `start`, `value 1`, `end finished`, `end failed(…)`. Upwards: the
  /// answers `pause` and `stop`, and `resume` and `dispose`. Each line begins with
  /// the label. An event is written before the observer gets it. Everything passes
  /// through unchanged.
  ///
  /// - Parameters:
  ///   - label: What this place is called in the lines.
  ///   - output: Where the lines go; standard output if not given.
  /// - Complexity: O(1) per value, besides the writing.
  @_transparent
  public func log<Output: LogOutput>(_ label: String, to output: Output) -> Log<Self, Output> {
    Log(source: self, label: label, output: output)
  }

  /// Writes everything that passes to standard output, in both directions.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     log("prices")
  ///
  /// See ``log(_:to:)``.
  ///
  /// - Parameter label: What this place is called in the lines.
  /// - Complexity: O(1) per value, besides the writing.
  @_transparent
  public func log(_ label: String) -> Log<Self, StandardLogOutput> {
    log(label, to: StandardLogOutput())
  }
}

/// The flow behind `log(_:to:)`.
@frozen
public struct Log<Source: Flow, Output: LogOutput>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let label: String
  @usableFromInline let output: Output

  @_transparent
  @usableFromInline
  init(source: Source, label: String, output: Output) {
    self.source = source
    self.label = label
    self.output = output
  }

  /// Subscribes to the source and writes down what passes.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = LogSubscription(label: label, output: output)
    source.subscribe(LogObserver(downstream: observer, handle: handle))
    return handle
  }
}

@frozen
@usableFromInline
struct LogObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let handle: LogSubscription
  @usableFromInline var hasEnded = false

  @inlinable
  @inline(__always)
  init(downstream: Downstream, handle: LogSubscription) {
    self.downstream = downstream
    self.handle = handle
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    guard handle.attach(subscription) else { return }
    handle.write("start")
    downstream.start(handle)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded, !handle.isDisposed else { return .stop }
    handle.write("value \(value)")
    let answer = downstream.receive(value)
    switch answer {
    case .more: break
    case .pause: handle.write("pause")
    case .stop:
      handle.write("stop")
      handle.dispose()
    }
    return answer
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, handle.markEnded() else { return }
    hasEnded = true
    switch end {
    case .finished: handle.write("end finished")
    case .failed(let failure): handle.write("end failed(\(failure))")
    }
    downstream.end(end)
  }
}

/// Writes what goes up, and what the observer is told to.
// @unchecked is inherited; what is added here does not change.
@usableFromInline
final class LogSubscription: RelaySubscription, @unchecked Sendable {
  private let label: String
  private let output: any LogOutput

  @usableFromInline
  init(label: String, output: any LogOutput) {
    self.label = label
    self.output = output
    super.init()
  }

  @usableFromInline
  func write(_ event: String) {
    output.write("\(label): \(event)")
  }

  @usableFromInline
  override func onDispose() {
    write("dispose")
    super.onDispose()
  }

  @usableFromInline
  override func resume() {
    if !isDisposed { write("resume") }
    super.resume()
  }
}
