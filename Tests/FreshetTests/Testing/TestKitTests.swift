import Freshet
import FreshetTesting
import Synchronization
import Testing

/// A test kit that finds nothing is worse than none: each tool is shown something broken.
@Suite("the test kit finds what is broken")
struct TestKitTests {
  @Test("Recorder: values and the end, with their times")
  func transcript() {
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>(scheduler: scheduler)
    recorder.subscribe(to: subject)
    scheduler.advance(by: .milliseconds(3))
    subject.send(7)
    scheduler.advance(by: .milliseconds(2))
    subject.fail(.first)
    #expect(recorder.transcript == ["7@3.0", "failed(first)@5.0"], "expected both, with times")
    #expect(recorder.values == [7] && recorder.end == .failed(.first), "expected the same apart")
    #expect(recorder.violations == [] && recorder.subscription == nil, "expected a clean end")
  }

  @Test("Recorder: complains about values after the end, two ends and a second start")
  func grammar() {
    let source = ScriptedSource<Int, Never>(.unruly)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source)
    source.startAgain()
    source.finish()
    source.send(1)
    source.finish()
    #expect(
      recorder.violations == [
        "started 2 times", "value 1 came after the end", "end finished came after the end",
      ], "expected each to be noted")
    source.release()
  }

  @Test("Recorder: complains about what comes after a dispose on the same thread")
  func afterDispose() {
    let source = ScriptedSource<Int, Never>(.unruly)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source)
    recorder.dispose()
    source.send(1)
    #expect(recorder.violations.count == 1, "expected the late value to be noted")
    source.release()
  }

  @Test("Recorder: tells recursion from concurrency")
  func recursion() {
    let source = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never> { _, value in
      if value == 1 { source.send(2) }
      if value == 3 { Threads.concurrently(1) { _ in source.send(4) } }
      return .more
    }
    recorder.subscribe(to: source)
    source.send(1)
    source.send(3)
    #expect(
      recorder.violations == [
        "value 2 came from inside a delivery", "value 4 came from another thread during a delivery",
      ], "expected each to be noted")
    recorder.dispose()
  }

  @Test("ScriptedSource: the log, the pause and the resume of a script")
  func script() {
    let source = ScriptedSource<Int, Never>(playing: [1, 2, 3])
    let recorder = Recorder<Int, Never> { _, value in value == 2 ? .pause : .more }
    recorder.subscribe(to: source)
    #expect(recorder.values == [1, 2] && !recorder.hasEnded, "expected to stop at the pause")
    recorder.resume()
    #expect(recorder.transcript == ["1", "2", "3", "finished"], "expected the rest")
    var expected = ScriptedSource<Int, Never>.Log()
    expected.subscriptions = 1
    expected.sent = 3
    expected.pauses = 1
    expected.resumes = 1
    #expect(source.log == expected, "expected everything to be logged")
  }

  @Test("LeakProbe: names what is alive")
  func probe() {
    let probe = LeakProbe()
    let kept = probe.token("kept")
    _ = probe.token("gone")
    #expect(probe.alive == ["kept"], "expected only what is alive")
    _ = kept
  }

  @Test("Threads: gives up on a body that does not return")
  func deadlock() {
    let mutex = Mutex(0)
    let release = Atomic<Bool>(false)
    let isDone = Threads.finishes(within: 1) {
      mutex.withLock { _ in
        while !release.load(ordering: .acquiring) {}
      }
    }
    release.store(true, ordering: .releasing)
    #expect(!isDone, "expected to be told that it did not return")
  }

  // MARK: Broken operators

  private func rules<Subject: Flow>(
    _ traits: ContractTraits = [], _ build: @escaping @Sendable (ContractRig) -> Subject
  ) -> Set<Int> {
    Set(
      StreamContract("broken", traits: traits, depth: 100, patience: 1, build: build).violations()
        .map(\.rule))
  }

  @Test("StreamContract: finds nothing wrong with a right operator")
  func rightOperator() {
    #expect(rules { rig in rig.source.map { $0 } } == [], "expected no violation")
  }

  @Test("StreamContract: an operator that ends twice")
  func unguarded() {
    #expect(rules { Broken(source: $0.source, fault: .endsTwice) }.contains(1), "expected rule 1")
  }

  @Test("StreamContract: an operator that works before it is subscribed to")
  func eager() {
    let found = rules { rig in
      let subject = PublishSubject<Int, ContractFailure>()
      rig.source.subscribe(
        onValue: { subject.send($0) }, onEnd: { _ in subject.finish() }
      ).store(in: Kept.bag)
      return subject
    }
    #expect(found.contains(3), "expected rule 3")
  }

  @Test("StreamContract: an operator that keeps its closure after a dispose")
  func leaking() {
    let found = rules { rig in
      Kept.objects.add(rig.token)
      return rig.source.map { $0 }
    }
    #expect(found.contains(4), "expected rule 4")
  }

  @Test("StreamContract: an operator that answers a pause with more")
  func ignoresPause() {
    #expect(
      rules { Broken(source: $0.source, fault: .ignoresPause) }.contains(6), "expected rule 6")
  }

  @Test("StreamContract: an operator that drops what comes after a pause")
  func losesValues() {
    #expect(
      rules { Broken(source: $0.source, fault: .losesAfterPause) }.contains(6), "expected rule 6")
  }

  @Test("StreamContract: an operator that keeps a dispose to itself")
  func keepsDispose() {
    #expect(
      rules { Broken(source: $0.source, fault: .keepsDispose) }.contains(4), "expected rule 4")
  }

  @Test("StreamContract: an operator whose stack grows with the number of values")
  func grows() async {
    // The overflow cannot be reported; it ends the process that looks for it.
    await #expect(processExitsWith: .failure) {
      // Looked at now and then: every time would take the square of the number of values.
      _ = StreamContract("deep", depth: 100_000) { rig in
        rig.source.scan(Chain(before: nil)) { chain, _ in Chain(before: chain) }
          .map { $0.count.isMultiple(of: 5000) ? $0.length : 0 }
      }.violations()
    }
  }

  @Test("StreamContract: an operator that calls on under a lock")
  func locks() {
    #expect(rules { Broken(source: $0.source, fault: .locks) }.contains(7), "expected rule 7")
  }

  private enum Kept {
    static let bag = DisposeBag()
    static let objects = Seen<LeakProbe.Token>()
  }
}

/// Passes on, with a fault.
private struct Broken: Flow {
  enum Fault: Sendable { case endsTwice, ignoresPause, losesAfterPause, keepsDispose, locks }

  typealias Element = Int
  typealias Failure = ContractFailure
  let source: AnyFlow<Int, ContractFailure>
  let fault: Fault
  private let queue = Serial()

  init(source: AnyFlow<Int, ContractFailure>, fault: Fault) {
    self.source = source
    self.fault = fault
  }

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Int, O.Failure == ContractFailure {
    source.subscribe(Inside(downstream: observer, fault: fault, queue: queue))
  }

  /// A lock that is held while calling on.
  final class Serial: Sendable {
    private let owner = Mutex<Bool>(false)

    func hold<Result>(_ body: () -> Result) -> Result {
      while !owner.withLock({ isTaken in
        defer { isTaken = true }
        return !isTaken
      }) {}
      defer { owner.withLock { $0 = false } }
      return body()
    }
  }

  struct Inside<O: Observer>: Observer where O.Element == Int, O.Failure == ContractFailure {
    var downstream: O
    let fault: Fault
    let queue: Serial
    var mustDrop = false

    init(downstream: O, fault: Fault, queue: Serial) {
      self.downstream = downstream
      self.fault = fault
      self.queue = queue
    }

    static var mayPause: Bool { true }

    mutating func start(_ subscription: Subscription) {
      switch fault {
      case .locks: queue.hold { downstream.start(subscription) }
      case .keepsDispose: downstream.start(Subscription())
      default: downstream.start(subscription)
      }
    }

    mutating func receive(_ value: Int) -> Answer {
      switch fault {
      case .ignoresPause:
        return downstream.receive(value) == .stop ? .stop : .more
      case .locks:
        return queue.hold { downstream.receive(value) }
      case .losesAfterPause:
        if mustDrop {
          mustDrop = false
          return .more
        }
        let answer = downstream.receive(value)
        mustDrop = answer == .pause
        return answer
      case .endsTwice, .keepsDispose:
        return downstream.receive(value)
      }
    }

    mutating func end(_ end: End<ContractFailure>) {
      downstream.end(end)
      if fault == .endsTwice { downstream.end(end) }
    }
  }
}

/// A list that is as deep as it is long.
private final class Chain: Sendable {
  let count: Int
  private let before: Chain?

  init(before: Chain?) {
    self.before = before
    count = (before?.count ?? 0) + 1
  }

  /// The same as the count, by going down to the bottom.
  var length: Int { (before?.length ?? 0) + 1 }
}
