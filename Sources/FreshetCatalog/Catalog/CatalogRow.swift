import FreshetStore

/// What became of one row of a catalogue's answer.
public enum CatalogRow: Sendable, Hashable {
  /// An item.
  case item(ContentItem)
  /// Nothing we keep, such as a person; not a failure.
  case skipped(reason: String)
  /// A row that should have been one but is not.
  case refused(ContentItemError)
}

/// A catalogue's own word that a request failed, found where rows should be.
public struct CatalogRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which catalogue.
  public let catalog: String
  /// Its code or the name of its error, where it gives one.
  public let code: String?
  /// Its sentence.
  public let message: String

  /// Catalogue, code and sentence.
  public var description: String {
    "\(catalog) answered with error\(code.map { " \($0)" } ?? ""): \(message)"
  }
}

extension SearchPage {
  /// A page of what became of a catalogue's rows: no id twice, and what was dropped is told.
  static func of(
    _ rows: [CatalogRow], next: PageCursor?, isCapped: Bool = false, total: Int? = nil,
    pageable: Int? = nil
  ) -> SearchPage {
    var items: [ContentItem] = []
    var ids: Set<ItemID> = []
    var dropped: [DroppedRow] = []
    for (index, row) in rows.enumerated() {
      switch row {
      case .item(let item) where ids.insert(item.id).inserted: items.append(item)
      case .item(let item):
        dropped.append(
          DroppedRow(index: index, code: "duplicate", reason: "\(item.id) is on the page already"))
      case .skipped(let reason):
        dropped.append(DroppedRow(index: index, code: "skipped", reason: reason))
      case .refused(let error):
        dropped.append(DroppedRow(index: index, code: error.code.name, reason: error.message))
      }
    }
    return SearchPage(
      items: items, next: next, isCapped: isCapped, total: total, pageable: pageable,
      rawCount: rows.count, droppedRows: dropped)
  }

  /// The page behind the last one.
  static let end = SearchPage(items: [], next: nil)
}
