/// The observers of a hub in the order they subscribed.
///
/// A plain growing buffer instead of an array, because walking an array that is
/// a property of a class costs a retain and a release per walk, more than
/// everything else that sending does. A place whose slot was disposed of stays
/// until half the places are vacant, so the order is kept and removing is O(1),
/// amortised.
// Unsafe pointer: owned by one hub, used only inside its gate, each place
// below `count` holds one strong reference. The address sanitizer run would notice.
@frozen
@usableFromInline
struct SlotList<Element: Sendable, Failure: Error> {
  @usableFromInline typealias Place = Unmanaged<Slot<Element, Failure>>
  @usableFromInline var base: UnsafeMutablePointer<Place>?
  @usableFromInline var count: Int
  @usableFromInline var capacity: Int
  @usableFromInline var vacant: Int

  /// Makes an empty list; the owner frees `base` when it goes.
  @inlinable
  @inline(__always)
  init() {
    base = nil
    count = 0
    capacity = 0
    vacant = 0
  }

  @inlinable
  mutating func append(_ slot: Slot<Element, Failure>) {
    if count == capacity { grow() }
    slot.index = count
    base!.advanced(by: count).initialize(to: Unmanaged.passRetained(slot))
    count += 1
  }

  @inlinable
  mutating func grow() {
    capacity = max(2, capacity * 2)
    let larger = UnsafeMutablePointer<Place>.allocate(capacity: capacity)
    if let base {
      larger.moveInitialize(from: base, count: count)
      base.deallocate()
    }
    base = larger
  }

  /// Gives up the place of a slot, if it has one.
  @inlinable
  mutating func remove(_ slot: Slot<Element, Failure>) {
    let index = slot.index
    guard index < count, base![index].toOpaque() == Unmanaged.passUnretained(slot).toOpaque()
    else { return }
    if index == count - 1 {
      count -= 1
      base![index].release()
    } else {
      vacant += 1
      if vacant > 32, vacant * 2 > count { compact() }
    }
    if vacant == count { compact() }
  }

  /// Closes the gaps that disposed slots have left.
  @usableFromInline
  mutating func compact() {
    guard let base else { return }
    var kept = 0
    for index in 0..<count {
      let place = base[index]
      let isVacant = place._withUnsafeGuaranteedRef { $0.isDisposed && $0.isVacated }
      if isVacant {
        place.release()
      } else {
        place._withUnsafeGuaranteedRef { $0.index = kept }
        base[kept] = place
        kept += 1
      }
    }
    count = kept
    vacant = 0
  }

  /// Empties the list.
  @inlinable
  mutating func releaseAll() {
    guard let base else { return }
    let count = exchange(&count, for: 0)
    vacant = 0
    // What goes here may be the last reference to a slot; its observer is gone already.
    for index in 0..<count { base[index].release() }
  }
}
