/// One observer's place in a hub.
// @unchecked: all fields belong to whoever is inside the hub's gate.
// `SubjectStressTests` under the thread sanitizer would notice.
@usableFromInline
class Slot<Element: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  // Made where the observer's type is known, so that delivery runs specialised code
  // through one indirect call; an overridden method would not be specialised.
  @usableFromInline final let receive: @Sendable (Slot<Element, Failure>, Element) -> Answer
  @exclusivity(unchecked) @usableFromInline final var isPaused = false
  @exclusivity(unchecked) @usableFromInline final var index = 0
  @exclusivity(unchecked) @usableFromInline final var isVacated = false
  @exclusivity(unchecked) @usableFromInline final var isAdded = false

  @inlinable
  init(receive: @escaping @Sendable (Slot<Element, Failure>, Element) -> Answer) {
    self.receive = receive
  }

  @usableFromInline
  func finish(_ end: End<Failure>) {}

  @usableFromInline
  func release() {}
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
  init(hub: Hub<O.Element, O.Failure, Memory>) {
    self.hub = hub
    super.init { slot, value in
      unsafeDowncast(slot, to: BoxSlot<O, Memory>.self).observer?.receive(value) ?? .stop
    }
  }

  @usableFromInline
  override func finish(_ end: End<O.Failure>) {
    observer?.end(end)
  }

  @usableFromInline
  override func release() {
    observer = nil
  }

  @usableFromInline
  override func onDispose() {
    hub.perform(.remove(self))
  }

  @usableFromInline
  override func resume() {
    hub.perform(.resume(self))
  }
}
