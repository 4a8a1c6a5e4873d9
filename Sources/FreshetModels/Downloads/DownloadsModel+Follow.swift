import Freshet
import FreshetCatalog
import FreshetStore

extension DownloadsModel {
  /// The screen's life as a cold flow: it appears, shows the list at `position`, and goes through
  /// one transition per commit.
  ///
  /// It pulls commits from the store's log, so it may be paused and skips none. It ends as the
  /// store's live query does, with the store's error.
  public static func follow(
    _ manager: DatabaseManager, _ query: Query = .contents, from position: StartPosition
  ) -> AnyFlow<Followed<DownloadsModel>, StoreError> {
    follow(manager, query, from: position, State()) { list, state in
      let number = max(1, state.query)
      return (state.query == 0 ? [.appear] : []) + [.list(list, query: number)]
    }
  }
}
