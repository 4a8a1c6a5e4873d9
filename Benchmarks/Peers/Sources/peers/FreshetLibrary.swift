import Dispatch
import Freshet

extension Library {
  static var freshet: Library {
    let alone = PublishSubject<Int, Never>()
    let crowded = PublishSubject<Int, Never>()
    for _ in 0..<10_000 { crowded.subscribe { _ in }.store(in: everlasting) }
    return Library(
      name: "Freshet",
      works: [
        .chain: chain,
        .tenMaps: tenMaps,
        .twentyMixed: twentyMixed,
        .subjectChain: { count in
          let cell = Cell()
          let subject = PublishSubject<Int, Never>()
          let token = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.subscribe { cell.fold($0) }
          for value in 0..<count { subject.send(value) }
          token.dispose()
          return cell.value
        },
        .subject: { fanOut($0, observers: 1) },
        .subject10: { fanOut($0, observers: 10) },
        .subject100: { fanOut($0, observers: 100) },
        .subject1000: { fanOut($0, observers: 1000) },
        .behavior: { count in
          let cell = Cell()
          let subject = BehaviorSubject<Int, Never>(0)
          let token = subject.subscribe { cell.fold($0) }
          for value in 0..<count { subject.send(value) }
          token.dispose()
          return cell.value
        },
        .merge: { count in
          let cell = Cell()
          let part = 0..<count / 4
          _ = [part.flow, part.flow, part.flow, part.flow].merged().subscribe { cell.fold($0) }
          return cell.value
        },
        .combineLatest: { count in
          pair(count) { $0.combineLatest(with: $1).map { $0.0 &+ $0.1 } }
        },
        .zip: { count in pair(count) { $0.zip(with: $1).map { $0.0 &+ $0.1 } } },
        .flatMap: { count in
          let cell = Cell()
          _ = (0..<count).flow.flatMap { CollectionOfOne($0 &+ 1).flow }.subscribe {
            cell.fold($0)
          }
          return cell.value
        },
        .switchMap: { count in
          let cell = Cell()
          _ = (0..<count).flow.switchMap { CollectionOfOne($0 &+ 1).flow }.subscribe {
            cell.fold($0)
          }
          return cell.value
        },
        .observeOn: observeOn,
        .churn: { churn($0, on: alone) },
        .crowdedChurn: { churn($0, on: crowded) },
        .throttle: { count in
          timed(count) { $0.throttle(for: .seconds(60), on: timer, leading: false) }
        },
        .debounce: { count in timed(count) { $0.debounce(for: .seconds(60), on: timer) } },
        .single: { count in
          let cell = Cell()
          for value in 0..<count {
            let single = Single<Int, Never> { resolver in
              resolver.succeed(value)
              return nil
            }
            _ = single.subscribe { cell.fold($0) }
          }
          return cell.value
        },
        .promise: { count in
          let cell = Cell()
          for value in 0..<count {
            let promise = Promise<Int, Never>()
            let token = promise.subscribe { cell.fold($0) }
            promise.resolve(value)
            token.dispose()
          }
          return cell.value
        },
      ],
      subscriptions: { count in
        let cell = Cell()
        let subject = PublishSubject<Int, Never>()
        return (
          subject,
          (0..<count).map { _ in
            subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.subscribe { cell.fold($0) }
          }
        )
      })
  }
}

private let everlasting = DisposeBag()
private let timer = QueueScheduler(label: "benchmark")

@inline(never)
private func chain(_ count: Int) -> Int {
  let cell = Cell()
  _ = (0..<count).flow.map { $0 &* 3 }.filter { $0 & 1 == 0 }.reduce(0) { mix($0, $1) }
    .subscribe { cell.store($0) }
  return cell.value
}

@inline(never)
private func tenMaps(_ count: Int) -> Int {
  let cell = Cell()
  let first = (0..<count).flow.map { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }.map { $0 ^ 4 }.map {
    $0 &+ 5
  }
  let all = first.map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }.map { $0 &+ 9 }.map { $0 ^ 10 }
  _ = all.reduce(0) { mix($0, $1) }.subscribe { cell.store($0) }
  return cell.value
}

@inline(never)
private func twentyMixed(_ count: Int) -> Int {
  let cell = Cell()
  let first = (0..<count).flow.map { $0 &+ 1 }.filter { $0 & 63 != 63 }
    .map { $0 &+ 3 }.filter { $0 & 63 != 62 }
  let second = first.map { $0 &+ 5 }.filter { $0 & 63 != 61 }
    .map { $0 &+ 7 }.filter { $0 & 63 != 60 }
  let third = second.map { $0 &+ 9 }.filter { $0 & 63 != 59 }
    .map { $0 &+ 1 }.filter { $0 & 63 != 58 }
  let fourth = third.map { $0 &+ 3 }.filter { $0 & 63 != 57 }
    .map { $0 &+ 5 }.filter { $0 & 63 != 56 }
  let all = fourth.map { $0 &+ 7 }.filter { $0 & 63 != 55 }
    .map { $0 &+ 9 }.filter { $0 & 63 != 54 }
  _ = all.reduce(0) { mix($0, $1) }.subscribe { cell.store($0) }
  return cell.value
}

@inline(never)
private func fanOut(_ count: Int, observers: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  let bag = DisposeBag()
  for _ in 0..<observers { subject.subscribe { cell.fold($0) }.store(in: bag) }
  for value in 0..<count / observers { subject.send(value) }
  return cell.value
}

@inline(__always)
private func pair<F: Flow>(
  _ count: Int, _ combine: (PublishSubject<Int, Never>, PublishSubject<Int, Never>) -> F
) -> Int where F.Element == Int, F.Failure == Never {
  let cell = Cell()
  let first = PublishSubject<Int, Never>()
  let second = PublishSubject<Int, Never>()
  let token = combine(first, second).subscribe { cell.fold($0) }
  for value in 0..<count / 2 {
    first.send(value)
    second.send(value)
  }
  token.dispose()
  return cell.value
}

@inline(never)
private func observeOn(_ count: Int) -> Int {
  let done = DispatchSemaphore(value: 0)
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  let token = subject.observe(on: QueueScheduler(label: "benchmark"), overflow: .unbounded)
    .subscribe(onValue: { cell.fold($0) }, onEnd: { _ in done.signal() })
  for value in 0..<count { subject.send(value) }
  subject.finish()
  done.wait()
  token.dispose()
  return cell.value
}

@inline(never)
private func churn(_ count: Int, on subject: PublishSubject<Int, Never>) -> Int {
  let cell = Cell()
  for _ in 0..<count { subject.subscribe { cell.store($0) }.dispose() }
  return count
}

@inline(__always)
private func timed<F: Flow>(_ count: Int, _ operate: (PublishSubject<Int, Never>) -> F) -> Int
where F.Element == Int, F.Failure == Never {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  let token = operate(subject).subscribe { cell.fold($0) }
  for value in 0..<count { subject.send(value) }
  token.dispose()
  return cell.value
}
