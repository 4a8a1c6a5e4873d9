import Freshet
import FreshetStore

/// One commit as a screen goes through it.
public struct Followed<S: Screen>: Sendable {
  /// The list of the screen's query, with the commit's changes.
  public let list: LiveList
  /// The screen's transitions; for the first list those from its first state on.
  public let transitions: [Transition<S>]
  /// The state after.
  public let state: S.State
}

/// A screen's life over a store as a value that takes one list after the other.
///
/// Each list is that of one commit, as `DatabaseManager.observe` gives them. It may be fed at any
/// pace, and stands for the model where nobody has intents.
public struct ScreenFollower<S: Screen>: Sendable {
  /// What the screen is made of.
  public let query: Query
  /// The state after the last list.
  public private(set) var state: S.State
  private let events: @Sendable (LiveList, S.State) -> [S.Event]
  private let answer: @Sendable (S.Effect) -> S.Event?

  /// Makes a follower.
  ///
  /// - Parameters:
  ///   - query: What the screen is made of.
  ///   - state: The state before the first list.
  ///   - events: What a list means to the screen in its state.
  ///   - answer: What is said at once to something the screen wants done; nil for nothing.
  init(
    _ query: Query, _ state: S.State,
    _ events: @escaping @Sendable (LiveList, S.State) -> [S.Event],
    answer: @escaping @Sendable (S.Effect) -> S.Event? = { _ in nil }
  ) {
    self.query = query
    self.state = state
    self.events = events
    self.answer = answer
  }

  /// The screen's steps through the next list.
  ///
  /// - Complexity: That of the screen's rule.
  public mutating func take(_ list: LiveList) -> Followed<S> {
    var step = Step<S>(state: state)
    var transitions: [Transition<S>] = []
    var waiting = events(list, state)[...]
    while let event = waiting.popFirst() {
      step = S.reduce(step.state, event)
      transitions += step.transitions
      waiting = step.effects.compactMap(answer) + waiting
    }
    state = step.state
    return Followed(list: list, transitions: transitions, state: state)
  }

  /// The same as a cold flow, one element per commit that touches the query.
  ///
  /// Where the model itself must keep up with the store, this flow may be paused: it pulls commits
  /// from the store's log, skips none and holds one list at a time. It ends as the store's live
  /// query does, with the store's error.
  func flow(
    _ manager: DatabaseManager, from position: StartPosition
  ) -> AnyFlow<Followed<S>, StoreError> {
    manager.observe(query, from: position)
      .scan((self, nil as Followed<S>?)) { previous, list in
        var follower = previous.0
        let followed = follower.take(list)
        return (follower, followed)
      }
      .compactMap { $0.1 }
      .erased()
  }
}
