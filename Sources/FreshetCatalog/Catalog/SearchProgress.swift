/// Keeps the items of a search that is read page by page: no id twice, and an end in any case.
///
/// A value without time or requests, so that a state machine can hold it.
public struct SearchProgress: Sendable, Hashable {
  /// What a page brought.
  public struct Step: Sendable, Hashable {
    /// The items that are new, in order of first arrival.
    public let fresh: [ContentItem]
    /// How many items were there already, from earlier pages.
    public let duplicates: Int
    /// Where to go on; nil at the end.
    public let next: PageCursor?
    /// Set when the catalogue goes on without bringing anything new.
    public let stall: CatalogError?
  }

  /// How many pages in a row may bring rows, but none that is new.
  public static let fruitlessPageLimit = 5

  /// The ids seen so far.
  public private(set) var ids: Set<ItemID> = []
  /// How many pages were taken.
  public private(set) var pageCount = 0
  private var cursors: Set<PageCursor> = [.first]
  private var fruitlessPages = 0

  /// The beginning of a search.
  public init() {}

  /// Takes a page; O(its rows).
  public mutating func take(_ page: SearchPage) -> Step {
    pageCount += 1
    let fresh = page.items.filter { ids.insert($0.id).inserted }
    fruitlessPages = fresh.isEmpty ? fruitlessPages + 1 : 0
    let duplicates = page.items.count - fresh.count
    func step(next: PageCursor?, stall: CatalogError? = nil) -> Step {
      Step(fresh: fresh, duplicates: duplicates, next: next, stall: stall)
    }
    guard let next = page.next else { return step(next: nil) }
    if !cursors.insert(next).inserted {
      return step(
        next: nil,
        stall: CatalogError(
          .noProgress, "the catalogue leads back to a page that was read already"))
    }
    if fruitlessPages >= Self.fruitlessPageLimit {
      return step(
        next: nil,
        stall: CatalogError(
          .noProgress, "the last \(fruitlessPages) pages brought nothing new, and no end"))
    }
    return step(next: next)
  }
}
