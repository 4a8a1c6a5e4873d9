/// A pipeline as it is typed: a source, and the stages that its values go through.
///
///     range(1..1000000) | map(*3) | filter(even) | scan(+) | take(10)
struct Pipeline: Equatable, Sendable {
  /// Where the values come from.
  enum Source: Equatable, Sendable {
    /// The whole numbers from the first to the last.
    case range(ClosedRange<Int>)
    /// The lines of a file, as text; `-` is standard input.
    case lines(String)
    /// Numbers sent into a publish subject, with so many observers of the pipeline.
    case subject(observers: Int)
    /// Numbers from 0, one each time so much time has passed.
    case timer(Duration)

    /// What comes out of it.
    var kind: Kind { if case .lines = self { .text } else { .numbers } }
  }

  /// What kind of values goes from one stage to the next.
  enum Kind: String, Sendable {
    case numbers
    case text
    case lists
  }

  /// A stage, and where it stands in the text.
  struct Stage: Equatable, Sendable {
    let operation: PipelineOperation
    /// The first character is column 1.
    let column: Int
  }

  let source: Source
  let stages: [Stage]

  /// Whether values may reach the end on another thread, or later.
  var isAsynchronous: Bool {
    if case .timer = source { return true }
    return stages.contains { $0.operation.isAsynchronous }
  }
}

/// What one stage does.
enum PipelineOperation: Equatable, Sendable {
  case map(Change)
  case mapText(TextChange)
  case mapList(Combination)
  case filter(Test)
  case filterText(String)
  case takeWhile(Test)
  case skipWhile(Test)
  case scan(Combination)
  case reduce(Combination)
  case take(Int)
  case skip(Int)
  case takeLast(Int)
  case skipLast(Int)
  case first
  case last
  case count
  case distinct
  case distinctUntilChanged
  case startWith(Int)
  case buffer(Int)
  case flatten
  case flatMap(Int)
  case concatMap(Int)
  case switchMap(Int)
  case merge(ClosedRange<Int>)
  case zip(ClosedRange<Int>)
  case share
  case observe
  case debounce(Duration)
  case throttle(Duration)
  case delay(Duration)

  /// What happens to one number; results wrap around instead of overflowing.
  enum Change: Equatable, Sendable {
    case plus(Int)
    case minus(Int)
    case times(Int)
    /// Never by 0.
    case divided(Int)
    case remainder(Int)
    case square
    case negated
  }

  /// What happens to one line.
  enum TextChange: String, Equatable, Sendable {
    case length
    case upper
    case lower
  }

  /// Which numbers pass.
  enum Test: Equatable, Sendable {
    case even
    case odd
    case less(Int)
    case lessOrEqual(Int)
    case more(Int)
    case moreOrEqual(Int)
    case equal(Int)
    case notEqual(Int)
  }

  /// How two numbers become one; sums and products wrap around.
  enum Combination: String, Equatable, Sendable {
    case sum = "+"
    case product = "*"
    case max
    case min
  }

  var isAsynchronous: Bool {
    switch self {
    case .observe, .debounce, .throttle, .delay: true
    default: false
    }
  }
}
