/// The rows of a live list.
///
/// Lists that follow each other share what has not changed: taking one element more or less copies
/// a few hundred rows, however long the list is.
public struct RecordList: Sendable {
  private static let chunkLimit = 256

  /// None is empty.
  private var chunks: [[Record]] = []
  /// The index of each chunk's first row.
  private var starts: [Int] = []
  /// The number of rows.
  public private(set) var count = 0

  /// The rows of an array.
  public init(_ records: [Record] = []) {
    var at = 0
    while at < records.count {
      let end = Swift.min(at + RecordList.chunkLimit / 2, records.count)
      starts.append(at)
      chunks.append(Array(records[at..<end]))
      at = end
    }
    count = records.count
  }

  /// The number of the chunk that a row is in.
  private func chunk(of row: Int) -> Int {
    var low = 0
    var high = starts.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= row { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// The first row that is not before a place in list order.
  func place(_ origin: Origin) -> Int {
    var low = 0
    var high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle][chunks[middle].count - 1].origin < origin {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < chunks.count else { return count }
    let chunk = chunks[low]
    var first = 0
    var last = chunk.count
    while first < last {
      let middle = (first + last) / 2
      if chunk[middle].origin < origin { first = middle + 1 } else { last = middle }
    }
    return starts[low] + first
  }

  /// The row at a place in list order, if there is one.
  func row(at origin: Origin) -> (index: Int, record: Record)? {
    let index = place(origin)
    guard index < count else { return nil }
    let record = self[index]
    return record.origin == origin ? (index, record) : nil
  }

  mutating func replace(_ record: Record, at row: Int) {
    let chunk = chunk(of: row)
    chunks[chunk][row - starts[chunk]] = record
  }

  mutating func insert(_ record: Record, at row: Int) {
    count += 1
    if chunks.isEmpty {
      chunks = [[record]]
      starts = [0]
      return
    }
    let chunk = chunk(of: row)
    chunks[chunk].insert(record, at: row - starts[chunk])
    for later in (chunk + 1)..<Swift.max(starts.count, chunk + 1) { starts[later] += 1 }
    guard chunks[chunk].count > RecordList.chunkLimit else { return }
    let half = chunks[chunk].count / 2
    let rest = Array(chunks[chunk][half...])
    chunks[chunk].removeSubrange(half...)
    chunks.insert(rest, at: chunk + 1)
    starts.insert(starts[chunk] + half, at: chunk + 1)
  }

  mutating func remove(at row: Int) {
    let chunk = chunk(of: row)
    chunks[chunk].remove(at: row - starts[chunk])
    count -= 1
    for later in (chunk + 1)..<Swift.max(starts.count, chunk + 1) { starts[later] -= 1 }
    if chunks[chunk].isEmpty {
      chunks.remove(at: chunk)
      starts.remove(at: chunk)
    }
  }
}

extension RecordList: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { count }

  /// The row at an index.
  ///
  /// - Complexity: O(log n).
  public subscript(position: Int) -> Record {
    precondition(position >= 0 && position < count, "a row's index is less than the count")
    let chunk = chunk(of: position)
    return chunks[chunk][position - starts[chunk]]
  }

  /// Goes through the rows in their order.
  public struct Iterator: IteratorProtocol {
    fileprivate let chunks: [[Record]]
    fileprivate var chunk = 0
    fileprivate var row = 0

    /// The next row.
    public mutating func next() -> Record? {
      guard chunk < chunks.count else { return nil }
      defer {
        row += 1
        if row == chunks[chunk].count {
          chunk += 1
          row = 0
        }
      }
      return chunks[chunk][row]
    }
  }

  /// Begins with the first row.
  public func makeIterator() -> Iterator { Iterator(chunks: chunks) }
}

extension RecordList: Hashable {
  /// True when the rows are equal.
  public static func == (a: RecordList, b: RecordList) -> Bool {
    a.count == b.count && a.elementsEqual(b)
  }

  /// Feeds what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for record in self { hasher.combine(record) }
  }
}
