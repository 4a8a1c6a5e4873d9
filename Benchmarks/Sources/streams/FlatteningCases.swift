import Freshet

/// A stream of one value as a closure that takes its observer as a closure.
@inline(never)
func handInner(_ value: Int) -> (@escaping (Int) -> Void) -> Void {
  { observer in observer(value &+ 1) }
}

/// Runs inner streams one after the other and passes on what they say.
final class HandFlattening {
  private let sink: HandNode
  @exclusivity(unchecked) private var latest = 0

  init(_ sink: HandNode) {
    self.sink = sink
  }

  @inline(never)
  func merge(_ inner: (@escaping (Int) -> Void) -> Void) {
    inner { [self] in sink.receive($0) }
  }

  /// Drops what an inner stream says that is not the latest one any more.
  @inline(never)
  func change(to inner: (@escaping (Int) -> Void) -> Void) {
    latest += 1
    let number = latest
    inner { [self] in
      if number == latest { sink.receive($0) }
    }
  }
}

@inline(never)
func handFlatMap(_ count: Int) -> Int {
  let sum = HandSum()
  let flattening = HandFlattening(sum)
  for value in 0..<count { flattening.merge(handInner(value)) }
  return sum.sum
}

@inline(never)
func handSwitchMap(_ count: Int) -> Int {
  let sum = HandSum()
  let flattening = HandFlattening(sum)
  for value in 0..<count { flattening.change(to: handInner(value)) }
  return sum.sum
}

@inline(never)
func flowFlatMap(_ count: Int) -> Int {
  sum((0..<count).flow.flatMap { Just($0 &+ 1) })
}

@inline(never)
func flowFlatMapSequences(_ count: Int) -> Int {
  sum((0..<count).flow.flatMap { CollectionOfOne($0 &+ 1).flow })
}

@inline(never)
func flowFlatMapThrice(_ count: Int) -> Int {
  sum(
    (0..<count).flow.flatMap { Just($0) }.flatMap { Just($0) }.flatMap { Just($0 &+ 1) })
}

@inline(never)
func flowSwitchMap(_ count: Int) -> Int {
  sum((0..<count).flow.switchMap { Just($0 &+ 1) })
}

@inline(never)
func flowSwitchMapSequences(_ count: Int) -> Int {
  sum((0..<count).flow.switchMap { CollectionOfOne($0 &+ 1).flow })
}

@inline(never)
func flowSwitchMapThrice(_ count: Int) -> Int {
  sum(
    (0..<count).flow.switchMap { Just($0) }.switchMap { Just($0) }.switchMap { Just($0 &+ 1) })
}

func flatteningCases(_ runner: Runner) {
  let count = 20_000
  runner.compare(
    "flat-map/1-element-inners", values: count, reach: 5,
    floor: { handFlatMap(count) }, flow: { flowFlatMap(count) })
  runner.compare(
    "flat-map/1-element-sequences", values: count, reach: 5,
    floor: { handFlatMap(count) }, flow: { flowFlatMapSequences(count) })
  runner.compare(
    "switch-map/1-element-inners", values: count, reach: 5,
    floor: { handSwitchMap(count) }, flow: { flowSwitchMap(count) })
  runner.compare(
    "switch-map/1-element-sequences", values: count, reach: 5,
    floor: { handSwitchMap(count) }, flow: { flowSwitchMapSequences(count) })
  runner.compare(
    "flat-map/3-in-a-row-against-1", values: count, reach: 6,
    floor: { flowFlatMap(count) }, flow: { flowFlatMapThrice(count) })
  runner.compare(
    "switch-map/3-in-a-row-against-1", values: count, reach: 6,
    floor: { flowSwitchMap(count) }, flow: { flowSwitchMapThrice(count) })
}
