import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("TH: operators under threads", .serialized)
struct KernelStressTests {
  @Test("TH-01 a hundred threads send one value each")
  func th01() {
    let subject = PublishSubject<Int, Never>()
    let recorders = (0..<3).map { _ in Recorder<Int, Never>() }
    recorders[0].subscribe(to: subject)
    recorders[1].subscribe(to: subject.merge(with: NeverFlow()))
    recorders[2].subscribe(to: subject.share())
    Threads.concurrently(100) { subject.send($0) }
    for recorder in recorders {
      #expect(Set(recorder.values) == Set(0..<100), "expected every value")
      #expect(recorder.valueCount == 100, "expected each value once")
      #expect(recorder.violations == [], "expected no delivery to overlap another")
      recorder.dispose()
    }
  }

  @Test("TH-03 a dispose from another thread: nothing new starts after it")
  func th03() {
    for round in 0..<300 {
      let subject = PublishSubject<Int, Never>()
      let isDisposed = Atomic<Bool>(false)
      let disposedAt = Atomic<Int>(Int.max)
      let late = Atomic<Int>(0)
      let token = subject.map { $0 }.merge(with: NeverFlow()).subscribe { value in
        // One delivery may have been under way when the dispose returned.
        if isDisposed.load(ordering: .acquiring), value > disposedAt.load(ordering: .acquiring) + 1
        {
          late.add(1, ordering: .relaxed)
        }
      }
      let sent = Atomic<Int>(0)
      Threads.concurrently(2) { thread in
        if thread == 0 {
          for number in 0..<200 {
            subject.send(number)
            sent.store(number, ordering: .releasing)
          }
        } else {
          while sent.load(ordering: .acquiring) < 20 {}
          token.dispose()
          disposedAt.store(sent.load(ordering: .acquiring) + 1, ordering: .releasing)
          isDisposed.store(true, ordering: .releasing)
        }
      }
      #expect(late.load(ordering: .acquiring) == 0, "round \(round): expected silence after it")
    }
  }

  @Test("TH-04 two subjects whose observers send into each other, from two threads")
  func th04() {
    for round in 0..<100 {
      let first = PublishSubject<Int, Never>()
      let second = PublishSubject<Int, Never>()
      let bag = DisposeBag()
      let count = Atomic<Int>(0)
      first.merge(with: NeverFlow()).subscribe { value in
        count.add(1, ordering: .relaxed)
        if value > 0 { second.send(value - 1) }
      }.store(in: bag)
      second.share().subscribe { value in
        count.add(1, ordering: .relaxed)
        if value > 0 { first.send(value - 1) }
      }.store(in: bag)
      let isDone = Threads.finishes {
        Threads.concurrently(2) { thread in (thread == 0 ? first : second).send(50) }
      }
      #expect(isDone, "round \(round): expected no deadlock")
      #expect(count.load(ordering: .acquiring) == 102, "round \(round): expected every value")
      bag.dispose()
    }
  }

  @Test("TH-06 operators upon operators, sent into, paused and left from eight threads")
  func th06() {
    let isDone = Threads.finishes(within: 60) {
      let a = PublishSubject<Int, Never>()
      let b = BehaviorSubject<Int, Never>(0)
      let shared = a.combineLatest(with: b) { $0 &+ $1 }.switchMap {
        Just($0).merge(with: b.take(1))
      }
      .share()
      Threads.concurrently(8) { thread in
        var random = Seed.generator(100 + thread)
        for _ in 0..<150 {
          let recorder = Recorder<Int, Never> { recorder, value in
            if value.isMultiple(of: 7) { b.send(value &+ 1) }
            if value.isMultiple(of: 11) { recorder.dispose() }
            return .more
          }
          recorder.subscribe(to: shared)
          let value = Int.random(in: 1...6, using: &random)
          if Bool.random(using: &random) { a.send(value) } else { b.send(value) }
          recorder.dispose()
        }
      }
    }
    #expect(isDone, "expected no deadlock; \(Seed.replay)")
  }

  @Test("TH-09 a handle given in start and disposed of on another thread while it is being added")
  func handleEscapes() {
    for round in 0..<300 {
      let probe = LeakProbe()
      let subject = PublishSubject<Int, Never>()
      let handle = Box<Subscription>()
      let isSubscribed = Atomic<Bool>(false)
      Threads.concurrently(2) { thread in
        if thread == 0 {
          subject.subscribe(Escaping(handle: handle, token: probe.token()))
          isSubscribed.store(true, ordering: .releasing)
        } else {
          while !isSubscribed.load(ordering: .acquiring) {
            if let handle = handle.value {
              handle.dispose()
              break
            }
          }
        }
      }
      handle.value?.dispose()
      handle.value = nil
      #expect(probe.alive.isEmpty, "round \(round): expected the observer to be released")
    }
  }
}

/// Lets its handle out as soon as it has it.
private struct Escaping: Observer {
  let handle: Box<Subscription>
  let token: LeakProbe.Token

  static var mayPause: Bool { false }
  mutating func start(_ subscription: Subscription) { handle.value = subscription }
  mutating func receive(_ value: Int) -> Answer { token.pass(.more) }
  mutating func end(_ end: End<Never>) {}
}
