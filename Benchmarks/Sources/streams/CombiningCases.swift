import Freshet
import Synchronization

@inline(never)
func flowMerge(_ count: Int) -> Int {
  let part = 0..<count / 4
  return sum([part.flow, part.flow, part.flow, part.flow].merged())
}

@inline(never)
func handMerge(_ count: Int) -> Int {
  var sum = 0
  for _ in 0..<4 {
    for value in 0..<count / 4 { sum = mix(sum, value) }
  }
  return sum
}

@inline(never)
func flowLatest(_ count: Int) -> Int {
  let cell = Cell()
  let first = PublishSubject<Int, Never>()
  let second = PublishSubject<Int, Never>()
  first.combineLatest(with: second).map { $0.0 &+ $0.1 }.subscribe(Sum(cell))
  for value in 0..<count / 2 {
    first.send(value)
    second.send(value)
  }
  first.finish()
  second.finish()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handLatest(_ count: Int) -> Int {
  let sum = HandSum()
  let pair = HandPair(sum)
  let first = HandSubject([HandLatestFirst(pair)])
  let second = HandSubject([HandLatestSecond(pair)])
  for value in 0..<count / 2 {
    first.send(value)
    second.send(value)
  }
  return sum.sum
}

@inline(never)
func flowZip(_ count: Int) -> Int {
  let cell = Cell()
  let first = PublishSubject<Int, Never>()
  let second = PublishSubject<Int, Never>()
  first.zip(with: second).map { $0.0 &+ $0.1 }.subscribe(Sum(cell))
  for value in 0..<count / 2 {
    first.send(value)
    second.send(value)
  }
  first.finish()
  second.finish()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handZip(_ count: Int) -> Int {
  let sum = HandSum()
  let pair = HandPair(sum)
  let first = HandSubject([HandZipFirst(pair)])
  let second = HandSubject([HandZipSecond(pair)])
  for value in 0..<count / 2 {
    first.send(value)
    second.send(value)
  }
  return sum.sum
}

@inline(never)
func flowMergeThrice(_ count: Int) -> Int {
  let none = Empty<Int, Never>()
  return sum((0..<count).flow.merge(with: none).merge(with: none).merge(with: none))
}

@inline(never)
func flowMergeOnce(_ count: Int) -> Int {
  sum((0..<count).flow.merge(with: Empty<Int, Never>()))
}

func combiningCases(_ runner: Runner) {
  let count = 200_000
  runner.compare(
    "merge/4-cold", values: count, reach: 10,
    floor: { handMerge(count) }, flow: { flowMerge(count) })
  runner.compare(
    "combine-latest/2-subjects", values: count, reach: 2,
    floor: { handLatest(count) }, flow: { flowLatest(count) })
  runner.compare(
    "zip/2-subjects", values: count, reach: 2,
    floor: { handZip(count) }, flow: { flowZip(count) })
  runner.compare(
    "merge/3-in-a-row-against-1", values: count, reach: 6,
    floor: { flowMergeOnce(count) }, flow: { flowMergeThrice(count) })
}
