/// A property with a current value that can be followed.
///
///     final class Player {
///       @Stateful var volume = 5
///     }
///     player.$volume.subscribe { show($0) }     // 5, and every value from now on
///     player.volume = 7
///
///     set      -----7-----3--
///     early    5----7-----3--
///     late           ^(7)-3--
///
/// The projected value is a flow that tells the current value first; inside an observer the
/// property already reads the value that is told, or a later one. It neither finishes nor
/// fails. Letting go of the property lets go of its observers, silently. Delivery is as in
/// ``BehaviorSubject``, from whatever thread sets it.
///
/// Swift allows no wrapped property in a class that is `Sendable` by itself, because the
/// wrapper is a `var`. There, as in anything without an actor, take a
/// `let volume = BehaviorSubject<Int, Never>(5)`, whose `value` is used the same way.
///
/// - Complexity: setting is O(n) in the number of observers, reading O(1).
@propertyWrapper
public struct Stateful<Value: Sendable>: Sendable {
  private let subject: BehaviorSubject<Value, Never>

  /// Makes a property with a first value.
  public init(wrappedValue: Value) {
    subject = BehaviorSubject(wrappedValue)
  }

  /// The current value.
  public var wrappedValue: Value {
    get { subject.value }
    nonmutating set { subject.send(newValue) }
  }

  /// The values as a flow, the current one first.
  public var projectedValue: some Flow<Value, Never> & Sendable { subject.stateOnly }
}

extension BehaviorSubject {
  /// The subject as a flow that nobody can send into.
  fileprivate var stateOnly: StateFlow<Element, Failure> { StateFlow(subject: self) }
}

/// The flow behind ``Stateful``.
struct StateFlow<Element: Sendable, Failure: Error>: Flow {
  let subject: BehaviorSubject<Element, Failure>

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    subject.subscribe(observer)
  }
}
