import Dispatch
import OpenCombine
import OpenCombineDispatch

extension Library {
  static var openCombine: Library {
    let alone = PassthroughSubject<Int, Never>()
    let crowded = PassthroughSubject<Int, Never>()
    for _ in 0..<10_000 { everlasting.append(crowded.sink { _ in }) }
    return Library(
      name: "OpenCombine",
      works: [
        .chain: { count in
          let cell = Cell()
          _ = lazily(count) { $0 &* 3 }.filter { $0 & 1 == 0 }.reduce(0) { mix($0, $1) }
            .sink { cell.store($0) }
          return cell.value
        },
        .tenMaps: tenMaps,
        .twentyMixed: twentyMixed,
        .subjectChain: { count in
          let cell = Cell()
          let subject = PassthroughSubject<Int, Never>()
          let token = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.sink { cell.fold($0) }
          for value in 0..<count { subject.send(value) }
          token.cancel()
          return cell.value
        },
        .subject: { fanOut($0, observers: 1) },
        .subject10: { fanOut($0, observers: 10) },
        .subject100: { fanOut($0, observers: 100) },
        .subject1000: { fanOut($0, observers: 1000) },
        .behavior: { count in
          let cell = Cell()
          let subject = CurrentValueSubject<Int, Never>(0)
          let token = subject.sink { cell.fold($0) }
          for value in 0..<count { subject.send(value) }
          token.cancel()
          return cell.value
        },
        .merge: { count in
          // It has no merge; this is the way its users write one.
          let cell = Cell()
          let part = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count / 4)
          _ = Publishers.Sequence<[Publishers.Sequence<Range<Int>, Never>], Never>(
            sequence: [part, part, part, part]
          ).flatMap { $0 }.sink { cell.fold($0) }
          return cell.value
        },
        .zip: { count in
          let cell = Cell()
          let first = PassthroughSubject<Int, Never>()
          let second = PassthroughSubject<Int, Never>()
          let token = first.zip(second) { $0 &+ $1 }.sink { cell.fold($0) }
          for value in 0..<count / 2 {
            first.send(value)
            second.send(value)
          }
          token.cancel()
          return cell.value
        },
        .flatMap: { count in
          let cell = Cell()
          _ = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
            .flatMap { Just($0 &+ 1) }.sink { cell.fold($0) }
          return cell.value
        },
        .switchMap: { count in
          let cell = Cell()
          _ = lazily(count) { Just($0 &+ 1) }.switchToLatest().sink { cell.fold($0) }
          return cell.value
        },
        .observeOn: { count in
          let done = DispatchSemaphore(value: 0)
          let cell = Cell()
          let subject = PassthroughSubject<Int, Never>()
          let token = subject.receive(on: DispatchQueue(label: "benchmark").ocombine).sink(
            receiveCompletion: { _ in done.signal() }, receiveValue: { cell.fold($0) })
          for value in 0..<count { subject.send(value) }
          subject.send(completion: .finished)
          done.wait()
          token.cancel()
          return cell.value
        },
        .churn: { churn($0, on: alone) },
        .crowdedChurn: { churn($0, on: crowded) },
        .throttle: { count in
          let cell = Cell()
          let subject = PassthroughSubject<Int, Never>()
          let token = subject.throttle(for: .seconds(60), scheduler: timer.ocombine, latest: true)
            .sink { cell.fold($0) }
          for value in 0..<count { subject.send(value) }
          token.cancel()
          return cell.value
        },
        .debounce: { count in
          let cell = Cell()
          let subject = PassthroughSubject<Int, Never>()
          let token = subject.debounce(for: .seconds(60), scheduler: timer.ocombine)
            .sink { cell.fold($0) }
          for value in 0..<count { subject.send(value) }
          token.cancel()
          return cell.value
        },
        .single: { count in
          let cell = Cell()
          for value in 0..<count {
            _ = Deferred { Future<Int, Never> { $0(.success(value)) } }.sink { cell.fold($0) }
          }
          return cell.value
        },
        .promise: { count in
          let cell = Cell()
          for value in 0..<count {
            var resolve: Future<Int, Never>.Promise?
            let future = Future<Int, Never> { resolve = $0 }
            let token = future.sink { cell.fold($0) }
            resolve?(.success(value))
            token.cancel()
          }
          return cell.value
        },
      ],
      subscriptions: { count in
        let cell = Cell()
        let subject = PassthroughSubject<Int, Never>()
        return (
          subject,
          (0..<count).map { _ in
            subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.sink { cell.fold($0) }
          }
        )
      })
  }
}

private var everlasting: [AnyCancellable] = []
private let timer = DispatchQueue(label: "benchmark")

@inline(never)
private func fanOut(_ count: Int, observers: Int) -> Int {
  let cell = Cell()
  let subject = PassthroughSubject<Int, Never>()
  let tokens = (0..<observers).map { _ in subject.sink { cell.fold($0) } }
  for value in 0..<count / observers { subject.send(value) }
  for token in tokens { token.cancel() }
  return cell.value
}

@inline(never)
private func churn(_ count: Int, on subject: PassthroughSubject<Int, Never>) -> Int {
  let cell = Cell()
  for _ in 0..<count { subject.sink { cell.store($0) }.cancel() }
  return count
}

@inline(never)
private func tenMaps(_ count: Int) -> Int {
  let cell = Cell()
  let first = lazily(count) { (x: Int) -> Int in x &+ 1 }
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
  _ = all.reduce(0, mix).sink { cell.store($0) }
  return cell.value
}

@inline(never)
private func twentyMixed(_ count: Int) -> Int {
  let cell = Cell()
  let first = lazily(count) { (x: Int) -> Int in x &+ 1 }
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
  _ = all.reduce(0, mix).sink { cell.store($0) }
  return cell.value
}

/// A sequence with its first stage.
///
/// Said in full, because `map` of a sequence maps the whole of it at once.
private func lazily<Value>(
  _ count: Int, _ transform: @escaping (Int) -> Value
) -> Publishers.Map<Publishers.Sequence<Range<Int>, Never>, Value> {
  Publishers.Map(
    upstream: Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count), transform: transform)
}
