import Freshet
import Synchronization

@inline(never)
func flowSubject(_ count: Int, observers: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  for _ in 0..<observers { subject.subscribe(Sum(cell)) }
  for value in 0..<count { subject.send(value) }
  subject.finish()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handFanOut(_ count: Int, observers: Int) -> Int {
  let nodes = (0..<observers).map { _ in HandSum() }
  let subject = HandSubject(nodes)
  for value in 0..<count { subject.send(value) }
  return nodes[0].sum
}

@inline(never)
func flowSubjectClosure(_ count: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  let token = subject.subscribe { value in
    cell.value.store(mix(cell.value.load(ordering: .relaxed), value), ordering: .relaxed)
  }
  for value in 0..<count { subject.send(value) }
  token.dispose()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handSubjectClosure(_ count: Int) -> Int {
  let cell = Cell()
  let subject = HandSubject([
    HandClosure { value in
      cell.value.store(mix(cell.value.load(ordering: .relaxed), value), ordering: .relaxed)
    }
  ])
  for value in 0..<count { subject.send(value) }
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func flowSubjectChain(_ count: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.subscribe(Sum(cell))
  for value in 0..<count { subject.send(value) }
  subject.finish()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handSubjectChain(_ count: Int) -> Int {
  let sum = HandSum()
  let subject = HandSubject([HandMap(HandFilter(sum))])
  for value in 0..<count { subject.send(value) }
  return sum.sum
}

@inline(never)
func flowBehavior(_ count: Int) -> Int {
  let cell = Cell()
  let subject = BehaviorSubject<Int, Never>(0)
  subject.subscribe(Sum(cell))
  for value in 0..<count { subject.send(value) }
  subject.finish()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handBehavior(_ count: Int) -> Int {
  let sum = HandSum()
  let behavior = HandBehavior()
  behavior.observe { sum.receive($0) }
  for value in 0..<count { behavior.send(value) }
  return sum.sum
}

@inline(never)
func flowChurn(_ count: Int, on subject: PublishSubject<Int, Never>) -> Int {
  let cell = Cell()
  for _ in 0..<count {
    subject.subscribe { cell.value.store($0, ordering: .relaxed) }.dispose()
  }
  return count
}

@inline(never)
func handChurn(_ count: Int) -> Int {
  let cell = Cell()
  let registry = HandRegistry()
  for _ in 0..<count { registry.add { cell.value.store($0, ordering: .relaxed) }() }
  return count
}

func subjectCases(_ runner: Runner) {
  let count = 200_000
  runner.compare(
    "subject/map-filter-1-observer", values: count, reach: 2,
    floor: { handSubjectChain(count) }, flow: { flowSubjectChain(count) })
  runner.compare(
    "subject/1-closure", values: count, reach: 2,
    floor: { handSubjectClosure(count) }, flow: { flowSubjectClosure(count) })
  for observers in [1, 10, 100, 1000] {
    runner.compare(
      "subject/\(observers)-observers-per-delivery", values: count,
      reach: observers == 1 ? 2 : 1.5,
      floor: { handFanOut(count / observers, observers: observers) },
      flow: { flowSubject(count / observers, observers: observers) })
  }
  runner.compare(
    "behavior-subject/1-observer", values: count, reach: 1,
    floor: { handBehavior(count) }, flow: { flowBehavior(count) })
  let rounds = 50_000
  let alone = PublishSubject<Int, Never>()
  let crowded = PublishSubject<Int, Never>()
  let bag = DisposeBag()
  for _ in 0..<10_000 { crowded.subscribe { _ in }.store(in: bag) }
  runner.compare(
    "subject/subscribe-and-dispose", values: rounds, reach: 1.5,
    floor: { handChurn(rounds) }, flow: { flowChurn(rounds, on: alone) })
  runner.compare(
    "subject/subscribe-and-dispose-among-10000", values: rounds, reach: 1.3,
    floor: { flowChurn(rounds, on: alone) }, flow: { flowChurn(rounds, on: crowded) })
}
