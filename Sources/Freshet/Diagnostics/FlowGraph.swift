/// A picture of running subscriptions: who is fed by whom, at one moment.
///
///     print(token.graph.text)
///
///     orders
///       debounce
///         merge
///           subject, 2 observers
///           subject, 1 observer
///
/// Drawn upwards from an observer. Synchronous operators of one source have no place
/// of their own in a running chain, so they are not seen; give a place a name with
/// ``Flow/monitored(_:by:)``. A shared source is one node however many it feeds. Something
/// that is delivering on another thread at this very moment is drawn without its sources.
public struct FlowGraph: Sendable, Hashable {
  /// One operator, subject or source.
  public struct Node: Sendable, Hashable {
    /// Counted from zero, in the order in which the graph was drawn.
    public let id: Int
    /// What it is called: a given name, or that of the operator.
    public let name: String
    /// How many observers it has, when it may have several.
    public let observers: Int?
    /// How many values wait in it.
    public let waiting: Int
    /// Whether somebody below it has asked for a pause.
    public let isPaused: Bool

    /// The name and what is known besides, in words.
    public var label: String {
      var parts = [name]
      if let observers { parts.append(observers == 1 ? "1 observer" : "\(observers) observers") }
      if waiting > 0 { parts.append("\(waiting) waiting") }
      if isPaused { parts.append("paused") }
      return parts.joined(separator: ", ")
    }
  }

  /// That one node feeds another.
  public struct Edge: Sendable, Hashable {
    /// The source.
    public let from: Int
    /// What it feeds.
    public let to: Int
  }

  /// All nodes, those nearest to an observer first.
  public let nodes: [Node]

  /// All connections.
  public let edges: [Edge]

  /// The graph as an indented tree, one node a line, sources below what they feed.
  ///
  /// A node that feeds several is spelled out once; later it ends in `…`.
  ///
  /// - Complexity: O(n) in the number of nodes and edges.
  public var text: String {
    var sources: [Int: [Int]] = [:]
    var fed: Set<Int> = []
    for edge in edges {
      sources[edge.to, default: []].append(edge.from)
      fed.insert(edge.from)
    }
    var lines: [String] = []
    var seen: Set<Int> = []
    // A list instead of recursion: graphs may be deep.
    var open = nodes.reversed().filter { !fed.contains($0.id) }.map { (id: $0.id, depth: 0) }
    while let (id, depth) = open.popLast() {
      let isNew = seen.insert(id).inserted
      let below = sources[id] ?? []
      let more = isNew || below.isEmpty ? "" : " …"
      lines.append(String(repeating: "  ", count: depth) + nodes[id].label + more)
      if isNew { open += below.reversed().map { ($0, depth + 1) } }
    }
    return lines.joined(separator: "\n")
  }

  /// The graph in the DOT language, for Graphviz; edges point the way the values go.
  ///
  /// - Complexity: O(n) in the number of nodes and edges.
  public var dot: String {
    func quoted(_ text: String) -> String {
      var result = "\""
      for character in text {
        switch character {
        case "\"", "\\": result += "\\\(character)"
        case "\n": result += "\\n"
        default: result.append(character)
        }
      }
      return result + "\""
    }
    var lines = ["digraph flows {"]
    lines += nodes.map { "  n\($0.id) [label=\(quoted($0.label))];" }
    lines += edges.map { "  n\($0.from) -> n\($0.to);" }
    return (lines + ["}"]).joined(separator: "\n")
  }
}

extension Subscription {
  /// Everything that feeds this subscription, as it is now.
  ///
  /// Safe from any thread; it disturbs nobody.
  public var graph: FlowGraph {
    let visitor = GraphVisitor()
    pass(.inspect(visitor, below: GraphVisitor.nobody))
    return visitor.graph
  }
}

extension Disposable {
  /// Everything that feeds the subscription behind this token, as it is now.
  ///
  /// Safe from any thread; it disturbs nobody.
  public var graph: FlowGraph { subscription.graph }
}
