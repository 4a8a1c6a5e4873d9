import Freshet
import Synchronization

extension StreamContract {
  /// Rule 5: the stack does not grow with values, re-entrant sends or resumes.
  ///
  /// An overflow cannot be reported; it crashes the process, in this function.
  func depthViolations() -> [ContractViolation] {
    guard !traits.contains(.noSource) else { return [] }
    let found = Mutex<[ContractViolation]>([])
    Threads.onSmallStack {
      // Values of a cold source.
      let cold = rig(ScriptedSource<Int, ContractFailure>(generating: upTo(depth), end: .finished))
      let counted = Recorder<Subject.Element, Subject.Failure>()
      counted.subscribe(to: cold.flow)
      cold.settle()
      counted.dispose()

      // Every output sends the next input.
      let subject = PublishSubject<Int, ContractFailure>()
      let setup = rig(subject)
      let sent = Atomic<Int>(0)
      let send: @Sendable () -> Void = {
        let number = sent.add(1, ordering: .relaxed).newValue
        if number <= depth { subject.send(number) }
      }
      let echo = Recorder<Subject.Element, Subject.Failure> { _, _ in
        send()
        return .more
      }
      echo.subscribe(to: setup.flow)
      send()
      setup.settle()
      echo.dispose()

      // Every value is answered with a pause and resumed from inside.
      let paused = rig(
        ScriptedSource<Int, ContractFailure>(generating: upTo(depth / 10), end: .finished))
      let resumer = Recorder<Subject.Element, Subject.Failure> { recorder, _ in
        recorder.resume()
        return .pause
      }
      resumer.subscribe(to: paused.flow)
      paused.settle()
      resumer.dispose()
      let texts = counted.violations + echo.violations + resumer.violations
      let violations = complaints(texts, rule: 2, when: "\(depth) values")
      found.withLock { $0 += violations }
    }
    return found.withLock { $0 }
  }

  private func upTo(_ limit: Int) -> @Sendable (Int) -> Int? {
    { $0 < limit ? $0 : nil }
  }

  /// Rule 7: whatever an observer or a deinit calls, from any thread, nothing waits for it.
  func lockViolations() -> [ContractViolation] {
    guard !traits.contains(.noSource) else { return [] }
    var found: [ContractViolation] = []
    let subject = PublishSubject<Int, ContractFailure>()
    let setup = rig(subject)
    let stuck = Mutex<[String]>([])
    let recorder = Recorder<Subject.Element, Subject.Failure> { recorder, _ in
      guard recorder.valueCount <= 2 else { return .more }
      let isDone = Threads.finishes(within: patience) {
        subject.send(50)
        let other = Recorder<Subject.Element, Subject.Failure>()
        other.subscribe(to: setup.flow)
        other.dispose()
      }
      if !isDone { stuck.withLock { $0.append("sending, subscribing and disposing") } }
      return .more
    }
    recorder.subscribe(to: setup.flow)
    for value in 1...3 {
      subject.send(value)
      setup.settle()
    }
    let isDone = Threads.finishes(within: patience) { recorder.dispose() }
    if !isDone { stuck.withLock { $0.append("disposing") } }
    for what in stuck.withLock({ $0 }) {
      found.append(violation(7, "\(what) on another thread during a delivery did not return"))
    }
    return found
  }
}
