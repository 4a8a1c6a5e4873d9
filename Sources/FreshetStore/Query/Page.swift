/// Where a page ends: the next one begins behind it.
///
/// It names an item's place in an order, not a number of rows, so that inserting and deleting before
/// it moves nothing. It can be kept as text.
public struct PageKey: Sendable, Hashable, LosslessStringConvertible {
  let order: Order
  let position: Position

  init(order: Order, position: Position) {
    self.order = order
    self.position = position
  }

  /// The place of an item in an order, for a page that begins behind it.
  public init(after record: Record, in order: Order) {
    self.init(order: order, position: order.position(of: record))
  }

  /// The key as text of letters, digits, dots and signs.
  public var description: String {
    let field =
      switch order.by {
      case .insertion: "i"
      case .revision: "r"
      case .id: "k"
      case .field(let name): "f" + PageKey.hex(Array(name.utf8))
      }
    let key =
      switch position.key {
      case .none: "n"
      case .truth(let value): value ? "t" : "f"
      case .integer(let value): "i\(value)"
      case .number(let value): "d" + String(value.bitPattern, radix: 16)
      case .text(let bytes): "s" + PageKey.hex(bytes)
      case .missing: "m"
      }
    let way = order.isDescending ? "-" : "+"
    return "p1.\(way)\(field).\(position.created).\(position.createdIndex).\(key)"
  }

  /// Reads the text of a key; nil when it is none.
  public init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "p1", let created = Int64(parts[2]),
      let createdIndex = Int(parts[3]), let order = PageKey.order(parts[1]),
      let key = PageKey.key(parts[4])
    else { return nil }
    self.init(
      order: order, position: Position(key: key, created: created, createdIndex: createdIndex))
  }

  private static func order(_ text: Substring) -> Order? {
    guard let way = text.first, way == "+" || way == "-" else { return nil }
    let isDescending = way == "-"
    let rest = text.dropFirst()
    switch rest {
    case "i": return Order(by: .insertion, isDescending: isDescending)
    case "r": return Order(by: .revision, isDescending: isDescending)
    case "k": return Order(by: .id, isDescending: isDescending)
    default:
      guard rest.first == "f", let bytes = bytes(rest.dropFirst()),
        let name = String(validating: bytes, as: UTF8.self)
      else { return nil }
      return Order(by: .field(name), isDescending: isDescending)
    }
  }

  private static func key(_ text: Substring) -> SortKey? {
    switch text {
    case "n": return SortKey.none
    case "t": return .truth(true)
    case "f": return .truth(false)
    case "m": return .missing
    default:
      let rest = text.dropFirst()
      switch text.first {
      case "i": return Int64(rest).map { .integer($0) }
      case "d":
        guard let number = UInt64(rest, radix: 16).map(Double.init(bitPattern:)), !number.isNaN
        else { return nil }
        return .number(number)
      case "s": return bytes(rest).map { .text($0) }
      default: return nil
      }
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func bytes(_ hex: Substring) -> [UInt8]? {
    let digits = Array(hex.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for at in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[at..<(at + 2)], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

/// Some of the items that a query holds, as of one commit.
public struct Page: Sendable, Hashable {
  /// The commit the page is of; pages asked for with it are of the same state.
  public let token: Token
  /// The items, in the query's order.
  public let records: [Record]
  /// Where the next page begins; nil when there is nothing behind this one.
  public let next: PageKey?

  /// Makes a page.
  public init(token: Token, records: [Record], next: PageKey?) {
    self.token = token
    self.records = records
    self.next = next
  }
}

/// Picks the items of a page out of all.
struct PageSelection {
  let query: Query
  let after: PageKey?
  let limit: Int
  private var rows: [(position: Position, record: Record)] = []

  /// Refuses what makes no sense.
  init(_ query: Query, after: PageKey?, limit: Int) throws(StoreError) {
    if limit < 1 {
      throw StoreError(.invalidQuery, "a page of \(limit) items; ask for at least one")
    }
    if let after, after.order != query.order {
      throw StoreError(
        .invalidQuery, "the page key is of another order than the query; begin with the first page")
    }
    self.query = query
    self.after = after
    // One more tells whether there is a next page.
    self.limit = limit == .max ? limit : limit + 1
  }

  /// True when items come in the page's own order and there are enough.
  var isFull: Bool { rows.count >= limit }

  mutating func add(_ record: Record) {
    guard query.matches(record.id) else { return }
    let position = query.order.position(of: record)
    if let after, !query.order.puts(after.position, before: position) { return }
    rows.append((position, record))
    // Sorting now and then keeps little more than a page.
    if query.order.by != .insertion, rows.count / 4 > limit, rows.count > 4096 { trim() }
  }

  private mutating func trim() {
    rows.sort { query.order.puts($0.position, before: $1.position) }
    if rows.count > limit { rows.removeSubrange(limit...) }
  }

  mutating func page(_ token: Token) -> Page {
    if query.order.by != .insertion { trim() }
    let hasMore = rows.count == limit && limit != .max
    if hasMore { rows.removeLast() }
    let next = hasMore ? rows.last.map { PageKey(order: query.order, position: $0.position) } : nil
    return Page(token: token, records: rows.map(\.record), next: next)
  }
}
