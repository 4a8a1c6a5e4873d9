import Freshet

/// A live list put into another order, commit by commit.
///
/// The list underneath is in the order of insertion. For each commit only the rows it touched are
/// looked for: O(changes × log n) comparisons.
struct OrderedList: Sendable {
  private let order: Order
  private var rows = RecordList()
  /// Where each row stands, to find it again when its key has changed.
  private var positions: [ItemKey: Position] = [:]

  init(_ order: Order) { self.order = order }

  /// The same element in this order.
  mutating func reorder(_ list: LiveList) -> LiveList {
    guard !list.isInitial, let changes = list.changes else { return begin(list) }
    let touched = after(list, changes)
    let diff = apply(touched)
    return LiveList(
      token: list.token, rows: rows, diff: diff, changes: changes, isInitial: false)
  }

  private mutating func begin(_ list: LiveList) -> LiveList {
    var sorted = list.rows.map { (position: order.position(of: $0), record: $0) }
    sorted.sort { order.puts($0.position, before: $1.position) }
    positions = [:]
    positions.reserveCapacity(sorted.count)
    for row in sorted { positions[key(row.record)] = row.position }
    rows = RecordList(sorted.map(\.record))
    return LiveList(
      token: list.token, rows: rows, diff: ListDiff(), changes: list.changes,
      isInitial: list.isInitial)
  }

  private func key(_ record: Record) -> ItemKey { ItemKey(Array(record.id.utf8)) }

  /// The rows that the commit touched, as they are after it; nil for those that are gone.
  private func after(_ list: LiveList, _ changes: ChangeSet) -> [(key: ItemKey, record: Record?)] {
    var places: [String: Int] = [:]
    for row in list.diff.inserted { places[row.id] = row.index }
    for move in list.diff.moved { places[move.id] = move.to }
    var last: [ItemKey: Change] = [:]
    var keys: [ItemKey] = []
    for change in changes.changes {
      let key = ItemKey(Array(change.id.utf8))
      if last.updateValue(change, forKey: key) == nil { keys.append(key) }
    }
    return keys.map { key in
      guard let change = last[key], change.kind != .removed else { return (key, nil) }
      if let place = places[change.id] { return (key, list.rows[place]) }
      // Changed where it was: it is known from before.
      guard let position = positions[key], let at = index(of: position) else { return (key, nil) }
      let old = rows[at]
      return (
        key,
        Record(
          id: old.id, revision: list.token.revision, created: old.created,
          createdIndex: old.createdIndex, isDeleted: false, body: change.body ?? old.body)
      )
    }
  }

  private func position(ofRow row: Int) -> Position {
    let record = rows[row]
    return positions[key(record)] ?? order.position(of: record)
  }

  /// The first row that is not before a position.
  private func place(_ position: Position) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if order.puts(self.position(ofRow: middle), before: position) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private func index(of position: Position) -> Int? {
    let at = place(position)
    return at < rows.count && self.position(ofRow: at) == position ? at : nil
  }

  /// A touched row's places and bodies before and after.
  private struct Touch {
    var id: String
    var from: Int?
    var to: Int?
    var before: ArraySlice<UInt8>?
    var after: ArraySlice<UInt8>?
  }

  private mutating func apply(_ touched: [(key: ItemKey, record: Record?)]) -> ListDiff {
    var touches = touched.map { key, record -> Touch in
      let from = positions[key].flatMap { index(of: $0) }
      let before = from.map { rows[$0] }
      return Touch(
        id: record?.id ?? before?.id ?? "", from: from, before: before?.rawBody,
        after: record?.rawBody)
    }
    for at in touches.compactMap(\.from).sorted(by: >) { rows.remove(at: at) }
    for (key, record) in touched {
      guard let record else {
        positions[key] = nil
        continue
      }
      let position = order.position(of: record)
      positions[key] = position
      rows.insert(record, at: place(position))
    }
    for (number, (key, record)) in touched.enumerated() where record != nil {
      touches[number].to = positions[key].flatMap { index(of: $0) }
    }
    return diff(touches)
  }

  private func diff(_ touches: [Touch]) -> ListDiff {
    var diff = ListDiff()
    // A row's rank among those that nobody touched tells whether it has moved among them.
    let oldRanks = Ranks(touches.compactMap(\.from))
    let newRanks = Ranks(touches.compactMap(\.to))
    var updated: [ListDiff.Row] = []
    for touch in touches {
      switch (touch.from, touch.to) {
      case (nil, nil): break
      case (nil, let to?): diff.inserted.append(.init(id: touch.id, index: to))
      case (let from?, nil): diff.removed.append(.init(id: touch.id, index: from))
      case (let from?, let to?):
        let (old, new) = (oldRanks.rank(of: from), newRanks.rank(of: to))
        if old.rank != new.rank || old.isShared || new.isShared {
          diff.moved.append(.init(id: touch.id, from: from, to: to))
        }
        if touch.before != touch.after { updated.append(.init(id: touch.id, index: to)) }
      }
    }
    diff.inserted.sort { $0.index < $1.index }
    diff.removed.sort { $0.index < $1.index }
    diff.moved.sort { $0.to < $1.to }
    diff.updated = updated.sorted { $0.index < $1.index }.map(\.id)
    return diff
  }

  /// How many untouched rows are before a touched one, and whether another touched row stands
  /// between the same two.
  private struct Ranks {
    private let ranks: [Int: Int]
    private let counts: [Int: Int]

    init(_ indices: [Int]) {
      var ranks: [Int: Int] = [:]
      var counts: [Int: Int] = [:]
      for (number, index) in indices.sorted().enumerated() {
        ranks[index] = index - number
        counts[index - number, default: 0] += 1
      }
      self.ranks = ranks
      self.counts = counts
    }

    func rank(of index: Int) -> (rank: Int, isShared: Bool) {
      let rank = ranks[index] ?? index
      return (rank, counts[rank, default: 0] > 1)
    }
  }
}

/// Puts each list into another order on its way down.
struct ReorderingObserver<Downstream: Observer>: Observer
where Downstream.Element == LiveList, Downstream.Failure == StoreError {
  typealias Element = LiveList
  typealias Failure = StoreError

  private var downstream: Downstream
  private var list: OrderedList

  static var mayPause: Bool { Downstream.mayPause }

  init(_ downstream: Downstream, _ order: Order) {
    self.downstream = downstream
    list = OrderedList(order)
  }

  mutating func start(_ subscription: Subscription) { downstream.start(subscription) }

  mutating func receive(_ value: LiveList) -> Answer { downstream.receive(list.reorder(value)) }

  mutating func end(_ end: End<StoreError>) { downstream.end(end) }
}
