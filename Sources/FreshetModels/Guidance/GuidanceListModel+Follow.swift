import Freshet
import FreshetCatalog
import FreshetStore

extension GuidanceListModel {
  /// The screen's life over the guidances of a store as a value; see ``DownloadsModel/follower(_:)``.
  public static func follower(filter: GuidanceFilter) -> ScreenFollower<GuidanceListModel> {
    ScreenFollower(School.query, State(filter: filter)) { list, state in
      let open = School(list.rows).open
      return state.request == 0
        ? [.appear, .answered(.success(open), request: 1)] : [.changed(open)]
    }
  }

  /// The screen's life over the guidances of a store as a cold flow, one element per commit.
  ///
  /// It pulls commits from the store's log, so it may be paused and skips none. It ends as the
  /// store's live query does, with the store's error.
  public static func follow(
    _ manager: DatabaseManager, filter: GuidanceFilter, from position: StartPosition
  ) -> AnyFlow<Followed<GuidanceListModel>, StoreError> {
    follower(filter: filter).flow(manager, from: position)
  }
}
