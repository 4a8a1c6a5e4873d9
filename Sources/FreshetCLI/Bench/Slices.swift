import Freshet
import Synchronization

/// How long each part of a run took.
///
/// A run is cut into parts of the same number of values, and the clock is read between them: a run
/// then says how evenly it went, and reading the clock costs nothing that shows.
final class Slices: Sendable {
  /// How many parts a run has, where it has so many values.
  static let count = 64

  /// Values in a part.
  let size: Int
  /// How many values have gone by, written by whoever sends them.
  let passed = Atomic(0)
  private let marks = Mutex<[(time: ContinuousClock.Instant, passed: Int)]>([])

  init(values: Int) { size = max(1, values / Self.count) }

  /// Notes the time: before the first value, after each part, and at the end.
  func mark() {
    let mark = (ContinuousClock.now, passed.load(ordering: .relaxed))
    marks.withLock { $0.append(mark) }
  }

  /// Nanoseconds per value of each part; a pipeline that stops early ends with a short one.
  var nanoseconds: [Double] {
    let marks = marks.withLock { $0 }
    return zip(marks, marks.dropFirst()).compactMap { before, after in
      let values = after.passed - before.passed
      return values == 0 ? nil : before.time.duration(to: after.time).nanoseconds / Double(values)
    }
  }
}

extension Duration {
  var nanoseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e9 + Double(attoseconds) * 1e-9
  }
}

/// A sequence that notes the time between its parts, and ends early when its run is told to end.
struct SlicedSequence<Base: Sequence & Sendable>: Sequence, Sendable where Base.Element: Sendable {
  let base: Base
  let slices: Slices
  let waiter: Waiter

  func makeIterator() -> Iterator {
    Iterator(base: base.makeIterator(), slices: slices, waiter: waiter)
  }

  struct Iterator: IteratorProtocol {
    private var base: Base.Iterator
    private let slices: Slices
    private let waiter: Waiter
    /// Values before the next look at the time or at the waiter, and values left of the part then.
    private var left = 0
    private var partLeft: Int
    private var passed = 0

    /// So many values go by between two looks at the waiter.
    private static var stretch: Int { 1 << 16 }

    init(base: Base.Iterator, slices: Slices, waiter: Waiter) {
      self.base = base
      self.slices = slices
      self.waiter = waiter
      partLeft = slices.size
      slices.mark()
    }

    mutating func next() -> Base.Element? {
      if left == 0, !goOn() { return nil }
      guard let value = base.next() else { return nil }
      left -= 1
      passed += 1
      slices.passed.store(passed, ordering: .relaxed)
      return value
    }

    private mutating func goOn() -> Bool {
      if waiter.isStopped { return false }
      if partLeft == 0 {
        slices.mark()
        partLeft = slices.size
      }
      left = Swift.min(partLeft, Self.stretch)
      partLeft -= left
      return true
    }
  }
}
