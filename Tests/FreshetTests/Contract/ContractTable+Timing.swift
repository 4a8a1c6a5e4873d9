import Freshet
import FreshetTesting

private typealias Failing = ContractFailure

private func held(_ rig: ContractRig) -> some Flow<Int, ContractFailure> {
  rig.source.map { [token = rig.token] in token.pass($0) }
}

/// The operators with time, besides those of the first table.
let timing: [ContractEntry] = [
  ContractEntry("throttle", file: "Throttle", allowance: 20_000) { rig in
    held(rig).throttle(for: .seconds(1_000_000), on: rig.scheduler)
  },
  ContractEntry("throttle, leading", file: "Throttle", allowance: 20_000) { rig in
    held(rig).throttle(for: .seconds(1_000_000), on: rig.scheduler, trailing: false)
  },
  ContractEntry("throttle, trailing", file: "Throttle", allowance: 20_000) { rig in
    held(rig).throttle(for: .seconds(1_000_000), on: rig.scheduler, leading: false)
  },
  ContractEntry("delay", file: "Delay", allowance: 20_000) { rig in
    held(rig).delay(for: .seconds(1), on: rig.scheduler)
  },
  ContractEntry("delay, failures too", file: "Delay", allowance: 20_000) { rig in
    held(rig).delay(for: .seconds(1), on: rig.scheduler, failFast: false)
  },
  ContractEntry("delaySubscription", file: "Delay", traits: .late) { rig in
    held(rig).delaySubscription(for: .seconds(1), on: rig.scheduler)
  },
  ContractEntry("timeout, the source", file: "Timeout") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }
      .timeout(after: .seconds(1_000_000), on: rig.scheduler) { Failing() }
  },
  ContractEntry("timeout, the replacement", file: "Timeout", traits: .late) { rig in
    NeverFlow<Int, Failing>().timeout(
      after: .seconds(1), on: rig.scheduler, switchTo: held(rig))
  },
  ContractEntry("sample, the source", file: "Sample", allowance: 20_000) { rig in
    held(rig).sample(on: NeverFlow<Int, Failing>())
  },
  ContractEntry("sample, the signal", file: "Sample", traits: .lossy, allowance: 20_000) { rig in
    Just(-1).promoteFailure(to: Failing.self).concat(NeverFlow()).sample(on: held(rig))
  },
  ContractEntry("audit", file: "Audit", allowance: 20_000) { rig in
    held(rig).audit(for: .seconds(1), on: rig.scheduler)
  },
  ContractEntry("take(for:)", file: "TakeFor") { rig in
    held(rig).take(for: .seconds(1_000_000), on: rig.scheduler)
  },
  ContractEntry("skip(for:)", file: "TakeFor", traits: .lossy, allowance: 20_000) { rig in
    held(rig).skip(for: .seconds(1), on: rig.scheduler)
  },
  ContractEntry("subscribe(on:)", file: "SubscribeOn", traits: .late) { rig in
    held(rig).subscribe(on: rig.scheduler)
  },
  ContractEntry("subscribe(on:) at once", file: "SubscribeOn") { rig in
    held(rig).subscribe(on: ImmediateScheduler())
  },
]

/// The operators with several observers.
let sharing: [ContractEntry] = [
  ContractEntry("share(replay:)", file: "Share", traits: .shared) { rig in
    held(rig).share(replay: 2)
  },
  ContractEntry("share for ever", file: "Share", traits: .shared) { rig in
    held(rig).share(replay: 2, scope: .forever)
  },
  ContractEntry("ReplaySubject, following", file: "ReplaySubject", traits: .lossy) { rig in
    let subject = ReplaySubject<Int, Failing>(capacity: 3)
    for value in -2..<0 { subject.send(value) }
    return subject.take(2).map { [token = rig.token] in token.pass($0) }.concat(held(rig))
  },
  ContractEntry("ReplaySubject, over", file: "ReplaySubject", traits: .noSource) { rig in
    let subject = ReplaySubject<Int, Failing>(capacity: 3)
    for value in 0..<5 { subject.send(value) }
    subject.fail(Failing())
    return subject.map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("LastSubject", file: "LastSubject", traits: .noSource) { rig in
    let subject = LastSubject<Int, Failing>()
    subject.send(1)
    subject.finish()
    return subject.map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("PublishRelay", file: "Relay", traits: .noSource) { rig in
    PublishRelay<Int>().map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("BehaviorRelay", file: "Relay", traits: .noSource) { rig in
    BehaviorRelay(1).map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("publish and connect", file: "Connectable") { rig in
    Connecting(source: held(rig))
  },
]

/// The sources, besides those of the first table.
let makingSources: [ContractEntry] = [
  ContractEntry("Interval", file: "Interval", traits: .noSource) { rig in
    // Without the numbers: ticks that fall into a pause are left out.
    Interval(every: .seconds(1), on: rig.scheduler)
      .map { [token = rig.token] _ in token.pass(0) }.take(5)
  },
  ContractEntry("Timer", file: "Timer", traits: .noSource) { rig in
    Timer(after: .seconds(1), on: rig.scheduler).map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("Deferred", file: "Deferred") { rig in
    Deferred { [token = rig.token, source = rig.source] in source.map { token.pass($0) } }
  },
  ContractEntry("Using", file: "Using") { rig in
    Using { [token = rig.token] in
      token
    } use: { [source = rig.source] token in
      source.map { token.pass($0) }
    } release: { [token = rig.token] in
      token.pass(_ = $0)
    }
  },
  ContractEntry("Create, forwarding", file: "Create") { rig in
    Create<Int, Failing> { [token = rig.token, source = rig.source] emitter in
      let forwarding = source.subscribe(Forwarder(emitter: emitter, token: token))
      emitter.onResume { forwarding.resume() }
      return Disposable(forwarding)
    }
  },
  ContractEntry("Result", file: "ResultFlow", traits: .noSource) { rig in
    Result<Int, Failing>.success(1).flow.map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("Optional", file: "ResultFlow", traits: .noSource) { rig in
    Int?.some(1).flow.map { [token = rig.token] in token.pass($0) }
  },
]

/// Brings a flow's events to an emitter and the emitter's answers back.
private struct Forwarder: Observer {
  let emitter: Emitter<Int, ContractFailure>
  let token: LeakProbe.Token
  var source: Subscription?

  init(emitter: Emitter<Int, ContractFailure>, token: LeakProbe.Token) {
    self.emitter = emitter
    self.token = token
  }

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    guard source == nil else {
      subscription.dispose()
      return
    }
    source = subscription
  }

  mutating func receive(_ value: Int) -> Answer { emitter.send(token.pass(value)) }

  mutating func end(_ end: End<ContractFailure>) {
    switch end {
    case .finished: emitter.finish()
    case .failed(let failure): emitter.fail(failure)
    }
  }
}

/// Connects with each subscription, and stops the source with its end or dispose.
private struct Connecting<Source: Flow>: Flow {
  typealias Element = Source.Element
  typealias Failure = Source.Failure
  let source: Source

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let shared = source.publish()
    let connection = Box<Disposable>()
    let resource = Using {
      connection
    } use: { _ in
      shared
    } release: { connection in
      connection.value?.dispose()
    }
    let subscription = resource.subscribe(observer)
    guard !subscription.isDisposed else { return subscription }
    let token = shared.connect()
    connection.value = token
    if subscription.isDisposed { token.dispose() }
    return subscription
  }
}
