/// A first-in first-out queue that takes and gives in O(1), amortised.
///
/// The first element has a place of its own: most queues of a stream never hold a second,
/// and then need no array.
@frozen
@usableFromInline
struct Queue<Element: Sendable>: Sendable {
  // Invariant: when it is nil, `rest` is empty.
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element?] = []
  @usableFromInline var head = 0

  @inlinable
  @inline(__always)
  init() {}

  @inlinable
  @inline(__always)
  var count: Int { first == nil ? 0 : 1 + rest.count - head }

  @inlinable
  @inline(__always)
  var isEmpty: Bool { first == nil }

  @inlinable
  @inline(__always)
  mutating func append(_ element: Element) {
    if first == nil {
      first = element
    } else {
      rest.append(element)
    }
  }

  @inlinable
  @inline(__always)
  mutating func popFirst() -> Element? {
    guard let element = first else { return nil }
    first = head == rest.count ? nil : popRest()
    return element
  }

  @inlinable
  mutating func popRest() -> Element? {
    let element = exchange(&rest[head], for: nil)
    head += 1
    if head == rest.count {
      rest.removeAll(keepingCapacity: rest.count <= 1024)
      head = 0
    } else if head > 64, head * 2 > rest.count {
      rest.removeFirst(head)
      head = 0
    }
    return element
  }
}
