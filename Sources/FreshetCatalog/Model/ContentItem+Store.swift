import Freshet
import FreshetStore

extension Query {
  /// The content items of a store: films and books.
  ///
  /// A store also holds settings, students and the like, under ids of other kinds; no list of items
  /// shows them.
  public static let contents = Query.ids(
    startingWithAny: ItemID.Kind.allCases.map { "\($0.rawValue):" })
}

extension DatabaseManager {
  /// Deletes all items that match, as one commit; `restore` brings each back.
  ///
  /// The single answers with the commit, its outcomes in list order; when nothing matches there is
  /// no token. It deletes what matches at the moment of its subscription: an item that another
  /// process saves at the same time stays. Failures as `save`.
  ///
  /// - Complexity: O(live bytes), and one line in the journal per item.
  public func deleteAll(matching query: Query) -> Single<CommitReceipt, StoreError> {
    fetch().flatMap { [self] records in
      apply(records.filter { query.matches($0.id) }.map { .delete(id: $0.id) })
    }.single
  }

  /// What a delete-all of the content items has to spare, and how many it takes.
  ///
  /// The single fails as `fetch()`.
  ///
  /// - Complexity: O(live bytes).
  public func contentDeletion() -> Single<ContentDeletion, StoreError> {
    fetch().map { ContentDeletion($0) }.single
  }
}

/// How to delete every content item of a store with one line in its journal, and nothing else.
public struct ContentDeletion: Sendable, Hashable {
  /// How many content items there are.
  public let count: Int
  /// Follows a delete-all in the same commit: brings the records back that are no content items.
  public let restores: [Operation]

  init(_ records: [Record]) {
    let others = records.filter { !Query.contents.matches($0.id) }
    count = records.count - others.count
    restores = others.map { .restore(id: $0.id) }
  }
}
