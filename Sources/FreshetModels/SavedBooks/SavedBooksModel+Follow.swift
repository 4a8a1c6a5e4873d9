import Freshet
import FreshetStore

extension SavedBooksModel {
  /// The screen's life over a store as a value; see ``DownloadsModel/follower(_:)``.
  public static func follower() -> ScreenFollower<SavedBooksModel> {
    ScreenFollower(query, State()) { list, state in
      let number = max(1, state.list.query)
      return (state.list.query == 0 ? [.appear] : []) + [.list(.list(list, query: number))]
    }
  }

  /// The screen's life as a cold flow, one element per commit; see ``DownloadsModel``.
  public static func follow(
    _ manager: DatabaseManager, from position: StartPosition
  ) -> AnyFlow<Followed<SavedBooksModel>, StoreError> {
    follower().flow(manager, from: position)
  }
}
