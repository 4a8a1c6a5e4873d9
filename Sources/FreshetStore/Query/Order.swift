/// The order of a list or of pages.
public struct Order: Sendable, Hashable {
  enum By: Sendable, Hashable {
    case insertion, revision, id
    case field(String)
  }

  let by: By
  /// True when the last come first.
  public let isDescending: Bool

  /// In the order of their insertion.
  public static let insertion = Order(by: .insertion, isDescending: false)
  /// By the commit that last wrote, deleted or restored them.
  public static let revision = Order(by: .revision, isDescending: false)
  /// By id, compared byte by byte.
  public static let id = Order(by: .id, isDescending: false)

  /// By a member of the body's object: false before true before numbers before strings.
  ///
  /// Numbers are compared as doubles, strings byte by byte. Items without the member, with null, an
  /// array or an object come last, also in descending order. The body is searched for the member,
  /// not decoded.
  public static func field(_ name: String) -> Order {
    Order(by: .field(name), isDescending: false)
  }

  /// The same, the other way round; items of equal rank stay in the order of their insertion.
  public var descending: Order { Order(by: by, isDescending: !isDescending) }

  /// Where an item stands in this order.
  func position(of record: Record) -> Position {
    let key: SortKey =
      switch by {
      case .insertion: .none
      case .revision: .integer(record.revision)
      case .id: .text(Array(record.id.utf8))
      case .field(let name): FieldScan.key(of: name, in: record.body)
      }
    return Position(key: key, created: record.created, createdIndex: record.createdIndex)
  }

  /// Tells whether one position comes before another.
  func puts(_ a: Position, before b: Position) -> Bool {
    if by == .insertion { return isDescending ? b.origin < a.origin : a.origin < b.origin }
    if a.key == b.key { return a.origin < b.origin }
    if a.key == .missing { return false }
    if b.key == .missing { return true }
    return isDescending ? b.key < a.key : a.key < b.key
  }
}

/// Where an item stands among others: its key, and its place in the list for equal keys.
struct Position: Sendable, Hashable {
  var key: SortKey
  var created: Int64
  var createdIndex: Int

  var origin: (Int64, Int) { (created, createdIndex) }
}

/// What an item is ordered by, in the order of the cases.
enum SortKey: Sendable, Hashable, Comparable {
  /// Nothing but the place in the list.
  case none
  case truth(Bool)
  case integer(Int64)
  case number(Double)
  case text([UInt8])
  /// There is no such member, or it has no order.
  case missing

  private var rank: Int {
    switch self {
    case .none: 0
    case .truth: 1
    case .integer: 2
    case .number: 3
    case .text: 4
    case .missing: 5
    }
  }

  static func < (a: SortKey, b: SortKey) -> Bool {
    switch (a, b) {
    case (.truth(let a), .truth(let b)): !a && b
    case (.integer(let a), .integer(let b)): a < b
    case (.number(let a), .number(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    default: a.rank < b.rank
    }
  }
}
