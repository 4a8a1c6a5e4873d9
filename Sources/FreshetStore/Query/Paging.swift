/// What is kept from one page for the next: the state that they are of, and its rows in their order.
///
/// Of one reader at a time, until the last page, a compaction, or the next reader.
struct Paging: Sendable {
  struct Row: Sendable {
    var position: Position
    /// The entry in the state's index.
    var number: Int
  }

  let log: LogState
  /// The query that `rows` are of; nil when none were sorted.
  private(set) var query: Query?
  private var rows: [Row] = []

  init(_ log: LogState) { self.log = log }

  /// Sorts all rows of a query.
  ///
  /// O(n log n).
  mutating func sort(_ query: Query) throws(StoreError) {
    rows = []
    self.query = query
    var window = RecordWindow()
    for number in 0..<log.index.count {
      let entry = log.index[number]
      guard entry.state == .live else { continue }
      let known = try log.index.knownOrigin(of: number, entry)
      let record = try window.record(log.index.location(of: entry), entry, known, in: query)
      guard let record else { continue }
      rows.append(Row(position: query.order.position(of: record), number: number))
    }
    rows.sort { query.order.puts($0.position, before: $1.position) }
  }

  /// The sorted rows behind a position.
  ///
  /// O(log n).
  func rows(behind position: Position) -> ArraySlice<Row> {
    guard let order = query?.order else { return [] }
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if order.puts(position, before: rows[middle].position) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return rows[low...]
  }

  /// A row's item.
  func record(_ row: Row) throws(StoreError) -> Record {
    let entry = log.index[row.number]
    let known = try log.index.knownOrigin(of: row.number, entry)
    return try log.index.location(of: entry).read { Record($0, entry, known) }
  }
}
