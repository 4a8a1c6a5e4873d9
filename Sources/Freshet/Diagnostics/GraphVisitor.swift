import Synchronization

/// Collects the nodes of a graph while it goes up the chains.
@usableFromInline
final class GraphVisitor: Sendable {
  private struct State: Sendable {
    var numbers: [ObjectIdentifier: Int] = [:]
    var nodes: [FlowGraph.Node] = []
    var edges: Set<FlowGraph.Edge> = []
    var order: [FlowGraph.Edge] = []
  }

  /// The number below the first node.
  static let nobody = -1

  private let state = Mutex(State())

  init() {}

  /// Takes note of a node and of what it feeds.
  ///
  /// - Returns: Its number; nil when it was here before: its sources are known.
  @usableFromInline
  func visit(
    _ object: AnyObject, _ name: String, observers: Int? = nil, waiting: Int = 0,
    isPaused: Bool = false, below: Int
  ) -> Int? {
    state.withLock { state in
      let place = ObjectIdentifier(object)
      let old = state.numbers[place]
      let number = old ?? state.nodes.count
      if old == nil {
        state.numbers[place] = number
        state.nodes.append(
          FlowGraph.Node(
            id: number, name: name, observers: observers, waiting: waiting, isPaused: isPaused))
      }
      if below != Self.nobody {
        let edge = FlowGraph.Edge(from: number, to: below)
        if state.edges.insert(edge).inserted { state.order.append(edge) }
      }
      return old == nil ? number : nil
    }
  }

  var graph: FlowGraph {
    state.withLock { FlowGraph(nodes: $0.nodes, edges: $0.order) }
  }

  /// What an operator is called: `DebounceRule<Int, Never>` is the rule of `debounce`.
  @usableFromInline
  static func operatorName<R>(of rule: R.Type) -> String {
    plainName(of: rule, without: "Rule")
  }

  /// What the source behind a handle is called.
  @usableFromInline
  static func sourceName(of subscription: Subscription) -> String {
    switch plainName(of: type(of: subscription), without: "Subscription") {
    case "": "source"
    case "parkedLoop": "sequence"
    case let name: name
    }
  }

  private static func plainName<T>(of type: T.Type, without suffix: String) -> String {
    var name = String(describing: type).prefix { $0 != "<" }
    if name.hasSuffix(suffix) { name.removeLast(suffix.count) }
    guard let first = name.first else { return "" }
    return first.lowercased() + name.dropFirst()
  }
}
