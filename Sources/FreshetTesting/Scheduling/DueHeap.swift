import Freshet

/// A heap of entries ordered by due time, first come first served among equals.
struct DueHeap<Payload: Sendable>: Sendable {
  struct Entry: Sendable {
    let due: Moment
    let order: Int
    let payload: Payload

    func isBefore(_ other: Entry) -> Bool {
      due == other.due ? order < other.order : due < other.due
    }
  }

  private(set) var entries: [Entry] = []
  private var scheduled = 0
  private var placedFirst = Int.min

  var first: Entry? { entries.first }

  /// Inserts a payload after all others that are due at the same moment, or before them.
  mutating func insert(_ payload: Payload, due: Moment, isFirst: Bool = false) {
    if isFirst {
      entries.append(Entry(due: due, order: placedFirst, payload: payload))
      placedFirst += 1
    } else {
      entries.append(Entry(due: due, order: scheduled, payload: payload))
      scheduled += 1
    }
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].isBefore(entries[parent]) else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  mutating func popFirst() -> Entry? {
    guard !entries.isEmpty else { return nil }
    entries.swapAt(0, entries.count - 1)
    let first = entries.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].isBefore(entries[least]) { least = child }
      }
      guard least != parent else { return first }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
