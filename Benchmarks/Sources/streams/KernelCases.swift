import Dispatch
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
    for value in 0..<count / 4 { sum = (sum ^ value) &* 31 }
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
  var sum = 0
  let cells = HandLatest()
  cells.sink = { sum = (sum ^ ($0 &+ $1)) &* 31 }
  for value in 0..<count / 2 {
    cells.sendFirst(value)
    cells.sendSecond(value)
  }
  return sum
}

/// An inner stream as a closure that takes its observer as a closure.
@inline(never)
func handInner(_ value: Int) -> (@escaping (Int) -> Void) -> Void {
  { observer in observer(value &+ 1) }
}

@inline(never)
func handNested(_ count: Int) -> Int {
  let sum = HandSum()
  for value in 0..<count {
    let run = handInner(value)
    run { sum.receive($0) }
  }
  return sum.sum
}

@inline(never)
func flowFlatMap(_ count: Int) -> Int {
  sum((0..<count).flow.flatMap { Just($0 &+ 1) })
}

@inline(never)
func flowSwitchMap(_ count: Int) -> Int {
  sum((0..<count).flow.switchMap { Just($0 &+ 1) })
}

@inline(never)
func flowObserveOn(_ count: Int) -> Int {
  let done = DispatchSemaphore(value: 0)
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  let token = subject.observe(on: QueueScheduler(label: "benchmark"), overflow: .unbounded)
    .subscribe(
      onValue: { cell.value.store($0, ordering: .relaxed) }, onEnd: { _ in done.signal() })
  for value in 0..<count { subject.send(value) }
  subject.finish()
  done.wait()
  token.dispose()
  return cell.value.load(ordering: .relaxed)
}

/// A mutex and batches, by hand.
final class HandHandoff: Sendable {
  let state = Mutex<(queue: [Int], isScheduled: Bool)>(([], false))
  let queue = DispatchQueue(label: "benchmark")
  let receive: @Sendable (Int) -> Void

  init(_ receive: @escaping @Sendable (Int) -> Void) {
    self.receive = receive
  }

  func send(_ value: Int) {
    let mustSchedule = state.withLock { state in
      state.queue.append(value)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { queue.async { [self] in drain() } }
  }

  func drain() {
    while true {
      let batch = state.withLock { state in
        let batch = state.queue
        state.queue = []
        if batch.isEmpty { state.isScheduled = false }
        return batch
      }
      if batch.isEmpty { return }
      for value in batch { receive(value) }
    }
  }
}

@inline(never)
func handObserveOn(_ count: Int) -> Int {
  let done = DispatchSemaphore(value: 0)
  let cell = Cell()
  let handoff = HandHandoff { value in
    cell.value.store(value, ordering: .relaxed)
    if value == count - 1 { done.signal() }
  }
  for value in 0..<count { handoff.send(value) }
  done.wait()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func flowDebounce(_ count: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  subject.debounce(for: .seconds(60), on: QueueScheduler(label: "benchmark"))
    .subscribe(Sum(cell))
  for value in 0..<count { subject.send(value) }
  subject.finish()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handClock(_ count: Int) -> Int {
  let clock = ContinuousClock()
  var last = clock.now
  for _ in 0..<count { last = max(last, clock.now) }
  return last > clock.now ? 0 : (count - 1) &* 31
}

final class HandBox {
  var value: Int
  init(_ value: Int) { self.value = value }
}

@inline(never)
func handObject(_ count: Int) -> Int {
  var last = HandBox(0)
  for value in 0..<count { last = HandBox(value) }
  return last.value &* 31
}

@inline(never)
func flowSingle(_ count: Int) -> Int {
  let cell = Cell()
  for value in 0..<count { Single<Int, Never>.just(value).subscribe(Sum(cell)) }
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

func kernelCases(_ runner: Runner) {
  let count = 10_000_000
  let few = 1_000_000
  runner.compare(
    "merge/4-cold", values: count, reach: 10,
    floor: { handMerge(count) }, flow: { flowMerge(count) })
  runner.compare(
    "combine-latest/2-subjects", values: count, reach: 2,
    floor: { handLatest(count) }, flow: { flowLatest(count) })
  runner.compare(
    "flat-map/1-element-inners", values: few, reach: 5,
    floor: { handNested(few) }, flow: { flowFlatMap(few) })
  runner.compare(
    "switch-map/1-element-inners", values: few, reach: 5,
    floor: { handNested(few) }, flow: { flowSwitchMap(few) })
  runner.compare(
    "observe-on/serial-queue", values: few, reach: 1.5,
    floor: { handObserveOn(few) }, flow: { flowObserveOn(few) })
  runner.compare(
    "debounce/pushed-fast", values: few, reach: 2,
    floor: { handClock(few) }, flow: { flowDebounce(few) })
  runner.compare(
    "single/created-and-observed", values: few, reach: 6,
    floor: { handObject(few) }, flow: { flowSingle(few) })
  runner.compare(
    "promise/created-resolved-observed", values: few, reach: 6,
    floor: { handObject(few) }, flow: { flowPromise(few) })
}
