import Dispatch
import RxSwift

extension Library {
  static var rxSwift: Library {
    let alone = PublishSubject<Int>()
    let crowded = PublishSubject<Int>()
    for _ in 0..<10_000 { everlasting.append(crowded.subscribe(onNext: { _ in })) }
    return Library(
      name: "RxSwift",
      works: [
        .chain: { count in
          let cell = Cell()
          _ = range(count).map { $0 &* 3 }.filter { $0 & 1 == 0 }.reduce(0) { mix($0, $1) }
            .subscribe(onNext: { cell.store($0) })
          return cell.value
        },
        .tenMaps: tenMaps,
        .twentyMixed: twentyMixed,
        .subjectChain: { count in
          let cell = Cell()
          let subject = PublishSubject<Int>()
          let token = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }
            .subscribe(onNext: { cell.fold($0) })
          for value in 0..<count { subject.onNext(value) }
          token.dispose()
          return cell.value
        },
        .subject: { fanOut($0, observers: 1) },
        .subject10: { fanOut($0, observers: 10) },
        .subject100: { fanOut($0, observers: 100) },
        .subject1000: { fanOut($0, observers: 1000) },
        .behavior: { count in
          let cell = Cell()
          let subject = BehaviorSubject(value: 0)
          let token = subject.subscribe(onNext: { cell.fold($0) })
          for value in 0..<count { subject.onNext(value) }
          token.dispose()
          return cell.value
        },
        .merge: { count in
          let cell = Cell()
          let part = range(count / 4)
          _ = Observable.merge(part, part, part, part).subscribe(onNext: { cell.fold($0) })
          return cell.value
        },
        .combineLatest: { count in
          pair(count) { Observable.combineLatest($0, $1) { $0 &+ $1 } }
        },
        .zip: { count in pair(count) { Observable.zip($0, $1) { $0 &+ $1 } } },
        .flatMap: { count in
          let cell = Cell()
          _ = range(count).flatMap { Observable.just($0 &+ 1) }.subscribe(onNext: { cell.fold($0) })
          return cell.value
        },
        .switchMap: { count in
          let cell = Cell()
          _ = range(count).flatMapLatest { Observable.just($0 &+ 1) }
            .subscribe(onNext: { cell.fold($0) })
          return cell.value
        },
        .observeOn: { count in
          let done = DispatchSemaphore(value: 0)
          let cell = Cell()
          let subject = PublishSubject<Int>()
          let queue = SerialDispatchQueueScheduler(qos: .default, internalSerialQueueName: "b")
          let token = subject.observe(on: queue)
            .subscribe(onNext: { cell.fold($0) }, onCompleted: { done.signal() })
          for value in 0..<count { subject.onNext(value) }
          subject.onCompleted()
          done.wait()
          token.dispose()
          return cell.value
        },
        .churn: { churn($0, on: alone) },
        .crowdedChurn: { churn($0, on: crowded) },
        .throttle: { count in
          timed(count) { $0.throttle(.seconds(60), latest: true, scheduler: timer) }
        },
        .debounce: { count in timed(count) { $0.debounce(.seconds(60), scheduler: timer) } },
        .single: { count in
          let cell = Cell()
          for value in 0..<count {
            _ = Single<Int>.create { resolve in
              resolve(.success(value))
              return Disposables.create()
            }.subscribe(onSuccess: { cell.fold($0) })
          }
          return cell.value
        },
        .promise: { count in
          // It has no promise; a subject that replays its one value stands in.
          let cell = Cell()
          for value in 0..<count {
            let subject = AsyncSubject<Int>()
            let token = subject.subscribe(onNext: { cell.fold($0) })
            subject.onNext(value)
            subject.onCompleted()
            token.dispose()
          }
          return cell.value
        },
      ],
      subscriptions: { count in
        let cell = Cell()
        let subject = PublishSubject<Int>()
        return (
          subject,
          (0..<count).map { _ in
            subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.subscribe(onNext: { cell.fold($0) })
          }
        )
      })
  }
}

private var everlasting: [any Disposable] = []
private let timer = SerialDispatchQueueScheduler(qos: .default, internalSerialQueueName: "b")

/// A source without a scheduler: its default, the current thread's, costs more.
private func range(_ count: Int) -> Observable<Int> {
  Observable.create { observer in
    for value in 0..<count { observer.onNext(value) }
    observer.onCompleted()
    return Disposables.create()
  }
}

@inline(never)
private func fanOut(_ count: Int, observers: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int>()
  let tokens = (0..<observers).map { _ in subject.subscribe(onNext: { cell.fold($0) }) }
  for value in 0..<count / observers { subject.onNext(value) }
  for token in tokens { token.dispose() }
  return cell.value
}

private func pair(
  _ count: Int, _ combine: (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>
) -> Int {
  let cell = Cell()
  let first = PublishSubject<Int>()
  let second = PublishSubject<Int>()
  let token = combine(first, second).subscribe(onNext: { cell.fold($0) })
  for value in 0..<count / 2 {
    first.onNext(value)
    second.onNext(value)
  }
  token.dispose()
  return cell.value
}

@inline(never)
private func churn(_ count: Int, on subject: PublishSubject<Int>) -> Int {
  let cell = Cell()
  for _ in 0..<count { subject.subscribe(onNext: { cell.store($0) }).dispose() }
  return count
}

private func timed(_ count: Int, _ operate: (PublishSubject<Int>) -> Observable<Int>) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int>()
  let token = operate(subject).subscribe(onNext: { cell.fold($0) })
  for value in 0..<count { subject.onNext(value) }
  token.dispose()
  return cell.value
}

@inline(never)
private func tenMaps(_ count: Int) -> Int {
  let cell = Cell()
  let first = range(count)
    .map { (x: Int) -> Int in x &+ 1 }
    .map { (x: Int) -> Int in x ^ 2 }
    .map { (x: Int) -> Int in x &+ 3 }
    .map { (x: Int) -> Int in x ^ 4 }
    .map { (x: Int) -> Int in x &+ 5 }
  let all =
    first
    .map { (x: Int) -> Int in x ^ 6 }
    .map { (x: Int) -> Int in x &+ 7 }
    .map { (x: Int) -> Int in x ^ 8 }
    .map { (x: Int) -> Int in x &+ 9 }
    .map { (x: Int) -> Int in x ^ 10 }
  _ = all.reduce(0, accumulator: mix).subscribe(onNext: { cell.store($0) })
  return cell.value
}

@inline(never)
private func twentyMixed(_ count: Int) -> Int {
  let cell = Cell()
  let first = range(count)
    .map { (x: Int) -> Int in x &+ 1 }
    .filter { (x: Int) -> Bool in x & 63 != 63 }
    .map { (x: Int) -> Int in x &+ 3 }
    .filter { (x: Int) -> Bool in x & 63 != 62 }
  let second =
    first
    .map { (x: Int) -> Int in x &+ 5 }
    .filter { (x: Int) -> Bool in x & 63 != 61 }
    .map { (x: Int) -> Int in x &+ 7 }
    .filter { (x: Int) -> Bool in x & 63 != 60 }
  let third =
    second
    .map { (x: Int) -> Int in x &+ 9 }
    .filter { (x: Int) -> Bool in x & 63 != 59 }
    .map { (x: Int) -> Int in x &+ 1 }
    .filter { (x: Int) -> Bool in x & 63 != 58 }
  let fourth =
    third
    .map { (x: Int) -> Int in x &+ 3 }
    .filter { (x: Int) -> Bool in x & 63 != 57 }
    .map { (x: Int) -> Int in x &+ 5 }
    .filter { (x: Int) -> Bool in x & 63 != 56 }
  let all =
    fourth
    .map { (x: Int) -> Int in x &+ 7 }
    .filter { (x: Int) -> Bool in x & 63 != 55 }
    .map { (x: Int) -> Int in x &+ 9 }
    .filter { (x: Int) -> Bool in x & 63 != 54 }
  _ = all.reduce(0, accumulator: mix).subscribe(onNext: { cell.store($0) })
  return cell.value
}
