import Freshet
import FreshetStore

extension SavedBooksModel {
  /// The screen's life as a cold flow, one element per commit; see ``DownloadsModel``.
  public static func follow(
    _ manager: DatabaseManager, from position: StartPosition
  ) -> AnyFlow<Followed<SavedBooksModel>, StoreError> {
    follow(manager, query, from: position, State()) { list, state in
      let number = max(1, state.list.query)
      return (state.list.query == 0 ? [.appear] : []) + [.list(.list(list, query: number))]
    }
  }
}
