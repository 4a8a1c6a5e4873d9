extension Flow {
  /// Reports events that a source of your own delivers two at a time.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     detectOverlap("sensor") { print($0) }
  ///
  /// The flows of this package never do: put it right after a flow whose observer you call
  /// yourself. To see who sends into a subject at the same time, see ``OverlapDetector``.
  /// Everything passes through unchanged; after an overlap nothing is promised any more.
  ///
  /// - Parameters:
  ///   - name: What the place is called in reports.
  ///   - report: Called on the thread of the second event, before it passes.
  /// - Complexity: O(1) per event; one lock, not held while it passes.
  public func detectOverlap(
    _ name: String, report: @escaping @Sendable (Overlap) -> Void
  ) -> some Flow<Element, Failure> {
    DetectOverlap(source: self, name: name, report: report)
  }
}

/// The flow behind `detectOverlap(_:report:)`.
struct DetectOverlap<Source: Flow>: Flow {
  typealias Element = Source.Element
  typealias Failure = Source.Failure
  let source: Source
  let name: String
  let report: @Sendable (Overlap) -> Void

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let watch = OverlapWatch(name: name, report: report)
    return source.subscribe(DetectOverlapObserver(downstream: observer, watch: watch))
  }
}

struct DetectOverlapObserver<Downstream: Observer>: Observer {
  typealias Element = Downstream.Element
  typealias Failure = Downstream.Failure
  var downstream: Downstream
  let watch: OverlapWatch

  static var mayPause: Bool { Downstream.mayPause }

  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  mutating func receive(_ value: Element) -> Answer {
    watch.during("value \(value)") { downstream.receive(value) }
  }

  mutating func end(_ end: End<Failure>) {
    watch.during("end") { downstream.end(end) }
  }
}
