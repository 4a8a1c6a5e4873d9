import Freshet

@inline(never)
func handChain(_ count: Int) -> Int {
  var sum = 0
  for value in 0..<count {
    let mapped = value &* 3
    if mapped & 1 == 0 { sum = mix(sum, mapped) }
  }
  return sum
}

@inline(never)
func flowChain(_ count: Int) -> Int {
  only((0..<count).flow.map { $0 &* 3 }.filter { $0 & 1 == 0 }.reduce(0) { mix($0, $1) })
}

@inline(never)
func handTen(_ count: Int) -> Int {
  var sum = 0
  for value in 0..<count {
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
    sum = mix(sum, m)
  }
  return sum
}

@inline(never)
func flowTen(_ count: Int) -> Int {
  only(
    (0..<count).flow.map { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }.map { $0 ^ 4 }
      .map { $0 &+ 5 }.map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }.map { $0 &+ 9 }
      .map { $0 ^ 10 }.reduce(0) { mix($0, $1) })
}

@inline(never)
func handTwenty(_ count: Int) -> Int {
  var sum = 0
  for value in 0..<count {
    var m = value &+ 1
    if m & 63 == 63 { continue }
    m &+= 3
    if m & 63 == 62 { continue }
    m &+= 5
    if m & 63 == 61 { continue }
    m &+= 7
    if m & 63 == 60 { continue }
    m &+= 9
    if m & 63 == 59 { continue }
    m &+= 1
    if m & 63 == 58 { continue }
    m &+= 3
    if m & 63 == 57 { continue }
    m &+= 5
    if m & 63 == 56 { continue }
    m &+= 7
    if m & 63 == 55 { continue }
    m &+= 9
    if m & 63 == 54 { continue }
    sum = mix(sum, m)
  }
  return sum
}

@inline(never)
func flowTwenty(_ count: Int) -> Int {
  only(
    (0..<count).flow
      .map { $0 &+ 1 }.filter { $0 & 63 != 63 }.map { $0 &+ 3 }.filter { $0 & 63 != 62 }
      .map { $0 &+ 5 }.filter { $0 & 63 != 61 }.map { $0 &+ 7 }.filter { $0 & 63 != 60 }
      .map { $0 &+ 9 }.filter { $0 & 63 != 59 }.map { $0 &+ 1 }.filter { $0 & 63 != 58 }
      .map { $0 &+ 3 }.filter { $0 & 63 != 57 }.map { $0 &+ 5 }.filter { $0 & 63 != 56 }
      .map { $0 &+ 7 }.filter { $0 & 63 != 55 }.map { $0 &+ 9 }.filter { $0 & 63 != 54 }
      .reduce(0) { mix($0, $1) })
}

func sequenceCases(_ runner: Runner) {
  let count = 1_000_000
  runner.compare(
    "sequence/map-filter-reduce", values: count, reach: 1.5,
    floor: { handChain(count) }, flow: { flowChain(count) })
  runner.compare(
    "sequence/10-maps-reduce", values: count, reach: 2,
    floor: { handTen(count) }, flow: { flowTen(count) })
  runner.compare(
    "sequence/20-maps-and-filters-reduce", values: count, reach: 2,
    floor: { handTwenty(count) }, flow: { flowTwenty(count) })
}
