import FreshetStore

/// A row of a list, known by its id.
public protocol Identified: Sendable {
  /// What tells the row from all others; ids are compared byte by byte.
  var rowID: String { get }
  /// Whether a row with the same id shows the same.
  func showsSame(as other: Self) -> Bool
}

extension Identified where Self: Equatable {
  /// Equal values show the same.
  public func showsSame(as other: Self) -> Bool { self == other }
}

/// Rows whose ids are unique by construction: the only list a difference is taken of.
public struct IdentifiedList<Row: Identified>: Sendable {
  /// The rows in order.
  public private(set) var rows: [Row] = []
  /// How many rows were left out because their id was there already.
  public private(set) var droppedDuplicates = 0
  private var places: [RowKey: Int] = [:]

  /// A list without rows.
  public init() {}

  /// A list of these rows; of rows with one id the first stays, the others are counted.
  ///
  /// - Complexity: O(n).
  public init(_ rows: some Sequence<Row>) {
    append(contentsOf: rows)
  }

  /// A list of rows that must have unique ids.
  ///
  /// - Throws: ``RepeatedID`` for the first id that comes twice.
  /// - Complexity: O(n).
  public init(checking rows: [Row]) throws(RepeatedID) {
    for (index, row) in rows.enumerated() {
      if let first = places[RowKey(row.rowID)] {
        throw RepeatedID(id: row.rowID, first: first, second: index)
      }
      insert(row)
    }
  }

  /// Whether there are no rows.
  public var isEmpty: Bool { rows.isEmpty }

  /// The number of rows.
  public var count: Int { rows.count }

  /// The row with an id, nil when there is none; O(1).
  public func row(id: String) -> Row? { places[RowKey(id)].map { rows[$0] } }

  /// Where the row with an id is, nil when there is none; O(1).
  public func index(of id: String) -> Int? { places[RowKey(id)] }

  /// Adds rows at the end; those whose id is there already are left out and counted.
  ///
  /// - Returns: How many were added.
  /// - Complexity: O(rows added).
  @discardableResult
  public mutating func append(contentsOf more: some Sequence<Row>) -> Int {
    let before = rows.count
    for row in more {
      if places[RowKey(row.rowID)] == nil { insert(row) } else { droppedDuplicates += 1 }
    }
    return rows.count - before
  }

  /// The rows for which `fits` is true, in order.
  ///
  /// - Complexity: O(n).
  public func filtered(_ fits: (Row) -> Bool) -> IdentifiedList {
    IdentifiedList(rows.filter(fits))
  }

  private mutating func insert(_ row: Row) {
    places[RowKey(row.rowID)] = rows.count
    rows.append(row)
  }
}

/// A list in which an id comes twice, which no screen can show.
public struct RepeatedID: Error, Sendable, Hashable, CustomStringConvertible {
  /// The id.
  public let id: String
  /// Where it stands first.
  public let first: Int
  /// Where it stands again.
  public let second: Int

  /// Which id, and where.
  public var description: String {
    "the id \(id) stands at row \(first) and again at row \(second); ids of a list are unique"
  }
}

/// An id compared by its bytes, where `String` compares by canonical equivalence.
struct RowKey: Hashable, Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (left: RowKey, right: RowKey) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Record: Identified {
  /// The item's id.
  public var rowID: String { id }
  /// The body is all that a row shows.
  public func showsSame(as other: Record) -> Bool { rawBody == other.rawBody }
}
