import Dispatch
import Foundation
import ReactiveSwift

extension Library {
  static var reactiveSwift: Library {
    let alone = Signal<Int, Never>.pipe()
    let crowded = Signal<Int, Never>.pipe()
    for _ in 0..<10_000 {
      if let token = crowded.output.observeValues({ _ in }) { everlasting.append(token) }
    }
    return Library(
      name: "ReactiveSwift",
      works: [
        .chain: { count in
          let cell = Cell()
          SignalProducer(0..<count).map { $0 &* 3 }.filter { $0 & 1 == 0 }
            .reduce(0) { mix($0, $1) }.startWithValues { cell.store($0) }
          return cell.value
        },
        .tenMaps: tenMaps,
        .twentyMixed: twentyMixed,
        .subjectChain: { count in
          let cell = Cell()
          let (signal, input) = Signal<Int, Never>.pipe()
          let token = signal.map { $0 &* 3 }.filter { $0 & 1 == 0 }.observeValues { cell.fold($0) }
          for value in 0..<count { input.send(value: value) }
          token?.dispose()
          return cell.value
        },
        .subject: { fanOut($0, observers: 1) },
        .subject10: { fanOut($0, observers: 10) },
        .subject100: { fanOut($0, observers: 100) },
        .subject1000: { fanOut($0, observers: 1000) },
        .behavior: { count in
          let cell = Cell()
          let property = MutableProperty(0)
          let token = property.producer.startWithValues { cell.fold($0) }
          for value in 0..<count { property.value = value }
          token.dispose()
          return cell.value
        },
        .merge: { count in
          let cell = Cell()
          let part = SignalProducer<Int, Never>(0..<count / 4)
          SignalProducer.merge(part, part, part, part).startWithValues { cell.fold($0) }
          return cell.value
        },
        .combineLatest: { count in
          pair(count) { Signal.combineLatest($0, $1).map { $0.0 &+ $0.1 } }
        },
        .zip: { count in pair(count) { Signal.zip($0, $1).map { $0.0 &+ $0.1 } } },
        .flatMap: { count in
          let cell = Cell()
          SignalProducer(0..<count).flatMap(.merge) { SignalProducer(value: $0 &+ 1) }
            .startWithValues { cell.fold($0) }
          return cell.value
        },
        .switchMap: { count in
          let cell = Cell()
          SignalProducer(0..<count).flatMap(.latest) { SignalProducer(value: $0 &+ 1) }
            .startWithValues { cell.fold($0) }
          return cell.value
        },
        .observeOn: { count in
          let done = DispatchSemaphore(value: 0)
          let cell = Cell()
          let (signal, input) = Signal<Int, Never>.pipe()
          let token = signal.observe(on: QueueScheduler(name: "benchmark")).observe { event in
            if let value = event.value { cell.fold(value) }
            if event.isTerminating { done.signal() }
          }
          for value in 0..<count { input.send(value: value) }
          input.sendCompleted()
          done.wait()
          token?.dispose()
          return cell.value
        },
        .churn: { churn($0, on: alone.output) },
        .crowdedChurn: { churn($0, on: crowded.output) },
        .throttle: { count in timed(count) { $0.throttle(60, on: timer) } },
        .debounce: { count in timed(count) { $0.debounce(60, on: timer) } },
        .single: { count in
          let cell = Cell()
          for value in 0..<count {
            SignalProducer<Int, Never> { observer, _ in
              observer.send(value: value)
              observer.sendCompleted()
            }.startWithValues { cell.fold($0) }
          }
          return cell.value
        },
        .promise: { count in
          // It has no promise; a signal that ends with its one value stands in.
          let cell = Cell()
          for value in 0..<count {
            let (signal, input) = Signal<Int, Never>.pipe()
            signal.observeValues { cell.fold($0) }
            input.send(value: value)
            input.sendCompleted()
          }
          return cell.value
        },
      ],
      subscriptions: { count in
        let cell = Cell()
        let (signal, input) = Signal<Int, Never>.pipe()
        return (
          signal, input,
          (0..<count).map { _ in
            signal.map { $0 &* 3 }.filter { $0 & 1 == 0 }.observeValues { cell.fold($0) }
          }
        )
      })
  }
}

private var everlasting: [any Disposable] = []
private let timer = QueueScheduler(name: "benchmark")

@inline(never)
private func fanOut(_ count: Int, observers: Int) -> Int {
  let cell = Cell()
  let (signal, input) = Signal<Int, Never>.pipe()
  let tokens = (0..<observers).map { _ in signal.observeValues { cell.fold($0) } }
  for value in 0..<count / observers { input.send(value: value) }
  for token in tokens { token?.dispose() }
  return cell.value
}

private func pair(
  _ count: Int, _ combine: (Signal<Int, Never>, Signal<Int, Never>) -> Signal<Int, Never>
) -> Int {
  let cell = Cell()
  let first = Signal<Int, Never>.pipe()
  let second = Signal<Int, Never>.pipe()
  let token = combine(first.output, second.output).observeValues { cell.fold($0) }
  for value in 0..<count / 2 {
    first.input.send(value: value)
    second.input.send(value: value)
  }
  token?.dispose()
  return cell.value
}

@inline(never)
private func churn(_ count: Int, on signal: Signal<Int, Never>) -> Int {
  let cell = Cell()
  for _ in 0..<count { signal.observeValues { cell.store($0) }?.dispose() }
  return count
}

private func timed(_ count: Int, _ operate: (Signal<Int, Never>) -> Signal<Int, Never>) -> Int {
  let cell = Cell()
  let (signal, input) = Signal<Int, Never>.pipe()
  let token = operate(signal).observeValues { cell.fold($0) }
  for value in 0..<count { input.send(value: value) }
  token?.dispose()
  return cell.value
}

@inline(never)
private func tenMaps(_ count: Int) -> Int {
  let cell = Cell()
  let first = SignalProducer(0..<count)
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
  all.reduce(0, mix).startWithValues { cell.store($0) }
  return cell.value
}

@inline(never)
private func twentyMixed(_ count: Int) -> Int {
  let cell = Cell()
  let first = SignalProducer(0..<count)
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
  all.reduce(0, mix).startWithValues { cell.store($0) }
  return cell.value
}
