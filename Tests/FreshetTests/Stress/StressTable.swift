import Freshet
import FreshetTesting

/// A value that knows who sent it and when.
struct Stamp: Sendable, Hashable {
  let thread: Int
  let number: Int
}

/// What a case is built from.
struct StressRig: Sendable {
  /// Everybody sends into this one.
  let one = PublishSubject<Stamp, Never>()

  /// Each thread sends into its own.
  let each = (0..<stressThreads).map { _ in PublishSubject<Stamp, Never>() }

  /// One thread lets time pass while the others send.
  let scheduler = VirtualScheduler()

  func finish() {
    one.finish()
    for subject in each { subject.finish() }
  }
}

let stressThreads = 8

/// What must hold of all stamps that come out, in this order.
enum StressPromise: Sendable {
  /// Every stamp of every thread once, in that thread's order.
  case everything
  /// Of each thread some stamps, each once, in that thread's order.
  case increasing
  /// Of each thread some stamps, perhaps several times, none older than one before.
  case notOlder
  /// At most one stamp.
  case one
}

/// A flow that is stormed by eight threads, and what must hold of what comes out.
struct StressCase: Sendable {
  struct Built: Sendable {
    let flow: AnyFlow<[Stamp], Never>
    let send: @Sendable (Stamp) -> Void
    let finish: @Sendable () -> Void
  }

  let name: String
  /// The rules of the kernel that are behind it, or the name of the subject.
  let covers: [String]
  let promise: StressPromise
  let build: @Sendable (StressRig) -> Built

  /// An operator over the rig's subjects.
  init<Subject: Flow>(
    _ name: String, _ covers: String..., promise: StressPromise = .everything,
    over build: @escaping @Sendable (StressRig) -> Subject
  ) where Subject.Element == [Stamp], Subject.Failure == Never {
    self.name = name
    self.covers = covers
    self.promise = promise
    self.build = { rig in
      Built(
        flow: build(rig).erased(),
        send: { stamp in
          rig.one.send(stamp)
          rig.each[stamp.thread].send(stamp)
        }, finish: { rig.finish() })
    }
  }

  /// A subject, or something else that is sent into by its own means.
  init<Subject: Flow, Input: Sendable>(
    _ name: String, _ covers: String..., promise: StressPromise = .everything,
    subject: @escaping @Sendable () -> Input,
    flow: @escaping @Sendable (Input) -> Subject,
    send: @escaping @Sendable (Input, Stamp) -> Void,
    finish: @escaping @Sendable (Input) -> Void
  ) where Subject.Element == Stamp, Subject.Failure == Never {
    self.name = name
    self.covers = covers
    self.promise = promise
    build = { _ in
      let input = subject()
      return Built(
        flow: flow(input).map { [$0] }.erased(), send: { send(input, $0) },
        finish: { finish(input) })
    }
  }
}

/// The first stamp of something that has a value from the beginning; nobody has sent it.
private let first = Stamp(thread: -1, number: 0)

let stressTable: [StressCase] = subjectStorms + severalSources + oneSourceStorms + timedStorms

private let subjectStorms: [StressCase] = [
  StressCase(
    "PublishSubject", "PublishSubject", subject: { PublishSubject<Stamp, Never>() },
    flow: { $0 }, send: { $0.send($1) }, finish: { $0.finish() }),
  StressCase(
    "BehaviorSubject", "BehaviorSubject", subject: { BehaviorSubject<Stamp, Never>(first) },
    flow: { $0 }, send: { $0.send($1) }, finish: { $0.finish() }),
  StressCase(
    "ReplaySubject", "ReplaySubject", subject: { ReplaySubject<Stamp, Never>(capacity: 3) },
    flow: { $0 }, send: { $0.send($1) }, finish: { $0.finish() }),
  StressCase(
    "LastSubject", "LastSubject", promise: .one, subject: { LastSubject<Stamp, Never>() },
    flow: { $0 }, send: { $0.send($1) }, finish: { $0.finish() }),
  StressCase(
    "Promise", "Promise", promise: .one, subject: { Promise<Stamp, Never>() },
    flow: { $0 }, send: { $0.resolve($1) }, finish: { $0.resolve(first) }),
  StressCase(
    "PublishRelay", "Relay", subject: { (PublishRelay<Stamp>(), PublishSubject<Void, Never>()) },
    flow: { $0.0.takeUntil($0.1) }, send: { $0.0.accept($1) }, finish: { $0.1.send(()) }),
  StressCase(
    "Stateful", "Stateful",
    subject: { (Stateful(wrappedValue: first), PublishSubject<Void, Never>()) },
    flow: { $0.0.projectedValue.takeUntil($0.1) }, send: { $0.0.wrappedValue = $1 },
    finish: { $0.1.send(()) }),
  StressCase(
    "share", "share", subject: { PublishSubject<Stamp, Never>() }, flow: { $0.share() },
    send: { $0.send($1) }, finish: { $0.finish() }),
  StressCase(
    "share for ever, with replay", "share", subject: { PublishSubject<Stamp, Never>() },
    flow: { $0.share(replay: 2, scope: .forever) }, send: { $0.send($1) },
    finish: { $0.finish() }),
  StressCase("publish and autoconnect", "Connectable") { rig in
    rig.one.publish().autoconnect().map { [$0] }
  },
  StressCase("observe(on:) at once", "Handoff") { rig in
    rig.one.observe(on: ImmediateScheduler(), capacity: 4).map { [$0] }
  },
]

private let severalSources: [StressCase] = [
  StressCase("merge of two", "MergeRule", promise: .increasing) { rig in
    rig.each[0].merge(with: rig.each[1]).map { [$0] }
  },
  StressCase("merged", "MergeRule") { rig in rig.each.merged().map { [$0] } },
  StressCase("combineLatest", "CombineLatestRule", promise: .notOlder) { rig in
    rig.each[0].combineLatest(with: rig.each[1]) { [$0, $1] }
  },
  StressCase("combinedLatest", "CombineLatestManyRule", promise: .notOlder) { rig in
    rig.each.combinedLatest()
  },
  StressCase("combinedLatestAtomic", "CombineLatestAtomicRule", promise: .notOlder) { rig in
    rig.each.combinedLatestAtomic()
  },
  StressCase("zip", "ZipRule", promise: .increasing) { rig in
    rig.each[0].zip(with: rig.each[1]) { [$0, $1] }
  },
  StressCase("zipped", "ZipManyRule", promise: .increasing) { rig in rig.each.zipped() },
  StressCase("withLatestFrom", "WithLatestRule", promise: .increasing) { rig in
    rig.each.merged().withLatestFrom(rig.one) { first, _ in [first] }
  },
  StressCase("race", "RaceRule", promise: .increasing) { rig in rig.each.raced().map { [$0] } },
  StressCase("takeUntil", "TakeUntilRule") { rig in
    rig.each.merged().takeUntil(rig.one.filter { _ in false }).map { [$0] }
  },
  StressCase("skipUntil", "SkipUntilRule", promise: .increasing) { rig in
    rig.each.merged().skipUntil(rig.one).map { [$0] }
  },
  StressCase("sample", "SampleRule", promise: .increasing) { rig in
    rig.each.merged().sample(on: rig.one).map { [$0] }
  },
  StressCase("buffer until", "BufferRule") { rig in rig.each.merged().buffer(until: rig.one) },
  StressCase("window until", "WindowRule") { rig in
    rig.each.merged().window(until: rig.one).flatMap { $0 }.map { [$0] }
  },
  StressCase("concat", "ConcatRule", promise: .increasing) { rig in
    rig.each[0].concat(rig.one).map { [$0] }
  },
]

private let oneSourceStorms: [StressCase] = [
  StressCase("flatMap of subjects", "FlatMapRule", promise: .increasing) { rig in
    rig.one.distinct { $0.thread }.flatMap { rig.each[$0.thread] }.map { [$0] }
  },
  StressCase("flatMap", "FlatMapRule") { rig in rig.one.flatMap { Just([$0]) } },
  StressCase("concatMap", "FlatMapRule") { rig in rig.one.concatMap { Just([$0]) } },
  StressCase("flatMapDelayingFailures", "DelayFailuresRule") { rig in
    rig.one.flatMapDelayingFailures(maxConcurrent: 2) { Just([$0]) }
  },
  StressCase("switchMap", "SwitchMapRule", promise: .increasing) { rig in
    rig.one.switchMap { Just([$0]) }
  },
  StressCase("switchMap of subjects", "SwitchMapRule", promise: .increasing) { rig in
    rig.one.switchMap { rig.each[$0.thread] }.map { [$0] }
  },
  StressCase("exhaustMap", "ExhaustMapRule", promise: .increasing) { rig in
    rig.one.exhaustMap { Just([$0]) }
  },
  StressCase("expand", "ExpandRule") { rig in
    rig.one.expand { _ in Empty<Stamp, Never>() }.map { [$0] }
  },
  StressCase("mergeScan", "MergeScanRule") { rig in
    rig.one.mergeScan([]) { (_: [Stamp], stamp: Stamp) in Just([stamp]) }
  },
  StressCase("groupBy", "GroupByRule") { rig in
    rig.each.merged().groupBy { $0.thread }.flatMap { $0 }.map { [$0] }
  },
  StressCase("groupBy after take", "GroupByRule", promise: .increasing) { rig in
    rig.each.merged().groupBy { $0.thread }.take(3).flatMap { $0 }.map { [$0] }
  },
  StressCase("window by count", "WindowRule") { rig in
    rig.one.window(count: 3).concatMap { $0 }.map { [$0] }
  },
  StressCase("buffer by count", "BufferByCountRule") { rig in rig.one.buffer(count: 3) },
  StressCase("retry", "RetryRule") { rig in rig.one.retry(2).map { [$0] } },
  StressCase("retry when", "AgainRule") { rig in
    rig.one.retry { _ in NeverFlow<Void, Never>() }.map { [$0] }
  },
  StressCase("repeat", "RepeatRule") { rig in rig.one.repeat(1).map { [$0] } },
  StressCase("catchError", "CatchRule") { rig in
    rig.one.catchError { (_: Never) -> Just<Stamp> in }.map { [$0] }
  },
  StressCase("catchEveryError", "CatchEveryRule") { rig in
    rig.one.catchEveryError { (_: Never) -> NeverFlow<Stamp, Never>? in }.map { [$0] }
  },
  StressCase("ifEmpty", "IfEmptyRule") { rig in
    rig.one.ifEmpty(switchTo: Just(first)).map { [$0] }
  },
  StressCase("materialize", "LastWordRule") { rig in
    rig.one.materialize().map { event in
      if case .value(let stamp) = event { [stamp] } else { [] }
    }
  },
]

private let timedStorms: [StressCase] = [
  StressCase("debounce", "DebounceRule", promise: .increasing) { rig in
    rig.one.debounce(for: .ticks(2), on: rig.scheduler).map { [$0] }
  },
  StressCase("throttle", "ThrottleRule", promise: .increasing) { rig in
    rig.one.throttle(for: .ticks(2), on: rig.scheduler).map { [$0] }
  },
  StressCase("audit", "AuditRule", promise: .increasing) { rig in
    rig.one.audit(for: .ticks(2), on: rig.scheduler).map { [$0] }
  },
  StressCase("delay", "DelayRule") { rig in
    rig.one.delay(for: .ticks(2), on: rig.scheduler).map { [$0] }
  },
  StressCase("buffer in time", "BufferRule") { rig in
    rig.one.buffer(for: .ticks(2), orCount: 5, on: rig.scheduler)
  },
  StressCase("window in time", "WindowRule") { rig in
    rig.one.window(for: .ticks(2), on: rig.scheduler).flatMap { $0 }.map { [$0] }
  },
  StressCase("timeout, switching", "TimeoutRule", promise: .increasing) { rig in
    rig.one.timeout(after: .ticks(3), on: rig.scheduler, switchTo: rig.one).map { [$0] }
  },
  StressCase("interval", "IntervalRule") { rig in
    Interval(every: .ticks(1), on: rig.scheduler).map { _ in [Stamp]() }
      .merge(with: rig.one.map { [$0] }).takeUntil(rig.one.ignoreValues(as: Int.self).endWith(1))
  },
]
