/// The observers of a hub in the order they subscribed.
///
/// The links are in the slots themselves: adding and removing are O(1), and a list of any
/// length takes no memory besides its slots. An array that is a property of a class would cost
/// a retain and a release per walk, more than everything else that sending does.
// Unmanaged references: owned by one hub, used only inside its gate; each slot in the list is
// retained once. The address sanitizer run would notice.
@frozen
@usableFromInline
struct SlotList<Element: Sendable, Failure: Error> {
  @usableFromInline typealias Place = Unmanaged<Slot<Element, Failure>>
  @usableFromInline var first: Place?
  @usableFromInline var last: Place?

  /// Makes an empty list; the owner empties it before it goes.
  @inlinable
  @inline(__always)
  init() {
    first = nil
    last = nil
  }

  @inlinable
  @inline(__always)
  mutating func append(_ slot: Slot<Element, Failure>) {
    let place = Unmanaged.passRetained(slot)
    slot.isListed = true
    slot.previous = last
    if let last {
      last._withUnsafeGuaranteedRef { $0.next = place }
    } else {
      first = place
    }
    last = place
  }

  /// Gives up the place of a slot, if it has one.
  @inlinable
  @inline(__always)
  mutating func remove(_ slot: Slot<Element, Failure>) {
    guard slot.isListed else { return }
    slot.isListed = false
    if let previous = slot.previous {
      previous._withUnsafeGuaranteedRef { $0.next = slot.next }
    } else {
      first = slot.next
    }
    if let next = slot.next {
      next._withUnsafeGuaranteedRef { $0.previous = slot.previous }
    } else {
      last = slot.previous
    }
    slot.previous = nil
    slot.next = nil
    Unmanaged.passUnretained(slot).release()
  }

  /// Calls a body with each slot, in order; the body does not change the list.
  @inlinable
  @inline(__always)
  func forEach(_ body: (Slot<Element, Failure>) -> Void) {
    var place = first
    while let current = place {
      current._withUnsafeGuaranteedRef { slot in
        place = slot.next  // Before the body, so that the processor can fetch it meanwhile.
        body(slot)
      }
    }
  }

  /// Empties the list.
  @inlinable
  @inline(__always)
  mutating func releaseAll() {
    var place = first
    first = nil
    last = nil
    while let current = place {
      current._withUnsafeGuaranteedRef { slot in
        place = slot.next
        slot.isListed = false
        slot.previous = nil
        slot.next = nil
      }
      current.release()
    }
  }
}
