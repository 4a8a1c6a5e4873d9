/// Which items a list shows.
public struct Query: Sendable, Hashable {
  /// Items whose id begins with one of these, compared byte by byte; empty for all.
  public let idPrefixes: [String]
  /// The order of the items.
  public var order = Order.insertion

  /// Every live item.
  public static let all = Query(idPrefixes: [])

  /// The live items whose id begins with `prefix`, compared byte by byte.
  public static func ids(startingWith prefix: String) -> Query {
    Query(idPrefixes: prefix.isEmpty ? [] : [prefix])
  }

  /// The live items whose id begins with one of these, compared byte by byte.
  public static func ids(startingWithAny prefixes: [String]) -> Query {
    Query(idPrefixes: prefixes.contains("") ? [] : prefixes)
  }

  /// The same items in another order.
  public func ordered(by order: Order) -> Query {
    var query = self
    query.order = order
    return query
  }

  var isAll: Bool { idPrefixes.isEmpty }

  /// Whether a list of this query holds an item of this id.
  ///
  /// - Complexity: O(bytes of the prefixes).
  public func matches(_ id: String) -> Bool {
    idPrefixes.isEmpty || idPrefixes.contains { id.utf8.starts(with: $0.utf8) }
  }

  func matches(rawID: UnsafeRawBufferPointer) -> Bool {
    idPrefixes.isEmpty || idPrefixes.contains { rawID.starts(with: $0.utf8) }
  }
}

/// How one list became the next, by id.
///
/// To replay it: take the rows of `removed` and the `from` rows of `moved` out of the old list
/// (their indices are in the old list), then put `inserted` and the `to` rows of `moved` in by
/// ascending index (their indices are in the new list), then refresh the rows of `updated`.
public struct ListDiff: Sendable, Hashable {
  /// A row by id and index.
  public struct Row: Sendable, Hashable {
    /// The item's id.
    public let id: String
    /// Its index, from 0.
    public let index: Int

    /// Makes a row.
    public init(id: String, index: Int) {
      self.id = id
      self.index = index
    }
  }

  /// A row that is in both lists at another place among its neighbours.
  public struct Move: Sendable, Hashable {
    /// The item's id.
    public let id: String
    /// Its index in the old list.
    public let from: Int
    /// Its index in the new list.
    public let to: Int

    /// Makes a move.
    public init(id: String, from: Int, to: Int) {
      self.id = id
      self.from = from
      self.to = to
    }
  }

  /// Rows that are new, by ascending index in the new list.
  public var inserted: [Row]
  /// Rows that are gone, by ascending index in the old list.
  public var removed: [Row]
  /// Rows that changed their place.
  public var moved: [Move]
  /// Ids of rows in both lists whose body changed.
  public var updated: [String]

  /// Makes a diff.
  public init(
    inserted: [Row] = [], removed: [Row] = [], moved: [Move] = [], updated: [String] = []
  ) {
    self.inserted = inserted
    self.removed = removed
    self.moved = moved
    self.updated = updated
  }

  /// True when nothing changed.
  public var isEmpty: Bool {
    inserted.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty
  }
}

/// A list as of one commit, and how it came from the one before.
public struct LiveList: Sendable, Hashable {
  /// The commit this list is of.
  public let token: Token
  /// The rows in the query's order.
  public let rows: RecordList
  /// What changed since the element before; empty for the first.
  public let diff: ListDiff
  /// The commit's changes that the query holds; nil for the first element.
  public let changes: ChangeSet?
  /// True for the first element, which is a state and no change.
  public let isInitial: Bool

  /// The rows as an array.
  ///
  /// - Complexity: O(n); `rows` has them without.
  public var records: [Record] { Array(rows) }

  /// Makes a list.
  public init(
    token: Token, records: [Record], diff: ListDiff, changes: ChangeSet?, isInitial: Bool
  ) {
    self.init(
      token: token, rows: RecordList(records), diff: diff, changes: changes, isInitial: isInitial)
  }

  /// Makes a list of rows that others may share.
  public init(
    token: Token, rows: RecordList, diff: ListDiff, changes: ChangeSet?, isInitial: Bool
  ) {
    self.token = token
    self.rows = rows
    self.diff = diff
    self.changes = changes
    self.isInitial = isInitial
  }
}
