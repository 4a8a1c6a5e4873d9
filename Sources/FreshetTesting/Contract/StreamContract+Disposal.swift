import Freshet
import Synchronization

extension StreamContract {
  private enum Place: Sendable, CaseIterable {
    case outside, inside, otherThread
  }

  /// Rule 4: dispose at every point, from everywhere; then silence, and nothing is kept.
  func disposalViolations() -> [ContractViolation] {
    var found: [ContractViolation] = []
    for place in Place.allCases {
      for point in 0...4 { found += dispose(after: point, place) }
    }
    found += disposeInStart()
    found += releaseAtEnd()
    return found
  }

  private func dispose(after point: Int, _ place: Place) -> [ContractViolation] {
    let when = "disposing after \(point) values, \(place)"
    var found: [ContractViolation] = []
    let source = ScriptedSource<Int, ContractFailure>()
    let probe: LeakProbe
    let recorder = Recorder<Subject.Element, Subject.Failure> { recorder, _ in
      if place == .inside, recorder.valueCount == point { recorder.dispose() }
      return .more
    }
    do {
      let setup = rig(source)
      probe = setup.probe
      recorder.subscribe(to: setup.flow)
      setup.settle()
      let driven = traits.contains(.noSource) ? 0 : point
      for value in 0..<driven {
        source.send(value)
        setup.settle()
      }
      switch place {
      case .outside: recorder.dispose()
      case .inside: break
      case .otherThread: Threads.concurrently(1) { _ in recorder.dispose() }
      }
      let seen = recorder.events.count
      let isDisposed = recorder.subscription == nil
      recorder.dispose()
      recorder.dispose()
      source.send(100)
      setup.settle()
      if isDisposed, recorder.events.count != seen {
        found.append(violation(4, "\(when): \(recorder.transcript[seen...]) came after it"))
      }
      found += complaints(of: recorder, rule: 4, when: when)
    }
    let log = source.log
    if !traits.contains(.noSource), source.activeCount != 0 {
      found.append(violation(4, "\(when): the source still has \(source.activeCount) observers"))
    }
    if log.disposals > log.subscriptions {
      found.append(violation(4, "\(when): the source was disposed of \(log.disposals) times"))
    }
    if !probe.alive.isEmpty {
      found.append(violation(4, "\(when): still held: \(probe.alive)"))
    }
    return found
  }

  /// Disposing of the handle as soon as it is given: no value, no end, no source left behind.
  private func disposeInStart() -> [ContractViolation] {
    let source = ScriptedSource<Int, ContractFailure>(playing: [1, 2, 3])
    let events = EventLog()
    let probe: LeakProbe
    do {
      let setup = rig(source)
      probe = setup.probe
      setup.flow.subscribe(ImpatientObserver(log: events))
      setup.settle()
    }
    var found: [ContractViolation] = []
    if !events.lines.isEmpty {
      found.append(violation(4, "disposing in start: \(events.lines) came after it"))
    }
    if !probe.alive.isEmpty {
      found.append(violation(4, "disposing in start: still held: \(probe.alive)"))
    }
    return found
  }

  /// After a finish and after a failure nothing is held either.
  private func releaseAtEnd() -> [ContractViolation] {
    guard traits.isDisjoint(with: [.noSource]) else { return [] }
    var found: [ContractViolation] = []
    for end in [End<ContractFailure>.finished, .failed(ContractFailure())] {
      let source = ScriptedSource<Int, ContractFailure>()
      let recorder = Recorder<Subject.Element, Subject.Failure>()
      let probe: LeakProbe
      do {
        let setup = rig(source)
        probe = setup.probe
        recorder.subscribe(to: setup.flow)
        for value in 1...3 { source.send(value) }
        source.send(end: end)
        setup.settle()
      }
      if recorder.hasEnded, !probe.alive.isEmpty {
        found.append(violation(4, "after \(end): still held: \(probe.alive)"))
      }
      recorder.dispose()
    }
    return found
  }
}

/// Disposes of its subscription at once.
private struct ImpatientObserver<Element: Sendable, Failure: Error>: Observer {
  let log: EventLog

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) { subscription.dispose() }

  mutating func receive(_ value: Element) -> Answer {
    log.note("\(value)")
    return .more
  }

  mutating func end(_ end: End<Failure>) { log.note("\(end)") }
}
