/// The same work by hand.

/// A node of a stream that is called through its class's table, without any lock.
class HandNode {
  func receive(_ value: Int) {}
}

final class HandSum: HandNode {
  // Unchecked, because the floor is to be as fast as a person can make it.
  @exclusivity(unchecked) var sum = 0

  override func receive(_ value: Int) {
    sum = mix(sum, value)
  }
}

final class HandClosure: HandNode {
  let body: (Int) -> Void

  init(_ body: @escaping (Int) -> Void) {
    self.body = body
  }

  override func receive(_ value: Int) {
    body(value)
  }
}

final class HandMap: HandNode {
  let next: HandNode

  init(_ next: HandNode) {
    self.next = next
  }

  override func receive(_ value: Int) {
    next.receive(value &* 3)
  }
}

final class HandFilter: HandNode {
  let next: HandNode

  init(_ next: HandNode) {
    self.next = next
  }

  override func receive(_ value: Int) {
    if value & 1 == 0 { next.receive(value) }
  }
}

/// A list of nodes without a lock; the references are not counted while it is walked.
final class HandSubject {
  private let nodes: [HandNode]
  private let places: [Unmanaged<HandNode>]

  init(_ nodes: [HandNode]) {
    self.nodes = nodes
    places = nodes.map { Unmanaged.passUnretained($0) }
  }

  @inline(never)
  func send(_ value: Int) {
    for place in places { place._withUnsafeGuaranteedRef { $0.receive(value) } }
  }
}

/// The obvious subject with a value: a list of closures and a stored property.
final class HandBehavior {
  private var observers: [(Int) -> Void] = []
  private var stored = 0

  func observe(_ observer: @escaping (Int) -> Void) {
    observers.append(observer)
  }

  @inline(never)
  func send(_ value: Int) {
    stored = value
    for observer in observers { observer(value) }
  }
}

/// The obvious pair of cells, with a node for each side.
final class HandPair {
  @exclusivity(unchecked) var first: Int?
  @exclusivity(unchecked) var second: Int?
  let next: HandNode

  init(_ next: HandNode) {
    self.next = next
  }
}

final class HandLatestFirst: HandNode {
  let pair: HandPair

  init(_ pair: HandPair) {
    self.pair = pair
  }

  override func receive(_ value: Int) {
    pair.first = value
    if let second = pair.second { pair.next.receive(value &+ second) }
  }
}

final class HandLatestSecond: HandNode {
  let pair: HandPair

  init(_ pair: HandPair) {
    self.pair = pair
  }

  override func receive(_ value: Int) {
    pair.second = value
    if let first = pair.first { pair.next.receive(first &+ value) }
  }
}

final class HandZipFirst: HandNode {
  let pair: HandPair

  init(_ pair: HandPair) {
    self.pair = pair
  }

  override func receive(_ value: Int) {
    if let second = pair.second {
      pair.second = nil
      pair.next.receive(value &+ second)
    } else {
      pair.first = value
    }
  }
}

final class HandZipSecond: HandNode {
  let pair: HandPair

  init(_ pair: HandPair) {
    self.pair = pair
  }

  override func receive(_ value: Int) {
    if let first = pair.first {
      pair.first = nil
      pair.next.receive(first &+ value)
    } else {
      pair.second = value
    }
  }
}

/// The obvious subject that can be left again: a dictionary of closures.
final class HandRegistry {
  private var observers: [Int: (Int) -> Void] = [:]
  private var next = 0

  @inline(never)
  func add(_ observer: @escaping (Int) -> Void) -> () -> Void {
    let key = next
    next += 1
    observers[key] = observer
    return { [weak self] in _ = self?.observers.removeValue(forKey: key) }
  }
}
