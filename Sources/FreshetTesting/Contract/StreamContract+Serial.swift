import Freshet
import Synchronization

extension StreamContract {
  /// Rules 2, 8 and 12: one at a time, never recursive, state first, in order.
  func serialViolations() -> [ContractViolation] {
    guard !traits.contains(.noSource) else { return [] }
    var found: [ContractViolation] = []

    // Re-entrant: each of the first outputs sends the next input.
    let inside = feed(reentrant: true)
    let plain = feed(reentrant: false)
    found += complaints(inside.complaints, rule: 2, when: "sending from inside a delivery")
    if !traits.contains(.lossy), inside.transcript != plain.transcript {
      found.append(
        violation(
          8,
          "the same inputs sent from inside a delivery: expected \(plain.transcript), "
            + "got \(inside.transcript)"))
    }

    // Concurrent: nothing overlaps, nothing is lost or doubled.
    let subject = PublishSubject<Int, ContractFailure>()
    let setup = rig(subject)
    let recorder = Recorder<Subject.Element, Subject.Failure>()
    recorder.subscribe(to: setup.flow)
    Threads.concurrently(4) { thread in
      for number in 0..<100 { subject.send(thread * 100 + number) }
    }
    setup.settle()
    found += complaints(of: recorder, rule: 2, when: "four threads sending")
    recorder.dispose()
    return found
  }

  private func feed(reentrant: Bool) -> (transcript: [String], complaints: [String]) {
    let subject = PublishSubject<Int, ContractFailure>()
    let setup = rig(subject)
    let next = Mutex(2)
    let send: @Sendable () -> Void = {
      let value = next.withLock { next -> Int? in
        guard next <= 8 else { return nil }
        next += 1
        return next - 1
      }
      if let value { subject.send(value) }
    }
    let recorder = Recorder<Subject.Element, Subject.Failure> { _, _ in
      if reentrant { send() }
      return .more
    }
    recorder.subscribe(to: setup.flow)
    subject.send(1)
    setup.settle()
    for _ in 0..<8 {
      send()
      setup.settle()
    }
    subject.finish()
    setup.settle()
    recorder.dispose()
    return (recorder.transcript, recorder.violations)
  }

  /// Rule 3: no work before the subscription; once per subscription, unless shared.
  func lazinessViolations() -> [ContractViolation] {
    guard traits.isDisjoint(with: [.noSource, .late]) else { return [] }
    var found: [ContractViolation] = []
    let source = ScriptedSource<Int, ContractFailure>()
    let setup = rig(source)
    setup.settle()
    if source.log.subscriptions != 0 {
      found.append(violation(3, "the source was subscribed to before anybody subscribed"))
    }
    let recorders = (1...2).map { _ in Recorder<Subject.Element, Subject.Failure>() }
    for recorder in recorders { recorder.subscribe(to: setup.flow) }
    setup.settle()
    let expected = traits.contains(.shared) ? 1 : 2
    if source.log.subscriptions != expected {
      found.append(
        violation(
          3,
          "two observers: expected \(expected) subscriptions to the source, "
            + "got \(source.log.subscriptions)"))
    }
    source.send(1)
    source.send(2)
    source.finish()
    setup.settle()
    if recorders[0].transcript != recorders[1].transcript {
      found.append(
        violation(
          3,
          "two observers of the same inputs: \(recorders[0].transcript) "
            + "and \(recorders[1].transcript)"))
    }
    for recorder in recorders { recorder.dispose() }
    return found
  }
}
