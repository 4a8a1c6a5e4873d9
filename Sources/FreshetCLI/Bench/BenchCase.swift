import Synchronization

/// Something that `bench` can measure.
struct BenchCase: Sendable {
  let name: String
  let summary: String
  /// How many values a run has, where nothing else is said.
  let events: Int
  /// Does the work once, with so many values.
  let work: @Sendable (Int, Waiter) throws(Stop) -> Pass
  /// The least that the same result can cost, done by hand; nil where there is none.
  var floor: (@Sendable (Int, Waiter) throws(Stop) -> Pass)?
  /// The file that its values come from, if they do.
  var input: String?

  /// One run's outcome.
  struct Pass: Sendable {
    /// Nanoseconds per value of each part of the run.
    var nanoseconds: [Double]
    /// How many values went in; fewer than asked for where the pipeline stopped.
    var events: Int
    /// How many values came out at the end.
    var output: Int
  }

  /// A case of two functions that take a number of values and return something that depends on
  /// each, so that neither can be left out by the optimiser; the two must agree.
  static func loops(
    _ name: String, _ summary: String, events: Int = 1_000_000,
    floor: (@Sendable (Int) -> Int)?, work: @escaping @Sendable (Int) -> Int
  ) -> BenchCase {
    BenchCase(
      name: name, summary: summary, events: events, work: slicing(work), floor: floor.map(slicing))
  }

  static func slicing(
    _ body: @escaping @Sendable (Int) -> Int
  ) -> @Sendable (Int, Waiter) throws(Stop) -> Pass {
    { (count: Int, waiter: Waiter) throws(Stop) -> Pass in try sliced(count, waiter, body) }
  }

  /// Does the work in parts and times each.
  private static func sliced(
    _ count: Int, _ waiter: Waiter, _ body: (Int) -> Int
  ) throws(Stop) -> Pass {
    let slices = Slices(values: count)
    var sum = 0
    slices.mark()
    for part in 1...min(Slices.count, count) {
      let passed = slices.passed.load(ordering: .relaxed)
      // The last part has what does not fit into parts of one size.
      let end = part == Slices.count ? count : passed + slices.size
      var left = end - passed
      while left > 0 {
        // Long parts in pieces, so that a signal does not wait for their end.
        let piece = min(left, 1_000_000)
        sum &+= body(piece)
        left -= piece
        try waiter.checkSignal()
      }
      slices.passed.store(end, ordering: .relaxed)
      slices.mark()
    }
    Self.sink(sum)
    return Pass(nanoseconds: slices.nanoseconds, events: count, output: count)
  }

  /// Takes a result, so that the work for it is not left out.
  @inline(never)
  @_optimize(none)
  private static func sink(_ value: Int) {}
}
