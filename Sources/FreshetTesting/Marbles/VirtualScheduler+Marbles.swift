import Freshet

/// How a source made of marbles fails where no other failure is given.
public struct MarbleFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Makes a failure.
  public init() {}

  /// Its name.
  public var description: String { "MarbleFailure" }
}

extension VirtualScheduler {
  /// So many characters of a marble diagram, as a length of time.
  public func ticks(_ count: Int) -> Duration { tick * count }

  // MARK: Hot sources

  /// Makes a source that plays a diagram from now on, whether somebody listens or not.
  ///
  ///     source   -a--b--^-c--d-|
  ///     heard           --c--d-|
  ///
  /// With `^` in the diagram that is now, and what stands before it has happened already. In a
  /// tick in which timers of operators come due too, a hot source made before them speaks first.
  ///
  /// - Parameters:
  ///   - diagram: What it does; see ``MarbleDiagram``.
  ///   - values: The values that the names stand for.
  ///   - failure: What `#` stands for; without it `#` is refused.
  /// - Throws: ``MarbleError`` for a diagram that cannot be read, a name that stands for no value,
  ///   a `!`, an end before `^`, and a `#` without a failure.
  public func hot<Element: Sendable, Failure: Error>(
    _ diagram: String, values: [String: Element], failure: Failure?
  ) throws(MarbleError) -> ScriptedSource<Element, Failure> {
    let script = try MarbleScript(
      diagram, on: self, isHot: true, failure: failure
    ) { (reading, name) throws(MarbleError) in try reading.value(named: name, in: values) }
    return ScriptedSource(hot: script)
  }

  /// Makes a hot source whose `#` is a ``MarbleFailure``.
  ///
  /// See ``hot(_:values:failure:)``.
  public func hot<Element: Sendable>(
    _ diagram: String, values: [String: Element]
  ) throws(MarbleError) -> ScriptedSource<Element, MarbleFailure> {
    try hot(diagram, values: values, failure: MarbleFailure())
  }

  /// Makes a hot source whose values are the names in its diagram.
  ///
  /// See ``hot(_:values:failure:)``.
  public func hot<Failure: Error>(
    _ diagram: String, failure: Failure?
  ) throws(MarbleError) -> ScriptedSource<String, Failure> {
    ScriptedSource(
      hot: try MarbleScript(diagram, on: self, isHot: true, failure: failure) { $1 })
  }

  /// Makes a hot source whose values are the names in its diagram and whose `#` is a ``MarbleFailure``.
  ///
  /// See ``hot(_:values:failure:)``.
  public func hot(
    _ diagram: String
  ) throws(MarbleError) -> ScriptedSource<String, MarbleFailure> {
    try hot(diagram, failure: MarbleFailure())
  }

  // MARK: Cold sources

  /// Makes a source that plays a diagram for each subscription, from its beginning.
  ///
  /// While its observer pauses, what comes due waits; a resume sends what is overdue at once,
  /// and the rest comes in time.
  ///
  /// - Parameters:
  ///   - diagram: What it does; see ``MarbleDiagram``.
  ///   - values: The values that the names stand for.
  ///   - failure: What `#` stands for; without it `#` is refused.
  /// - Throws: ``MarbleError`` for a diagram that cannot be read, a name that stands for no value,
  ///   a `^`, a `!`, and a `#` without a failure.
  public func cold<Element: Sendable, Failure: Error>(
    _ diagram: String, values: [String: Element], failure: Failure?
  ) throws(MarbleError) -> ScriptedSource<Element, Failure> {
    let script = try MarbleScript(
      diagram, on: self, isHot: false, failure: failure
    ) { (reading, name) throws(MarbleError) in try reading.value(named: name, in: values) }
    return ScriptedSource(cold: script)
  }

  /// Makes a cold source whose `#` is a ``MarbleFailure``.
  ///
  /// See ``cold(_:values:failure:)``.
  public func cold<Element: Sendable>(
    _ diagram: String, values: [String: Element]
  ) throws(MarbleError) -> ScriptedSource<Element, MarbleFailure> {
    try cold(diagram, values: values, failure: MarbleFailure())
  }

  /// Makes a cold source whose values are the names in its diagram.
  ///
  /// See ``cold(_:values:failure:)``.
  public func cold<Failure: Error>(
    _ diagram: String, failure: Failure?
  ) throws(MarbleError) -> ScriptedSource<String, Failure> {
    ScriptedSource(
      cold: try MarbleScript(diagram, on: self, isHot: false, failure: failure) { $1 })
  }

  /// Makes a cold source whose values are the names in its diagram and whose `#` is a ``MarbleFailure``.
  ///
  /// See ``cold(_:values:failure:)``.
  public func cold(
    _ diagram: String
  ) throws(MarbleError) -> ScriptedSource<String, MarbleFailure> {
    try cold(diagram, failure: MarbleFailure())
  }

  // MARK: Observing

  /// Subscribes to a flow, lets time pass, disposes, and hands over what was recorded.
  ///
  /// Time passes once more after the dispose, so that whatever comes too late is noted as a
  /// violation. It always moves by twice the limit; a flow that has ended costs nothing by then.
  ///
  /// - Parameters:
  ///   - flow: What to observe.
  ///   - subscription: When to subscribe, `^`, and when to dispose, `!`; both come before
  ///     anything else in their tick. Without `^` it is now.
  ///   - limit: How many ticks to wait; ten thousand when nil, and a thousand more than the
  ///     subscription's diagram lasts. Without `!` the dispose comes at the end of the last.
  /// - Throws: ``MarbleError`` when the subscription's diagram cannot be read.
  public func record<Source: Flow>(
    _ flow: Source, during subscription: String = "^", limit: Int? = nil
  ) throws(MarbleError) -> Recorder<Source.Element, Source.Failure> {
    let span = try MarbleDiagram(subscription, tick: tick).span(needsStart: false)
    return record(flow, during: span, for: patience(limit, [span.start, span.end ?? .zero]))
  }

  /// Observes a flow and compares what came with a diagram, value for value by their text.
  ///
  ///     let time = VirtualScheduler()
  ///     let flow = try time.hot("-a-b---|").delay(for: time.ticks(2), on: time)
  ///     #expect(try time.difference(of: flow, from: "---a-b---|") == nil)
  ///
  /// - Parameters:
  ///   - flow: What to observe.
  ///   - diagram: What is expected to come; see ``Recorder/difference(from:)``.
  ///   - subscription: When to subscribe and to dispose; see ``record(_:during:limit:)``.
  ///   - limit: How many ticks to wait; ten thousand when nil, and a thousand more than the
  ///     diagrams last.
  /// - Returns: The difference; nil when there is none and no rule of the contract was broken.
  /// - Throws: ``MarbleError`` for a diagram that cannot be read.
  public func difference<Source: Flow>(
    of flow: Source, from diagram: String, during subscription: String = "^", limit: Int? = nil
  ) throws(MarbleError) -> MarbleDifference? {
    try record(flow, expecting: diagram, during: subscription, limit: limit)
      .difference(from: diagram)
  }

  /// Observes a flow and compares what came with a diagram whose names stand for values.
  ///
  /// - Parameters:
  ///   - flow: What to observe.
  ///   - diagram: What is expected to come; see ``Recorder/difference(from:values:failure:)``.
  ///   - values: The values that the names stand for.
  ///   - failure: What `#` stands for; nil for any failure.
  ///   - subscription: When to subscribe and to dispose; see ``record(_:during:limit:)``.
  ///   - limit: How many ticks to wait; ten thousand when nil, and a thousand more than the
  ///     diagrams last.
  /// - Returns: The difference; nil when there is none and no rule of the contract was broken.
  /// - Throws: ``MarbleError`` for a diagram that cannot be read, or a name that stands for no value.
  public func difference<Source: Flow>(
    of flow: Source, from diagram: String, values: [String: Source.Element],
    failure: Source.Failure? = nil, during subscription: String = "^", limit: Int? = nil
  ) throws(MarbleError) -> MarbleDifference?
  where Source.Element: Equatable, Source.Failure: Equatable {
    try record(flow, expecting: diagram, during: subscription, limit: limit)
      .difference(from: diagram, values: values, failure: failure)
  }

  /// Records for as long as the diagrams last, and longer.
  private func record<Source: Flow>(
    _ flow: Source, expecting diagram: String, during subscription: String, limit: Int?
  ) throws(MarbleError) -> Recorder<Source.Element, Source.Failure> {
    let last = try MarbleDiagram(diagram, tick: tick).events.last?.offset ?? .zero
    let span = try MarbleDiagram(subscription, tick: tick).span(needsStart: false)
    return record(flow, during: span, for: patience(limit, [last, span.start, span.end ?? .zero]))
  }

  /// How long to wait for what a flow may still say.
  private func patience(_ limit: Int?, _ known: [Duration]) -> Duration {
    if let limit { return ticks(limit) }
    return max(ticks(10_000), (known.max() ?? .zero) + ticks(1000))
  }

  private func record<Source: Flow>(
    _ flow: Source, during span: (start: Duration, end: Duration?), for duration: Duration
  ) -> Recorder<Source.Element, Source.Failure> {
    let recorder = Recorder<Source.Element, Source.Failure>(scheduler: self)
    let origin = now
    let planned = DisposeBag()
    if let end = span.end {
      scheduleFirst(after: end) { recorder.dispose() }.store(in: planned)
    }
    if span.start == .zero, span.end != .zero {
      recorder.subscribe(to: flow)
    } else if span.start != span.end {
      scheduleFirst(after: span.start) { recorder.subscribe(to: flow) }.store(in: planned)
    }
    advance(to: origin + duration)
    recorder.dispose()
    advance(by: duration)
    planned.dispose()
    return recorder
  }
}
