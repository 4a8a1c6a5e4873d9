import Synchronization

/// Counts the live subscriptions of the flows that were put under it, and draws them.
///
///     let monitor = FlowMonitor()
///     let orders = feed.orders.monitored("orders", by: monitor)
///     …
///     monitor.live           // ["orders": 2]: who forgot to dispose?
///     print(monitor.graph.text)
///
/// Nothing is counted that was not put under a monitor, so a program that uses none
/// pays nothing.
public final class FlowMonitor: Sendable {
  struct State: Sendable {
    var next = 0
    var places: [Int: Place] = [:]
    var started = 0
  }

  struct Place: Sendable {
    let name: String
    weak var handle: MonitorSubscription?
  }

  private let state = Mutex(State())

  /// Makes a monitor that has seen nothing.
  public init() {}

  /// How many subscriptions are live, by the name of their place.
  ///
  /// A subscription is live from its start to its end or dispose, or until nobody holds
  /// its handle any more. Names without live subscriptions are left out.
  ///
  /// - Complexity: O(n) in the number of live subscriptions.
  public var live: [String: Int] {
    var counts: [String: Int] = [:]
    for (name, _) in places { counts[name, default: 0] += 1 }
    return counts
  }

  /// How many subscriptions are live, in all places together.
  public var liveCount: Int { state.withLock { $0.places.count } }

  /// How many subscriptions there have been so far.
  public var startedCount: Int { state.withLock { $0.started } }

  /// Everything that feeds the live subscriptions, as it is now; see ``FlowGraph``.
  public var graph: FlowGraph {
    let visitor = GraphVisitor()
    for (_, handle) in places {
      handle?.pass(.inspect(visitor, below: GraphVisitor.nobody))
    }
    return visitor.graph
  }

  private var places: [(name: String, handle: MonitorSubscription?)] {
    state.withLock { state in
      state.places.sorted { $0.key < $1.key }.map { ($0.value.name, $0.value.handle) }
    }
  }

  func add(_ handle: MonitorSubscription) -> Int {
    state.withLock { state in
      state.next += 1
      state.started += 1
      state.places[state.next] = Place(name: handle.name, handle: handle)
      return state.next
    }
  }

  func remove(_ number: Int) {
    let place = state.withLock { $0.places.removeValue(forKey: number) }
    _ = place  // Released outside the lock.
  }
}

/// The handle of a monitored place.
// @unchecked is inherited; `number` is set before anybody else has the handle, `isLive` is atomic.
final class MonitorSubscription: RelaySubscription, @unchecked Sendable {
  let name: String
  private let monitor: FlowMonitor
  private let number = Atomic<Int>(0)

  init(name: String, monitor: FlowMonitor) {
    self.name = name
    self.monitor = monitor
    super.init()
  }

  func count() {
    number.store(monitor.add(self), ordering: .releasing)
    // A dispose that came before the count has found nothing to take out.
    if isDisposed { discount() }
  }

  func discount() {
    let number = number.exchange(0, ordering: .acquiringAndReleasing)
    if number != 0 { monitor.remove(number) }
  }

  override func onDispose() {
    discount()
    super.onDispose()
  }

  override func pass(_ message: Upward) {
    guard case .inspect(let visitor, let below) = message else {
      super.pass(message)
      return
    }
    if let node = visitor.visit(self, name, below: below) {
      super.pass(.inspect(visitor, below: node))
    }
  }

  deinit {
    discount()
  }
}
