/// The operators of a pipeline: how each is written, and on what it works.
enum PipelineStages {
  /// An operator's line in the help.
  struct Form {
    let name: String
    let written: String
    let meaning: String
  }

  static let forms: [Form] = [
    .init(
      name: "map", written: "map(*3)",
      meaning: "also + - / %, square, negate; of lines: length, upper, lower; of lists: + * max min"
    ),
    .init(
      name: "filter", written: "filter(even)",
      meaning: "also odd, <9 <=9 >9 >=9 ==9 !=9; of lines: contains \"x\""),
    .init(name: "scan", written: "scan(+)", meaning: "also * max min"),
    .init(name: "reduce", written: "reduce(+)", meaning: "also * max min"),
    .init(name: "take", written: "take(10)", meaning: "the first"),
    .init(name: "skip", written: "skip(10)", meaning: "all but the first"),
    .init(name: "takeLast", written: "takeLast(10)", meaning: "the last"),
    .init(name: "skipLast", written: "skipLast(10)", meaning: "all but the last"),
    .init(
      name: "takeWhile", written: "takeWhile(<100)", meaning: "up to the first that fails the test"),
    .init(
      name: "skipWhile", written: "skipWhile(<100)", meaning: "from the first that fails the test"),
    .init(name: "first", written: "first", meaning: "the first alone"),
    .init(name: "last", written: "last", meaning: "the last alone"),
    .init(name: "count", written: "count", meaning: "how many"),
    .init(name: "distinct", written: "distinct", meaning: "each value once"),
    .init(
      name: "distinctUntilChanged", written: "distinctUntilChanged",
      meaning: "no value twice in a row"),
    .init(name: "startWith", written: "startWith(0)", meaning: "a number first"),
    .init(name: "buffer", written: "buffer(100)", meaning: "lists of so many"),
    .init(name: "flatten", written: "flatten", meaning: "lists one by one"),
    .init(name: "flatMap", written: "flatMap(3)", meaning: "each becomes so many, merged"),
    .init(name: "concatMap", written: "concatMap(3)", meaning: "each becomes so many, in turn"),
    .init(
      name: "switchMap", written: "switchMap(3)", meaning: "each becomes so many, the newest only"),
    .init(name: "merge", written: "merge(1..100)", meaning: "with a range"),
    .init(name: "zip", written: "zip(1..100)", meaning: "added to a range, pair by pair"),
    .init(name: "share", written: "share", meaning: "through one shared subscription"),
    .init(name: "observe", written: "observe", meaning: "on another thread from here on"),
    .init(name: "debounce", written: "debounce(5ms)", meaning: "the last before a silence"),
    .init(name: "throttle", written: "throttle(5ms)", meaning: "at most one in so much time"),
    .init(name: "delay", written: "delay(5ms)", meaning: "all later by so much"),
  ]

  typealias Call = PipelineParser.Call

  static func operation(
    _ call: Call, on kind: Pipeline.Kind
  ) throws(PipelineFault) -> PipelineOperation {
    switch call.name {
    case "map": try change(call, on: kind)
    case "filter": try filter(call, on: kind)
    case "scan": .scan(try combination(call))
    case "reduce": .reduce(try combination(call))
    case "take": .take(try call.number(atLeast: 0))
    case "skip": .skip(try call.number(atLeast: 0))
    case "takeLast": .takeLast(try call.number(atLeast: 0))
    case "skipLast": .skipLast(try call.number(atLeast: 0))
    case "takeWhile": .takeWhile(try test(call))
    case "skipWhile": .skipWhile(try test(call))
    case "first": try plain(call, .first)
    case "last": try plain(call, .last)
    case "count": try plain(call, .count)
    case "distinct": try plain(call, .distinct)
    case "distinctUntilChanged": try plain(call, .distinctUntilChanged)
    case "startWith": .startWith(try call.number())
    case "buffer": .buffer(try call.number(atLeast: 1))
    case "flatten": try plain(call, .flatten)
    case "flatMap": .flatMap(try call.number(atLeast: 0))
    case "concatMap": .concatMap(try call.number(atLeast: 0))
    case "switchMap": .switchMap(try call.number(atLeast: 0))
    case "merge": .merge(try call.range())
    case "zip": .zip(try call.range())
    case "share": try plain(call, .share)
    case "observe": try plain(call, .observe)
    case "debounce": .debounce(try call.duration())
    case "throttle": .throttle(try call.duration())
    case "delay": .delay(try call.duration())
    default: throw unknown(call)
    }
  }

  private static func unknown(_ call: Call) -> PipelineFault {
    let names = forms.map(\.name)
    let near = NearestMatch.of(call.name, among: names).map { "; did you mean \($0)?" }
    let isSource = PipelineParser.sources.contains(call.name)
    return PipelineFault(
      column: call.column,
      message: isSource
        ? "\(call.name) is a source and can only stand first"
        : "unknown operator “\(call.name)”" + (near ?? "; see: freshet help bench"))
  }

  /// What comes out of an operator that was given values of a kind.
  static func kind(
    after operation: PipelineOperation, on kind: Pipeline.Kind, _ call: Call
  ) throws(PipelineFault) -> Pipeline.Kind {
    switch operation {
    case .mapText(let change): change == .length ? .numbers : .text
    case .mapList: .numbers
    case .filterText: .text
    case .count: .numbers
    case .take, .skip, .takeLast, .skipLast, .first, .last, .share, .observe, .debounce, .throttle,
      .delay:
      kind
    case .distinct, .distinctUntilChanged:
      if kind == .lists { throw wrong(call, wants: "numbers or text", kind) } else { kind }
    case .buffer:
      if kind == .numbers { .lists } else { throw wrong(call, wants: "numbers", kind) }
    case .flatten:
      if kind == .lists { .numbers } else { throw wrong(call, wants: "lists", kind) }
    default:
      if kind == .numbers { .numbers } else { throw wrong(call, wants: "numbers", kind) }
    }
  }

  private static func wrong(
    _ call: Call, wants: String, _ kind: Pipeline.Kind
  ) -> PipelineFault {
    PipelineFault(
      column: call.column,
      message: "\(call.name) takes \(wants), but \(kind.rawValue) come here")
  }

  private static func plain(
    _ call: Call, _ operation: PipelineOperation
  ) throws(PipelineFault) -> PipelineOperation {
    try call.nothing()
    return operation
  }

  // MARK: Arguments

  private static func change(
    _ call: Call, on kind: Pipeline.Kind
  ) throws(PipelineFault) -> PipelineOperation {
    switch kind {
    case .lists: return .mapList(try combination(call))
    case .text:
      guard let change = PipelineOperation.TextChange(rawValue: try call.text("what to do")) else {
        throw call.argumentFault("lines are mapped by length, upper or lower")
      }
      return .mapText(change)
    case .numbers: break
    }
    let text = try call.text("what to do")
    if text == "square" { return .map(.square) }
    if text == "negate" { return .map(.negated) }
    guard let sign = text.first, let number = Call.number(text.dropFirst()) else {
      throw call.argumentFault("numbers are mapped by *3, +3, -3, /3, %3, square or negate")
    }
    switch sign {
    case "+": return .map(.plus(number))
    case "-": return .map(.minus(number))
    case "*": return .map(.times(number))
    case "/", "%":
      if number == 0 { throw call.argumentFault("nothing can be divided by 0") }
      return .map(sign == "/" ? .divided(number) : .remainder(number))
    default: throw call.argumentFault("“\(sign)” is none of + - * / %")
    }
  }

  private static func filter(
    _ call: Call, on kind: Pipeline.Kind
  ) throws(PipelineFault) -> PipelineOperation {
    guard kind == .text else { return .filter(try test(call)) }
    let text = try call.text("a test")[...]
    guard text.hasPrefix("contains") else {
      throw call.argumentFault("lines are filtered by contains \"text\"")
    }
    let needle = text.dropFirst("contains".count).trimmingWhitespace
    guard needle.count > 2, needle.first == "\"", needle.last == "\"" else {
      throw call.argumentFault("the text to look for stands in quotes: contains \"x\"")
    }
    return .filterText(String(needle.dropFirst().dropLast()))
  }

  private static func test(_ call: Call) throws(PipelineFault) -> PipelineOperation.Test {
    let text = try call.text("a test")[...]
    if text == "even" { return .even }
    if text == "odd" { return .odd }
    let signs: [(String, (Int) -> PipelineOperation.Test)] = [
      ("<=", { .lessOrEqual($0) }), (">=", { .moreOrEqual($0) }), ("==", { .equal($0) }),
      ("!=", { .notEqual($0) }), ("<", { .less($0) }), (">", { .more($0) }),
    ]
    for (sign, make) in signs where text.hasPrefix(sign) {
      if let number = Call.number(text.dropFirst(sign.count)) { return make(number) }
    }
    throw call.argumentFault("\(call.name) takes even, odd, or a comparison such as <100")
  }

  private static func combination(
    _ call: Call
  ) throws(PipelineFault) -> PipelineOperation.Combination {
    guard let combination = PipelineOperation.Combination(rawValue: try call.text("how")) else {
      throw call.argumentFault("\(call.name) takes +, *, max or min")
    }
    return combination
  }
}
