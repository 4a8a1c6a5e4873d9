import Freshet
import FreshetTesting
import Testing

extension Flow where Element: Comparable {
  /// Sends a value when it is greater than all before it: an operator made of others.
  func records() -> some Flow<Element, Failure> {
    scan(nil as (best: Element, isNew: Bool)?) { state, value in
      guard let state, state.best >= value else { return (value, true) }
      return (state.best, false)
    }
    .compactMap { state in state.flatMap { $0.isNew ? $0.best : nil } }
  }
}

extension Flow {
  /// Sends every second value: an operator with an observer of its own.
  func everySecond() -> EverySecond<Self> { EverySecond(source: self) }
}

/// The flow behind `everySecond()`.
struct EverySecond<Source: Flow>: Flow {
  typealias Element = Source.Element
  typealias Failure = Source.Failure
  let source: Source

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(Inside(downstream: observer))
  }

  /// State is a plain variable: one value comes at a time.
  private struct Inside<O: Observer>: Observer where O.Element == Element, O.Failure == Failure {
    var downstream: O
    var isSecond = true

    static var mayPause: Bool { O.mayPause }

    mutating func start(_ subscription: Subscription) { downstream.start(subscription) }

    mutating func receive(_ value: Element) -> Answer {
      isSecond.toggle()
      return isSecond ? downstream.receive(value) : .more
    }

    mutating func end(_ end: End<Failure>) { downstream.end(end) }
  }
}

@Test("records and every second value")
func ownOperators() throws {
  let time = VirtualScheduler()
  #expect(try time.difference(of: time.cold("a-c-b-d|").records(), from: "a-c---d|") == nil)
  #expect(try time.difference(of: time.cold("a-b-c-d#").everySecond(), from: "--b---d#") == nil)
}

@Test("they keep the stream contract")
func contract() {
  let records = StreamContract("records") { $0.source.records() }
  // It drops every other value: the source is asked for twice as many as the observer takes.
  let everySecond = StreamContract("everySecond", allowance: 100) { $0.source.everySecond() }
  #expect(records.violations() == [])
  #expect(everySecond.violations() == [])
}
