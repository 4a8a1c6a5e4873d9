/// Where a page of results begins, in the counting of the catalogue that named it.
///
/// Opaque: take it from a page and hand it back with the same query and size.
public struct PageCursor: Sendable, Hashable {
  /// The number the catalogue knows it by; nil for the first page.
  public let position: Int?

  /// The first page.
  public static let first = PageCursor(position: nil)

  /// A later page, by the catalogue's own counting.
  public static func next(_ position: Int) -> PageCursor { PageCursor(position: position) }
}

/// What to search for, and which page of it.
public struct SearchRequest: Sendable, Hashable {
  /// What was typed; it is put into NFC before it is sent, and blank is refused.
  public let query: String
  /// Which page.
  public let cursor: PageCursor
  /// How many rows to ask for; a catalogue with a smaller limit, or a fixed size, keeps to its own.
  public let size: Int

  /// Makes a request.
  public init(query: String, cursor: PageCursor = .first, size: Int = 20) {
    self.query = query
    self.cursor = cursor
    self.size = size
  }
}

/// One page of results.
public struct SearchPage: Sendable, Hashable {
  /// A row of the catalogue's that became no item.
  public struct DroppedRow: Sendable, Hashable {
    /// The row's place in the answer, from 0.
    public let index: Int
    /// The name of what is wrong: a ``ContentItemError/Code`` name, `skipped` for rows of a kind
    /// that is not kept, `duplicate` for an id that the page has already.
    public let code: String
    /// Why.
    public let reason: String

    /// Makes a dropped row.
    public init(index: Int, code: String, reason: String) {
      self.index = index
      self.code = code
      self.reason = reason
    }
  }

  /// The items, in the catalogue's order, no id twice.
  public let items: [ContentItem]
  /// Where the next page begins; nil when this is the last.
  public let next: PageCursor?
  /// Whether the catalogue has more, but gives no page beyond this one to anybody.
  public let isCapped: Bool
  /// How many matches the catalogue says there are: for show only, it may change with each page.
  public let total: Int?
  /// How many of them can be reached, where the catalogue says so; for show only.
  public let pageable: Int?
  /// How many rows came.
  public let rawCount: Int
  /// The rows that became no item.
  public let droppedRows: [DroppedRow]

  /// How many rows became no item.
  public var dropped: Int { droppedRows.count }

  /// Makes a page.
  public init(
    items: [ContentItem], next: PageCursor?, isCapped: Bool = false, total: Int? = nil,
    pageable: Int? = nil, rawCount: Int? = nil, droppedRows: [DroppedRow] = []
  ) {
    self.items = items
    self.next = next
    self.isCapped = isCapped
    self.total = total
    self.pageable = pageable
    self.rawCount = rawCount ?? items.count + droppedRows.count
    self.droppedRows = droppedRows
  }
}
