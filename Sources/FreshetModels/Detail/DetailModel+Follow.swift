import Freshet
import FreshetCatalog
import FreshetStore

extension DetailModel {
  /// The screen's life over a store alone as a cold flow, one element per commit.
  ///
  /// It pulls commits from the store's log, so it may be paused and skips none. It ends as the
  /// store's live query does, with the store's error.
  public static func follow(
    _ manager: DatabaseManager, id: ItemID, from position: StartPosition
  ) -> AnyFlow<Followed<DetailModel>, StoreError> {
    follow(manager, query(of: id), from: position, State(id: id)) { list, state in
      let stored = Stored(list, of: id)
      if state.query > 0 { return [.stored(stored, query: state.query)] }
      let first: [Event] = [.open(nil), .stored(stored, query: 1)]
      // Nobody else is asked.
      return stored.item == nil
        ? first + [.found(.failure(CatalogError(.notFound, "nobody knows it")), request: 1)] : first
    }
  }
}
