import Freshet

// Chains of many stages. The helpers stand for those that users write: each takes some flow and
// gives some flow.

@inline(__always)
func ten<F: Flow>(_ flow: F) -> some Flow<Int, Never>
where F.Element == Int, F.Failure == Never {
  flow.map { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }.map { $0 ^ 4 }.map { $0 &+ 5 }
    .map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }.map { $0 &+ 9 }.map { $0 ^ 10 }
}

@inline(__always)
func handTenSteps(_ value: Int) -> Int {
  var m = value &+ 1
  m ^= 2
  m &+= 3
  m ^= 4
  m &+= 5
  m ^= 6
  m &+= 7
  m ^= 8
  m &+= 9
  m ^= 10
  return m
}

@inline(never)
func handForty(_ count: Int) -> Int {
  var sum = 0
  for value in 0..<count {
    sum = mix(sum, handTenSteps(handTenSteps(handTenSteps(handTenSteps(value)))))
  }
  return sum
}

@inline(never)
func flowForty(_ count: Int) -> Int {
  only(ten(ten(ten(ten((0..<count).flow)))).reduce(0) { mix($0, $1) })
}

@inline(never)
func handHundred(_ count: Int) -> Int {
  var sum = 0
  for value in 0..<count {
    var m = handTenSteps(handTenSteps(handTenSteps(handTenSteps(handTenSteps(value)))))
    m = handTenSteps(handTenSteps(handTenSteps(handTenSteps(handTenSteps(m)))))
    sum = mix(sum, m)
  }
  return sum
}

@inline(never)
func flowHundred(_ count: Int) -> Int {
  let fifty = ten(ten(ten(ten(ten((0..<count).flow)))))
  return only(ten(ten(ten(ten(ten(fifty))))).reduce(0) { mix($0, $1) })
}

// Every stage here has something of its own in its closure, and every second one may drop.

@inline(__always)
func plus(_ value: Int, _ other: Int) -> Int { value &+ other }

@inline(__always)
func keeps(_ value: Int, _ mask: Int, _ other: Int) -> Bool { value & mask != other }

@inline(__always)
func handMixedSteps(_ value: Int, _ a: Int, _ b: Int) -> Int? {
  var m = plus(value, a)
  if !keeps(m, 1023, b) { return nil }
  m = plus(m, b)
  if !keeps(m, 1023, a) { return nil }
  m = plus(m, 3)
  if !keeps(m, 2047, b) { return nil }
  m = plus(m, a)
  if !keeps(m, 2047, a) { return nil }
  m = plus(m, 5)
  if !keeps(m, 4095, b) { return nil }
  return m
}

@inline(never)
func handMixedHundred(_ count: Int, _ a: Int, _ b: Int) -> Int {
  var sum = 0
  for value in 0..<count {
    guard let first = handMixedSteps(value, a, b), let second = handMixedSteps(first, a, b),
      let third = handMixedSteps(second, a, b), let fourth = handMixedSteps(third, a, b),
      let fifth = handMixedSteps(fourth, a, b), let sixth = handMixedSteps(fifth, a, b),
      let seventh = handMixedSteps(sixth, a, b), let eighth = handMixedSteps(seventh, a, b),
      let ninth = handMixedSteps(eighth, a, b), let tenth = handMixedSteps(ninth, a, b)
    else { continue }
    sum = mix(sum, tenth)
  }
  return sum
}

/// The same with `hide()` after every twenty stages.
@inline(never)
func flowMixedHundredApart(_ count: Int, _ a: Int, _ b: Int) -> Int {
  let first = twenty((0..<count).flow, a, b).hide()
  let second = twenty(twenty(first, a, b).hide(), a, b).hide()
  return only(twenty(twenty(second, a, b).hide(), a, b).reduce(0) { mix($0, $1) })
}

@inline(__always)
func twenty<F: Flow>(_ flow: F, _ a: Int, _ b: Int) -> some Flow<Int, Never>
where F.Element == Int, F.Failure == Never {
  let tenth =
    flow
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  return
    tenth
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
}

@inline(never)
func flowMixedHundred(_ count: Int, _ a: Int, _ b: Int) -> Int {
  let first = (0..<count).flow
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let second =
    first
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let third =
    second
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let fourth =
    third
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let fifth =
    fourth
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let sixth =
    fifth
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let seventh =
    sixth
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let eighth =
    seventh
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let ninth =
    eighth
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  let tenth =
    ninth
    .map { plus($0, a) }.filter { keeps($0, 1023, b) }
    .map { plus($0, b) }.filter { keeps($0, 1023, a) }
    .map { plus($0, 3) }.filter { keeps($0, 2047, b) }
    .map { plus($0, a) }.filter { keeps($0, 2047, a) }
    .map { plus($0, 5) }.filter { keeps($0, 4095, b) }
  return only(tenth.reduce(0) { mix($0, $1) })
}

/// The hundred steps as closures that have captured their values, which nothing sees through.
@inline(never)
func handClosures(_ a: Int, _ b: Int) -> [@Sendable (Int) -> Int?] {
  var steps: [@Sendable (Int) -> Int?] = []
  for _ in 0..<10 {
    steps += [
      { plus($0, a) }, { keeps($0, 1023, b) ? $0 : nil },
      { plus($0, b) }, { keeps($0, 1023, a) ? $0 : nil },
      { plus($0, 3) }, { keeps($0, 2047, b) ? $0 : nil },
      { plus($0, a) }, { keeps($0, 2047, a) ? $0 : nil },
      { plus($0, 5) }, { keeps($0, 4095, b) ? $0 : nil },
    ]
  }
  return steps
}

/// Calls one closure after the other.
@inline(never)
func handClosureLoop(_ count: Int, _ steps: [@Sendable (Int) -> Int?]) -> Int {
  var sum = 0
  values: for value in 0..<count {
    var m = value
    for step in steps {
      guard let result = step(m) else { continue values }
      m = result
    }
    sum = mix(sum, m)
  }
  return sum
}

/// One closure that holds the one before it, and so on.
@inline(never)
func handClosureNest(_ steps: [@Sendable (Int) -> Int?]) -> @Sendable (Int) -> Int? {
  steps.dropFirst().reduce(steps[0]) { before, step in
    { value in if let result = before(value) { step(result) } else { nil } }
  }
}

@inline(never)
func handClosureCalls(_ count: Int, _ whole: @Sendable (Int) -> Int?) -> Int {
  var sum = 0
  for value in 0..<count {
    if let result = whole(value) { sum = mix(sum, result) }
  }
  return sum
}

/// A chain whose stages know nothing of one another.
@inline(never)
func flowErasedStages(_ count: Int, stages: Int) -> Int {
  var flow = (0..<count).flow.erased()
  for stage in 0..<stages { flow = flow.map { $0 &+ stage }.erased() }
  return sum(flow) == 1 ? 1 : 0
}

func depthCases(_ runner: Runner) {
  let count = 20_000
  runner.compare(
    "depth/40-maps", values: count * 40, reach: 2,
    floor: { handForty(count) }, flow: { flowForty(count) })
  runner.compare(
    "depth/100-maps", values: count * 100, reach: 2,
    floor: { handHundred(count) }, flow: { flowHundred(count) })
  runner.compare(
    "depth/100-maps-and-filters", values: count * 100, reach: 2,
    floor: { handMixedHundred(count, 17, 500) }, flow: { flowMixedHundred(count, 17, 500) })
  runner.compare(
    "depth/100-maps-and-filters-hide-each-20", values: count * 100, reach: 2,
    floor: { handMixedHundred(count, 17, 500) }, flow: { flowMixedHundredApart(count, 17, 500) })
  let steps = handClosures(17, 500)
  runner.compare(
    "depth/100-maps-and-filters-against-closures", values: count * 100, reach: 1,
    floor: { handClosureLoop(count, steps) }, flow: { flowMixedHundred(count, 17, 500) })
  let whole = handClosureNest(steps)
  runner.compare(
    "depth/100-maps-and-filters-against-nest", values: count * 100, reach: 1,
    floor: { handClosureCalls(count, whole) }, flow: { flowMixedHundred(count, 17, 500) })
  let few = 1000
  runner.compare(
    "depth/100-erased-against-10-per-stage", values: few * 100, reach: 2,
    floor: { flowErasedStages(few * 10, stages: 10) },
    flow: { flowErasedStages(few, stages: 100) })
}
