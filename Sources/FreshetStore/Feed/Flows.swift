import Freshet

/// The commits of a store as a flow; see `DatabaseManager.changes(since:)`.
public struct ChangeFlow: Flow {
  /// One element per commit.
  public typealias Element = ChangeSet
  /// Why a feed cannot go on.
  public typealias Failure = StoreError

  let manager: DatabaseManager
  let start: StartPosition

  /// Starts to read commits for one observer.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == ChangeSet, O.Failure == StoreError {
    manager.feed(to: observer) { [start] journal throws(StoreError) in
      try ChangeSource(journal: journal, start: start)
    }
  }
}

/// A store's items as a live list; see `DatabaseManager.observe(_:from:)`.
public struct LiveListFlow: Flow {
  /// One element for the state at the start, then one per commit.
  public typealias Element = LiveList
  /// Why a feed cannot go on.
  public typealias Failure = StoreError

  let manager: DatabaseManager
  let query: Query
  let start: StartPosition

  /// Starts to follow the list for one observer.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == LiveList, O.Failure == StoreError {
    if query.order == .insertion { return feed(observer) }
    return feed(ReorderingObserver(observer, query.order))
  }

  private func feed<O: Observer>(_ observer: O) -> Subscription
  where O.Element == LiveList, O.Failure == StoreError {
    manager.feed(to: observer) { [query, start] journal in
      LiveListSource(journal: journal, query: query, start: start)
    }
  }
}

/// Several queries' lists, commit by commit; see `DatabaseManager.observe(_:from:)`.
public struct LiveListsFlow: Flow {
  /// One element for the state at the start, then one per commit.
  public typealias Element = LiveLists
  /// Why a feed cannot go on.
  public typealias Failure = StoreError

  let manager: DatabaseManager
  let queries: [Query]
  let start: StartPosition

  /// Starts to follow the lists for one observer.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == LiveLists, O.Failure == StoreError {
    manager.feed(to: observer) { [queries, start] journal throws(StoreError) in
      if queries.contains(where: { $0.order != .insertion }) {
        throw StoreError(
          .invalidQuery, "lists that are followed together are in the order of insertion")
      }
      return LiveListsSource(journal: journal, queries: queries, start: start)
    }
  }
}
