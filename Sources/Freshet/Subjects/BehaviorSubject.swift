import Synchronization

/// A flow that is pushed into by hand and has a current value.
///
///     initial 0
///     send     --1--2-----3--|
///     early    0-1--2-----3--|
///     late          2-----3--|     the current value at once, exactly once
///
/// Delivery is as in ``PublishSubject``. After the end a new observer gets the
/// end alone.
///
/// - Complexity: `send` is O(n) in the number of observers, `subscribe` O(1).
public final class BehaviorSubject<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let cell: Cell
  @usableFromInline let hub: Hub<Element, Failure, Latest>

  /// Makes a subject with a first value.
  @inlinable
  public init(_ value: Element) {
    let cell = Cell(value)
    self.cell = cell
    hub = Hub(memory: Latest(cell: cell))
  }

  /// The latest value sent.
  ///
  /// Setting it is the same as sending.
  ///
  /// Inside an observer it is the value being delivered, or a later one that
  /// was sent meanwhile and comes next.
  @inlinable
  public var value: Element {
    get { cell.value.withLock { $0 } }
    set { send(newValue) }
  }

  /// Makes a value current and sends it to everybody who is subscribed.
  ///
  /// Ignored after the end.
  @inlinable
  public func send(_ value: Element) {
    if hub.trySend(value) { return }
    // Somebody is delivering. The value is current from now on; its turn comes later.
    if !cell.isOver.load(ordering: .relaxed) {
      _ = cell.value.withLock { exchange(&$0, for: value) }
    }
    hub.send(value)
  }

  /// Finishes the stream, for everybody now and everybody who comes later.
  public func finish() {
    cell.isOver.store(true, ordering: .relaxed)
    hub.send(end: .finished)
  }

  /// Fails the stream, for everybody now and everybody who comes later.
  public func fail(_ failure: Failure) {
    cell.isOver.store(true, ordering: .relaxed)
    hub.send(end: .failed(failure))
  }

  /// Adds an observer, which is told the current value at once; after the end, the end alone.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    hub.subscribe(observer)
  }

  deinit {
    hub.abandon()
  }

  @usableFromInline
  final class Cell: Sendable {
    @usableFromInline let value: Mutex<Element>
    @usableFromInline let isOver = Atomic<Bool>(false)

    @inlinable
    init(_ value: Element) {
      self.value = Mutex(value)
    }
  }

  @frozen
  @usableFromInline
  struct Latest: HubMemory {
    @usableFromInline let cell: Cell

    /// What was delivered last: the cell may be ahead of it, and a late observer that
    /// was told the cell's value would be told it again when its turn comes.
    @usableFromInline var delivered: Element

    @inlinable
    init(cell: Cell) {
      self.cell = cell
      delivered = cell.value.withLock { $0 }
    }

    @inlinable static var outlivesEnd: Bool { false }
    @inlinable static var name: String { "BehaviorSubject" }

    @inlinable
    @inline(__always)
    mutating func remember(_ value: Element) {
      // The old value may be the last owner of something: it is released after the lock.
      _ = cell.value.withLock { exchange(&$0, for: value) }
      delivered = value
    }

    @inlinable
    func replay(_ body: (Element) -> Void) {
      body(delivered)
    }
  }
}
