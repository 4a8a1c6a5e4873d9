import Freshet
import FreshetCatalog
import FreshetStore

extension DetailModel {
  /// The screen's life over a store alone as a value; see ``DownloadsModel/follower(_:)``.
  ///
  /// - Parameters:
  ///   - posters: The pictures that are kept, one of which is shown; nil shows none.
  ///   - address: Where an item's picture is; nil when it has none.
  public static func follower(
    id: ItemID, posters: KeptPictures? = nil,
    address: @escaping @Sendable (ContentItem) -> String? = { $0.thumbnail }
  ) -> ScreenFollower<DetailModel> {
    let state = State(id: id, address: posters.map { _ in address })
    return ScreenFollower(query(of: id), state) { list, state in
      let stored = Stored(list, of: id)
      if state.query > 0 { return [.stored(stored, query: state.query)] }
      let first: [Event] = [.open(nil), .stored(stored, query: 1)]
      // Nobody else is asked.
      return stored.item == nil
        ? first + [.found(.failure(CatalogError(.notFound, "nobody knows it")), request: 1)] : first
    } answer: { effect in
      guard case .poster(.look(let address, let request)) = effect else { return nil }
      guard let path = posters?.path(of: address) else {
        return .poster(.notKept(request: request))
      }
      return .poster(.cached(ImageModel.Picture(path: path, bytes: nil), request: request))
    }
  }

  /// The screen's life over a store alone as a cold flow, one element per commit.
  ///
  /// It pulls commits from the store's log, so it may be paused and skips none. It ends as the
  /// store's live query does, with the store's error.
  ///
  /// - Parameters:
  ///   - posters: The pictures that are kept, one of which is shown; nil shows none.
  ///   - address: Where an item's picture is; nil when it has none.
  public static func follow(
    _ manager: DatabaseManager, id: ItemID, from position: StartPosition,
    posters: KeptPictures? = nil,
    address: @escaping @Sendable (ContentItem) -> String? = { $0.thumbnail }
  ) -> AnyFlow<Followed<DetailModel>, StoreError> {
    follower(id: id, posters: posters, address: address).flow(manager, from: position)
  }
}
