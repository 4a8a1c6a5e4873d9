import Freshet
import FreshetStore

extension DownloadsModel {
  /// One commit as this screen goes through it.
  public struct Followed: Sendable {
    /// The list, with the commit's changes.
    public let list: LiveList
    /// The screen's transitions; for the first list those from `idle` on.
    public let transitions: [Transition]
    /// The state after.
    public let state: State
  }

  /// The screen's life as a cold flow: it appears, shows the list at `position`, and goes through
  /// one transition per commit.
  ///
  /// Where the model itself must keep up with the store, this flow may be paused: it pulls commits
  /// from the store's log, skips none and holds one list at a time. It ends as the store's live
  /// query does, with the store's error.
  public static func follow(
    _ manager: DatabaseManager, _ query: Query = .all, from position: StartPosition
  ) -> some Flow<Followed, StoreError> {
    manager.observe(query, from: position)
      .scan(nil as Followed?) { previous, list in
        var step = Step(state: previous?.state ?? State())
        var transitions: [Transition] = []
        if previous == nil {
          step = reduce(step.state, .appear)
          transitions += step.transitions
        }
        step = reduce(step.state, .list(list, query: step.state.query))
        transitions += step.transitions
        return Followed(list: list, transitions: transitions, state: step.state)
      }
      .compactMap { $0 }
  }
}
