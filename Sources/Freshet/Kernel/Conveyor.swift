/// A first-in first-out queue for one owner that takes and gives many values, in O(1), amortised.
///
/// Its storage is one block whose size is a power of two; a place holds nothing but its value, so
/// that taking a plain value writes nothing where the other side has filled in. Use ``Queue`` where
/// most queues never hold a second value.
// @unchecked: it cannot be copied, and belongs to whoever holds it. `ConveyorTests` under the address
// sanitizer, `HandoffTests` under the thread sanitizer would notice.
@frozen
@usableFromInline
struct Conveyor<Element: Sendable>: ~Copyable, @unchecked Sendable {
  // The pointer is nil when there is no room. Places `head` and the `count - 1` after it, modulo
  // the size, hold values.
  @usableFromInline var base: UnsafeMutablePointer<Element>?

  /// How many values fit.
  @usableFromInline var room = 0
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable
  @inline(__always)
  init() {
    base = nil
  }

  @inlinable
  deinit {
    guard let base else { return }
    let firstPart = min(count, room - head)
    (base + head).deinitialize(count: firstPart)
    base.deinitialize(count: count - firstPart)
    base.deallocate()
  }

  @inlinable
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  @inlinable
  @inline(__always)
  mutating func append(_ element: consuming Element) {
    if count == room { grow() }
    (base.unsafelyUnwrapped + ((head &+ count) & (room &- 1))).initialize(to: element)
    count &+= 1
  }

  @inlinable
  @inline(__always)
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = (base.unsafelyUnwrapped + head).move()
    head = (head &+ 1) & (room &- 1)
    count &-= 1
    return element
  }

  /// Gives back what a burst has taken, if nothing is waiting.
  @inlinable
  @inline(__always)
  mutating func trim() {
    if room > 1024, count == 0 { freeRoom() }
  }

  @inlinable
  @inline(never)
  mutating func freeRoom() {
    base?.deallocate()
    base = nil
    room = 0
    head = 0
  }

  @inlinable
  @inline(never)
  mutating func grow() {
    let larger = room == 0 ? 16 : room * 2
    let place = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    if let base {
      // It is full: from `head` to the end, and from the start to `head`.
      place.moveInitialize(from: base + head, count: room - head)
      (place + (room - head)).moveInitialize(from: base, count: head)
      base.deallocate()
    }
    base = place
    room = larger
    head = 0
  }
}
