import Freshet

extension Recorder {
  /// Compares what was recorded with a diagram, value for value by their text.
  ///
  ///     let recorder = Recorder<Int, Never>(scheduler: scheduler)
  ///     recorder.subscribe(to: flow)
  ///     scheduler.advance(by: .milliseconds(20))
  ///     #expect(try recorder.difference(from: "-1--2|") == nil)
  ///
  /// A value is expected when `"\(value)"` is its name in the diagram; `#` stands for any failure.
  /// Times count from when the recorder was made. A recorder without a scheduler knows no times:
  /// write what it was told as one group, `(12|)`.
  ///
  /// - Parameter diagram: What was expected; see ``MarbleDiagram``.
  /// - Returns: The difference; nil when there is none and no rule of the contract was broken.
  /// - Throws: ``MarbleError`` for a diagram that cannot be read.
  public func difference(from diagram: String) throws(MarbleError) -> MarbleDifference? {
    try difference(
      from: diagram, value: { _, name in name }, isValue: { "\($0)" == $1 },
      isFailure: { _ in true },
      name: { MarbleDiagram.Mark.value("\($0)").text }, failure: nil)
  }

  /// Compares what was recorded with a diagram whose names stand for values.
  ///
  ///     #expect(try recorder.difference(from: "-a--b|", values: ["a": [1, 2], "b": [3]]) == nil)
  ///
  /// - Parameters:
  ///   - diagram: What was expected; see ``MarbleDiagram``.
  ///   - values: The values that the names stand for.
  ///   - failure: What `#` stands for; nil for any failure.
  /// - Returns: The difference; nil when there is none and no rule of the contract was broken.
  /// - Throws: ``MarbleError`` for a diagram that cannot be read, or a name that stands for no value.
  public func difference(
    from diagram: String, values: [String: Element], failure: Failure? = nil
  ) throws(MarbleError) -> MarbleDifference?
  where Element: Equatable, Failure: Equatable {
    // Names in a fixed order, so that two names of one value give the same text each time.
    let names = values.keys.sorted()
    return try difference(
      from: diagram,
      value: { (reading, name) throws(MarbleError) in try reading.value(named: name, in: values) },
      isValue: { $0 == $1 },
      isFailure: { failure == nil || $0 == failure },
      name: { value in
        if let name = names.first(where: { values[$0] == value }) {
          return MarbleDiagram.Mark.value(name).text
        }
        return "{\(value)}"
      }, failure: failure)
  }

  private func difference<Expected>(
    from diagram: String,
    value: (MarbleReading, String) throws(MarbleError) -> Expected,
    isValue: (Element, Expected) -> Bool,
    isFailure: (Failure) -> Bool,
    name: (Element) -> String,
    failure: Failure?
  ) throws(MarbleError) -> MarbleDifference? {
    let marbles = try MarbleDiagram(diagram, tick: clock.tick)
    var expected: [Expected?] = []
    var expectedItems: [MarbleDifference.Item] = []
    for event in try marbles.observedEvents() {
      var words = event.mark.text
      switch event.mark {
      case .value(let name):
        let wanted = try value(MarbleReading(diagram: marbles, event: event), name)
        expected.append(wanted)
        words = "\(wanted)"
      case .finish:
        expected.append(nil)
        words = "the finish"
      default:
        expected.append(nil)
        words = failure.map { "the failure \($0)" } ?? "a failure"
      }
      expectedItems.append(.init(offset: event.offset, mark: event.mark.text, words: words))
    }
    let actual = events
    let actualItems = actual.map { event in
      let (mark, words) =
        switch event.signal {
        case .value(let value): (name(value), "\(value)")
        case .end(.finished): ("|", "the finish")
        case .end(.failed(let failure)): ("#", "the failure \(failure)")
        }
      return MarbleDifference.Item(offset: clock.offset(event.moment), mark: mark, words: words)
    }
    return MarbleDifference.between(
      expected: expectedItems, actual: actualItems, tick: clock.tick, violations: violations
    ) { wanted, got in
      switch actual[got].signal {
      case .value(let value): expected[wanted].map { isValue(value, $0) } ?? false
      case .end(.finished): expectedItems[wanted].mark == "|" && expected[wanted] == nil
      case .end(.failed(let failure)):
        expectedItems[wanted].mark == "#" && expected[wanted] == nil && isFailure(failure)
      }
    }
  }
}

/// One event of a diagram, for errors that show its place.
struct MarbleReading {
  let diagram: MarbleDiagram
  let event: MarbleDiagram.Event

  /// Looks a name up.
  func value<Value>(named name: String, in values: [String: Value]) throws(MarbleError) -> Value {
    if let value = values[name] { return value }
    let known = values.keys.sorted().joined(separator: ", ")
    throw diagram.error(
      at: event,
      "no value is given for `\(name)`; there are values for \(known.isEmpty ? "no names" : known)")
  }
}

/// How moments become offsets and ticks.
struct MarbleClock: Sendable {
  let scheduler: (any TimeScheduler)?
  let origin: Moment

  /// Starts to count at the scheduler's present moment.
  init(_ scheduler: (any TimeScheduler)?) {
    self.scheduler = scheduler
    origin = scheduler?.now ?? .zero
  }

  var tick: Duration { (scheduler as? VirtualScheduler)?.tick ?? .milliseconds(1) }

  var now: Moment { scheduler?.now ?? .zero }

  func offset(_ moment: Moment) -> Duration { moment - origin }
}
