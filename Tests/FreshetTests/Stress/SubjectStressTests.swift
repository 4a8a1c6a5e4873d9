import Freshet
import FreshetTesting
import Synchronization
import Testing

/// Eight threads send, subscribe and dispose at random.
///
/// What is allowed: an observer that
/// stays gets every value of each thread once, in that thread's order, never two at a time;
/// one that comes or goes gets a run of them without a gap.
@Suite("subjects and sharing under eight threads", .serialized)
struct SubjectStressTests {
  private let threads = 8
  private let rounds = 400

  /// A value that knows who sent it and when.
  private struct Stamp: Sendable, Hashable {
    let thread: Int
    let number: Int
  }

  private func check(
    _ recorder: Recorder<Stamp, Never>, isComplete: Bool, _ name: String, sent: [Int]
  ) {
    #expect(recorder.violations == [], "\(name): one at a time, one end; \(Seed.replay)")
    let byThread = Dictionary(grouping: recorder.values, by: \.thread)
    for thread in 0..<threads {
      let numbers = (byThread[thread] ?? []).map(\.number)
      if isComplete {
        #expect(
          numbers == Array(0..<sent[thread]),
          "\(name): expected every value of thread \(thread), in order; \(Seed.replay)")
      } else if let first = numbers.first {
        #expect(
          numbers == Array(first..<(first + numbers.count)),
          "\(name): expected a run of thread \(thread) without a gap; \(Seed.replay)")
      }
    }
  }

  private func storm<Source: Flow>(
    _ name: String, _ flow: Source, send: @escaping @Sendable (Stamp) -> Void,
    finish: @escaping @Sendable () -> Void
  ) where Source.Element == Stamp, Source.Failure == Never {
    let stayer = Recorder<Stamp, Never>()
    let second = Recorder<Stamp, Never>()
    stayer.subscribe(to: flow)
    second.subscribeWithoutPausing(to: flow)
    let guests = Mutex<[Recorder<Stamp, Never>]>([])
    let sent = Mutex(Array(repeating: 0, count: threads))
    let threads = threads
    let rounds = rounds
    Threads.concurrently(threads) { thread in
      var random = Seed.generator(thread)
      var mine: [Recorder<Stamp, Never>] = []
      var number = 0
      for _ in 0..<rounds {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6:
          send(Stamp(thread: thread, number: number))
          number += 1
        case 6..<8:
          let guest = Recorder<Stamp, Never>()
          guest.subscribe(to: flow)
          mine.append(guest)
        default:
          if let guest = mine.randomElement(using: &random) { guest.dispose() }
        }
      }
      sent.withLock { $0[thread] = number }
      guests.withLock { $0 += mine }
    }
    finish()
    let counts = sent.withLock { $0 }
    check(stayer, isComplete: true, name, sent: counts)
    #expect(
      stayer.values == second.values, "\(name): expected one order for everybody; \(Seed.replay)")
    #expect(stayer.hasEnded, "\(name): expected the finish; \(Seed.replay)")
    for guest in guests.withLock({ $0 }) {
      check(guest, isComplete: false, name, sent: counts)
    }
  }

  @Test("PublishSubject")
  func publish() {
    let subject = PublishSubject<Stamp, Never>()
    storm("PublishSubject", subject, send: { subject.send($0) }, finish: { subject.finish() })
  }

  @Test("BehaviorSubject")
  func behavior() {
    let subject = BehaviorSubject<Stamp, Never>(Stamp(thread: -1, number: 0))
    storm("BehaviorSubject", subject, send: { subject.send($0) }, finish: { subject.finish() })
  }

  @Test("share")
  func share() {
    let subject = PublishSubject<Stamp, Never>()
    storm("share", subject.share(), send: { subject.send($0) }, finish: { subject.finish() })
  }

  @Test("merge")
  func merge() {
    let subjects = (0..<threads).map { _ in PublishSubject<Stamp, Never>() }
    // Two recorders of two kernels may see two orders: share them.
    storm(
      "merge", subjects.merged().share(), send: { subjects[$0.thread].send($0) },
      finish: { for subject in subjects { subject.finish() } })
  }

  @Test("flatMap")
  func flatMap() {
    let subject = PublishSubject<Stamp, Never>()
    storm(
      "flatMap", subject.flatMap { Just($0) }.share(), send: { subject.send($0) },
      finish: { subject.finish() })
  }

  @Test("switchMap: what comes is in order and never twice")
  func switchMap() {
    let subject = PublishSubject<Stamp, Never>()
    let recorder = Recorder<Stamp, Never>()
    recorder.subscribe(to: subject.switchMap { Just($0) })
    Threads.concurrently(threads) { thread in
      for number in 0..<500 { subject.send(Stamp(thread: thread, number: number)) }
    }
    subject.finish()
    #expect(recorder.violations == [], "expected one at a time, one end")
    #expect(recorder.hasEnded, "expected the finish")
    for thread in 0..<threads {
      let numbers = recorder.values.filter { $0.thread == thread }.map(\.number)
      #expect(
        zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 },
        "expected thread \(thread) in order")
    }
  }

  @Test("observe(on:) and values, while being read")
  func observeOn() async {
    let subject = PublishSubject<Stamp, Never>()
    let threads = threads
    // The iterator subscribes when it is made.
    var iterator = subject.observe(on: QueueScheduler(label: "stress"), capacity: 8)
      .values(capacity: 4).makeAsyncIterator()
    let sending = Task.detached {
      Threads.concurrently(threads) { thread in
        for number in 0..<500 { subject.send(Stamp(thread: thread, number: number)) }
      }
      subject.finish()
    }
    var all: [Stamp] = []
    while let stamp = await iterator.next() { all.append(stamp) }
    await sending.value
    for thread in 0..<threads {
      #expect(
        all.filter { $0.thread == thread }.map(\.number) == Array(0..<500),
        "expected every value of thread \(thread), in order")
    }
  }

  @Test("TH-07 inner flows that end on many threads while the source goes on")
  func innerEnds() {
    for round in 0..<50 {
      let source = PublishSubject<Int, Never>()
      let promises = (0..<threads * 10).map { _ in Promise<Int, Never>() }
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: source.flatMap(maxConcurrent: 16) { promises[$0] })
      let threads = threads
      Threads.concurrently(threads) { thread in
        for number in 0..<10 { source.send(thread * 10 + number) }
        for number in 0..<10 {
          promises[number * threads + thread].resolve(number * threads + thread)
        }
      }
      source.finish()
      #expect(
        recorder.values.sorted() == Array(0..<threads * 10),
        "round \(round): expected each inner value once")
      #expect(recorder.hasEnded, "round \(round): expected the finish")
      #expect(recorder.violations == [], "round \(round): expected one at a time, one end")
    }
  }
}
