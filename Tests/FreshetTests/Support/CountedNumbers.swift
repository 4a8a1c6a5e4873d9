/// Numbers that take note of being pulled.
struct CountedNumbers: Sequence, Sendable {
  let range: ClosedRange<Int>
  let pulls: Seen<Int>

  init(_ range: ClosedRange<Int>, pulls: Seen<Int>) {
    self.range = range
    self.pulls = pulls
  }

  func makeIterator() -> Iterator {
    Iterator(number: range.lowerBound, last: range.upperBound, pulls: pulls)
  }

  struct Iterator: IteratorProtocol {
    var number: Int
    let last: Int
    let pulls: Seen<Int>

    mutating func next() -> Int? {
      guard number <= last else { return nil }
      defer { number += 1 }
      pulls.add(number)
      return number
    }
  }
}
