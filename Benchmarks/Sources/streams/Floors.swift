/// The same work by hand, as fast as a person would write it.

/// A list of nodes called through a class's table, without any lock.
class HandNode {
  func receive(_ value: Int) {}
}

final class HandSum: HandNode {
  // Unchecked, because the floor is to be as fast as a person can make it.
  @exclusivity(unchecked) var sum = 0

  override func receive(_ value: Int) {
    sum = (sum ^ value) &* 31
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

@inline(never)
func handSubject(_ count: Int, _ nodes: [HandNode]) {
  for value in 0..<count {
    for node in nodes { node.receive(value) }
  }
}

/// The obvious subject with a value: a list of closures and a stored property.
final class HandBehavior {
  var value = 0 { didSet { for observer in observers { observer(value) } } }
  var observers: [(Int) -> Void] = []
}

/// The obvious pair of cells.
final class HandLatest {
  @exclusivity(unchecked) var first: Int?
  @exclusivity(unchecked) var second: Int?
  var sink: (Int, Int) -> Void = { _, _ in }

  func sendFirst(_ value: Int) {
    first = value
    if let second { sink(value, second) }
  }

  func sendSecond(_ value: Int) {
    second = value
    if let first { sink(first, value) }
  }
}

/// The obvious subject that can be left again.
final class HandRegistry {
  var observers: [Int: (Int) -> Void] = [:]
  var next = 0

  func add(_ observer: @escaping (Int) -> Void) -> () -> Void {
    let key = next
    next += 1
    observers[key] = observer
    return { [weak self] in _ = self?.observers.removeValue(forKey: key) }
  }
}
