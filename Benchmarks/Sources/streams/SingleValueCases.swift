import Freshet
import Synchronization

final class HandBox {
  let value: Int

  init(_ value: Int) {
    self.value = value
  }
}

@inline(never)
func makeBox(_ value: Int) -> HandBox {
  HandBox(value)
}

@inline(never)
func handObject(_ count: Int) -> Int {
  var sum = 0
  for value in 0..<count { sum = mix(0, makeBox(value).value) }
  return sum
}

@inline(never)
func flowSingle(_ count: Int) -> Int {
  let cell = Cell()
  for value in 0..<count { Single<Int, Never>.just(value).subscribe(Sum(cell)) }
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func flowSingleResolver(_ count: Int) -> Int {
  let cell = Cell()
  for value in 0..<count {
    let single = Single<Int, Never> { resolver in
      resolver.succeed(value)
      return nil
    }
    single.subscribe(Sum(cell))
  }
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func flowPromise(_ count: Int) -> Int {
  let cell = Cell()
  for value in 0..<count {
    let promise = Promise<Int, Never>()
    promise.subscribe(Sum(cell))
    promise.resolve(value)
  }
  return cell.value.load(ordering: .relaxed)
}

func singleValueCases(_ runner: Runner) {
  let count = 20_000
  runner.compare(
    "single/just-observed", values: count, reach: 6,
    floor: { handObject(count) }, flow: { flowSingle(count) })
  runner.compare(
    "single/created-resolved-observed", values: count, reach: 6,
    floor: { handObject(count) }, flow: { flowSingleResolver(count) })
  runner.compare(
    "promise/created-resolved-observed", values: count, reach: 6,
    floor: { handObject(count) }, flow: { flowPromise(count) })
}
