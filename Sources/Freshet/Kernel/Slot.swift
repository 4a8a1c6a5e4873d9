/// One observer's place in a hub.
// @unchecked: all fields belong to whoever is inside the hub's gate.
// `SubjectStressTests` under the thread sanitizer would notice.
@usableFromInline
class Slot<Element: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  /// What a hub, or the observer through its handle, wants of a slot.
  @frozen
  @usableFromInline
  enum Call: Sendable {
    case finish
    case release
    case leave
    case resume
  }

  // Made where the observer's type is known, so that they run specialised code through one
  // indirect call; an overridden method would not be specialised. `Call` has no payload:
  // where it is made the types are not known, and a payload would be looked up.
  @usableFromInline final let receive: @Sendable (Slot<Element, Failure>, Element) -> Answer
  @usableFromInline final let perform: @Sendable (Slot<Element, Failure>, Call) -> Void

  // The neighbours in the hub's list, which see.
  @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<Slot<Element, Failure>>?
  @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<Slot<Element, Failure>>?
  @exclusivity(unchecked) @usableFromInline final var isListed: Bool

  @exclusivity(unchecked) @usableFromInline final var isPaused: Bool

  /// The hub has seen it: before that it belongs to the thread that subscribes.
  @exclusivity(unchecked) @usableFromInline final var isAdded: Bool

  @inlinable
  @inline(__always)
  init(
    receive: @escaping @Sendable (Slot<Element, Failure>, Element) -> Answer,
    perform: @escaping @Sendable (Slot<Element, Failure>, Call) -> Void
  ) {
    self.receive = receive
    self.perform = perform
    next = nil
    previous = nil
    isListed = false
    isPaused = false
    isAdded = false
  }

  @usableFromInline
  final override func onDispose() {
    perform(self, .leave)
  }

  @usableFromInline
  final override func resume() {
    perform(self, .resume)
  }
}

/// A slot that holds its observer by value.
// @unchecked: `observer` is set before the slot is in the hub, and later belongs to
// whoever is inside the hub's gate.
@usableFromInline
final class BoxSlot<O: Observer, Memory: HubMemory>: Slot<O.Element, O.Failure>,
  @unchecked Sendable
where Memory.Element == O.Element {
  @usableFromInline let hub: Hub<O.Element, O.Failure, Memory>
  @exclusivity(unchecked) @usableFromInline var observer: O?

  @inlinable
  @inline(__always)
  init(hub: Hub<O.Element, O.Failure, Memory>) {
    self.hub = hub
    super.init(
      receive: { slot, value in
        unsafeDowncast(slot, to: BoxSlot<O, Memory>.self).observer?.receive(value) ?? .stop
      },
      perform: { slot, call in
        let slot = unsafeDowncast(slot, to: BoxSlot<O, Memory>.self)
        switch call {
        case .finish: if let ending = slot.hub.ending { slot.observer?.end(ending) }
        case .release: slot.observer = nil
        case .leave: slot.hub.leave(slot)
        case .resume: slot.hub.perform(.resume(slot))
        }
      })
  }

  @usableFromInline
  override func pass(_ message: Upward) {
    hub.perform(.upward(message, self))
  }
}
