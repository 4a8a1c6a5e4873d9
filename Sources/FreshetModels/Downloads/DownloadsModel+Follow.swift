import Freshet
import FreshetCatalog
import FreshetStore

extension DownloadsModel {
  /// The screen's life over a store as a value: it appears, shows the first list, and goes through
  /// one transition per list.
  public static func follower(_ query: Query = .contents) -> ScreenFollower<DownloadsModel> {
    ScreenFollower(query, State()) { list, state in
      let number = max(1, state.query)
      return (state.query == 0 ? [.appear] : []) + [.list(list, query: number)]
    }
  }

  /// The screen's life as a cold flow: it appears, shows the list at `position`, and goes through
  /// one transition per commit.
  ///
  /// It pulls commits from the store's log, so it may be paused and skips none. It ends as the
  /// store's live query does, with the store's error.
  public static func follow(
    _ manager: DatabaseManager, _ query: Query = .contents, from position: StartPosition
  ) -> AnyFlow<Followed<DownloadsModel>, StoreError> {
    follower(query).flow(manager, from: position)
  }
}
