/// A cold flow of values and an end that were written down beforehand.
///
///     result   (12#)     Recording([1, 2], end: .failed(Offline()))
///
/// It is a value: it can be changed, compared and kept in a file. Each subscription plays it from
/// its beginning, on the subscribing thread, and stops at a pause. ``Flow/recorded()`` makes one
/// of what a flow says, ``Blocking/recording()`` one of what a flow has said within a time.
@frozen
public struct Recording<Element: Sendable, Failure: Error>: Flow {
  /// The values, in order.
  public var values: [Element]

  /// How it ends; nil when it does not: then a subscription stays open until it is disposed of.
  public var end: End<Failure>?

  /// Makes a recording.
  ///
  /// - Parameters:
  ///   - values: The values, in order.
  ///   - end: What comes after them; nil for nothing.
  @inlinable
  public init(_ values: [Element] = [], end: End<Failure>? = .finished) {
    self.values = values
    self.end = end
  }

  /// Delivers the values, up to the end or the first pause, before this returns.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let subscription = ParkedLoop<Loop<O>>()
    subscription.begin(Loop(rest: values.makeIterator(), ending: end, observer: observer))
    return subscription
  }

  /// What it says, when that is one value and the finish, or an end alone.
  @inlinable
  public var known: Known<Element, Failure>? {
    guard let end else { return nil }
    guard let value = values.first else { return .end(end) }
    if case .finished = end, values.count == 1 { return .value(value) }
    return nil
  }

  @frozen
  @usableFromInline
  struct Loop<O: Observer>: PausableLoop where O.Element == Element, O.Failure == Failure {
    @usableFromInline var rest: IndexingIterator<[Element]>
    @usableFromInline let ending: End<Failure>?
    @usableFromInline var observer: O

    @inlinable
    init(rest: IndexingIterator<[Element]>, ending: End<Failure>?, observer: O) {
      self.rest = rest
      self.ending = ending
      self.observer = observer
    }

    @inlinable
    mutating func start(_ subscription: Subscription) {
      observer.start(subscription)
    }

    @inlinable
    mutating func run(_ subscription: Subscription) -> Answer {
      while !subscription.isDisposed, let value = rest.next() {
        let answer = observer.receive(value)
        if answer != .more { return answer }
      }
      // Without an end it waits for the dispose, like a loop whose observer pauses.
      guard let ending else { return .pause }
      if subscription.markEnded() { observer.end(ending) }
      return .stop
    }
  }
}

extension Recording: Equatable where Element: Equatable, Failure: Equatable {}
extension Recording: Hashable where Element: Hashable, Failure: Hashable {}

/// What a recording looks like in a file: `{"values":[1,2],"end":"finished"}`.
///
/// One that failed has `"end":"failed"` and a `failure`; one without an end has no `end`.
private enum RecordingKey: String, CodingKey {
  case values, end, failure
}

private enum RecordedEnd: String, Codable {
  case finished, failed
}

extension Recording: Encodable where Element: Encodable, Failure: Encodable {
  /// Writes the values, the kind of end, and the failure if there is one.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RecordingKey.self)
    try container.encode(values, forKey: .values)
    switch end {
    case .finished: try container.encode(RecordedEnd.finished, forKey: .end)
    case .failed(let failure):
      try container.encode(RecordedEnd.failed, forKey: .end)
      try container.encode(failure, forKey: .failure)
    case nil: break
    }
  }
}

extension Recording: Decodable where Element: Decodable, Failure: Decodable {
  /// Reads what `encode(to:)` has written.
  ///
  /// - Throws: The decoder's error when something is missing or of another kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: RecordingKey.self)
    let values = try container.decode([Element].self, forKey: .values)
    switch try container.decodeIfPresent(RecordedEnd.self, forKey: .end) {
    case .finished: self.init(values, end: .finished)
    case .failed:
      self.init(values, end: .failed(try container.decode(Failure.self, forKey: .failure)))
    case nil: self.init(values, end: nil)
    }
  }
}
