/// A first-in first-out queue that takes and gives in O(1), amortised.
@frozen
@usableFromInline
struct Queue<Element: Sendable>: Sendable {
  @usableFromInline var items: [Element?] = []
  @usableFromInline var head = 0

  @inlinable
  init() {}

  @inlinable
  var count: Int { items.count - head }

  @inlinable
  var isEmpty: Bool { head == items.count }

  @inlinable
  var first: Element? { isEmpty ? nil : items[head] }

  @inlinable
  mutating func append(_ element: Element) {
    items.append(element)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard head < items.count else { return nil }
    let element = exchange(&items[head], for: nil)
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: items.count <= 1024)
      head = 0
    } else if head > 64, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
    return element
  }
}
