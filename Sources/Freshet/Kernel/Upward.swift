import Synchronization

/// Something that goes up a chain, from an observer to the sources that feed it.
///
/// It takes the way of the handles: each `Subscription` passes it on to the handles of its own
/// sources, under its own gate. Whoever is busy takes it later.
@usableFromInline
enum Upward: Sendable {
  /// Somebody below wants to know when a source delivers; `above` counts those of its kind
  /// that are between.
  case join(TurnMember, above: Int)

  /// Somebody draws the graph; the number is that of the node below.
  case inspect(GraphVisitor, below: Int)
}

/// An operator that sends at most one result for everything that one event of a source causes.
///
/// A hub that has such operators below it tells them when it begins to deliver an event and
/// when everybody has it: it holds them and lets them go, those nearest to the sources first.
@usableFromInline
final class TurnMember: Sendable {
  /// How many of its kind are, at most, between it and a source.
  ///
  /// One that feeds another has a lower level, so it has spoken when the other is let go.
  let level = Atomic<Int>(0)

  private weak let owner: Subscription?
  private let tell: @Sendable (Subscription, Bool) -> Void

  /// Makes a member.
  ///
  /// - Parameters:
  ///   - owner: The operator's subscription.
  ///   - tell: Tells it that results wait from now on (true), or that the event is over (false).
  @usableFromInline
  init(owner: Subscription, tell: @escaping @Sendable (Subscription, Bool) -> Void) {
    self.owner = owner
    self.tell = tell
  }

  var isOver: Bool { owner?.isDisposed ?? true }

  func hold() {
    if let owner { tell(owner, true) }
  }

  func letGo() {
    if let owner { tell(owner, false) }
  }

  func raise(to level: Int) {
    _ = self.level.max(level, ordering: .relaxed)
  }
}

/// The operators below a shared place that are to be told of its events.
@usableFromInline
struct Turns: Sendable {
  private struct Entry: Sendable {
    let member: TurnMember
    let above: Int
    let place: ObjectIdentifier?

    var level: Int { member.level.load(ordering: .relaxed) }
  }

  private var entries: [Entry] = []
  private var limit = 16

  init() {}

  var isEmpty: Bool { entries.isEmpty }

  /// Adds a member, by the place through which it is fed.
  ///
  /// Those that are over are cleared away from time to time: O(1), amortised.
  mutating func join(_ member: TurnMember, above: Int, at place: AnyObject? = nil) {
    if entries.count >= limit {
      entries.removeAll { $0.member.isOver }
      limit = max(16, entries.count * 2)
    }
    entries.append(
      Entry(member: member, above: above, place: place.map { ObjectIdentifier($0) }))
  }

  /// Takes out the members that are fed through a place.
  mutating func leave(_ place: AnyObject) {
    let place = ObjectIdentifier(place)
    entries.removeAll { $0.place == place }
  }

  /// What is to be passed on to a source that has come.
  var messages: [Upward] { entries.map { .join($0.member, above: $0.above) } }

  /// Those to be told of an event, nearest to the source first.
  ///
  /// Levels grow when sources are added; the order is made anew only then.
  mutating func inOrder() -> [TurnMember] {
    if zip(entries, entries.dropFirst()).contains(where: { $0.level > $1.level }) {
      entries.sort { $0.level < $1.level }
    }
    return entries.map(\.member)
  }
}
