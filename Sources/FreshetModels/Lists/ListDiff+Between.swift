import FreshetStore

extension ListDiff {
  /// How one list became another.
  ///
  /// Of the rows in both lists as many as possible stay where they are among their neighbours; only
  /// the others are `moved`. Replaying the difference as ``ListDiff`` says gives the new list.
  ///
  /// - Complexity: O(n log n) for n rows in both lists, O(n) when none moved.
  public init<Row: Identified>(from old: IdentifiedList<Row>, to new: IdentifiedList<Row>) {
    self.init()
    removed = old.rows.enumerated().compactMap { index, row in
      new.index(of: row.rowID) == nil ? ListDiff.Row(id: row.rowID, index: index) : nil
    }
    var kept: [(from: Int, to: Int)] = []
    for (index, row) in new.rows.enumerated() {
      guard let place = old.index(of: row.rowID) else {
        inserted.append(ListDiff.Row(id: row.rowID, index: index))
        continue
      }
      kept.append((place, index))
      if !old.rows[place].showsSame(as: row) { updated.append(row.rowID) }
    }
    let stays = LongestRise.places(of: kept.map(\.from))
    for (place, row) in kept.enumerated() where !stays[place] {
      moved.append(Move(id: new.rows[row.to].rowID, from: row.from, to: row.to))
    }
  }

  /// How one list became another, for rows that nobody has checked.
  ///
  /// - Throws: ``RepeatedID`` when an id comes twice in either list.
  public init<Row: Identified>(from old: [Row], to new: [Row]) throws(RepeatedID) {
    self.init(from: try IdentifiedList(checking: old), to: try IdentifiedList(checking: new))
  }
}

/// The longest rising selection of a list of different numbers.
enum LongestRise {
  /// True at each place that belongs to it.
  static func places(of numbers: [Int]) -> [Bool] {
    if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) {
      return Array(repeating: true, count: numbers.count)
    }
    // ends[k]: the place of the smallest number that ends a rise of length k + 1.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      let length = ends.partitioningIndex { numbers[$0] > number }
      before[place] = length == 0 ? nil : ends[length - 1]
      if length == ends.count { ends.append(place) } else { ends[length] = place }
    }
    var belongs = [Bool](repeating: false, count: numbers.count)
    var next = ends.last
    while let place = next {
      belongs[place] = true
      next = before[place]
    }
    return belongs
  }
}

extension Array {
  /// The first place where `fits` holds, of a list where it holds from some place on.
  fileprivate func partitioningIndex(_ fits: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
