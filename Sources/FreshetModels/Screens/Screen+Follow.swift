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

extension Screen {
  /// A screen's life over a store as a cold flow, one element per commit.
  ///
  /// Where the model itself must keep up with the store, this flow may be paused: it pulls commits
  /// from the store's log, skips none and holds one list at a time. It ends as the store's live
  /// query does, with the store's error.
  ///
  /// - Parameters:
  ///   - manager: The store.
  ///   - query: What the screen is made of.
  ///   - position: Where to begin.
  ///   - state: The state before the first list.
  ///   - events: What a list means to the screen in its state.
  ///   - answer: What is said at once to something the screen wants done; nil for nothing.
  static func follow(
    _ manager: DatabaseManager, _ query: Query, from position: StartPosition, _ state: State,
    _ events: @escaping @Sendable (LiveList, State) -> [Event],
    answer: @escaping @Sendable (Effect) -> Event? = { _ in nil }
  ) -> AnyFlow<Followed<Self>, StoreError> {
    manager.observe(query, from: position)
      .scan(nil as Followed<Self>?) { previous, list in
        var step = Step<Self>(state: previous?.state ?? state)
        var transitions: [Transition<Self>] = []
        var waiting = events(list, step.state)[...]
        while let event = waiting.popFirst() {
          step = reduce(step.state, event)
          transitions += step.transitions
          waiting = step.effects.compactMap(answer) + waiting
        }
        return Followed(list: list, transitions: transitions, state: step.state)
      }
      .compactMap { $0 }
      .erased()
  }
}
