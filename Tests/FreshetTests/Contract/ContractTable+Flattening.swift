import Freshet
import FreshetTesting

private typealias Failing = ContractFailure

private func held(_ rig: ContractRig) -> some Flow<Int, ContractFailure> {
  rig.source.map { [token = rig.token] in token.pass($0) }
}

/// The operators that turn values into flows, besides those of the first table.
let flatteningMore: [ContractEntry] = [
  ContractEntry("concatMap", file: "ConcatMap") { rig in
    rig.source.concatMap { [token = rig.token] value in
      token.pass([value, value * 10].flow.promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("flatten", file: "Flatten", traits: .reorders) { rig in
    rig.source.map { [token = rig.token] value in
      token.pass([value, value * 10].flow.promoteFailure(to: Failing.self))
    }.flatten()
  },
  ContractEntry("switchToLatest", file: "Flatten") { rig in
    rig.source.map { [token = rig.token] value in
      token.pass(Just(value).promoteFailure(to: Failing.self))
    }.switchToLatest()
  },
  ContractEntry("exhaustMap, the source", file: "ExhaustMap") { rig in
    rig.source.exhaustMap { [token = rig.token] value in
      token.pass(Just(value).promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("exhaustMap, the inner", file: "ExhaustMap") { rig in
    Just(0).promoteFailure(to: Failing.self).exhaustMap { [token = rig.token] _ in
      token.pass(rig.source)
    }
  },
  ContractEntry("expand, the source", file: "Expand", traits: .reorders) { rig in
    rig.source.expand { [token = rig.token] value in
      token.pass((value < 1000 ? [value + 1000] : []).flow.promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("expand one at a time", file: "Expand", traits: .reorders) { rig in
    rig.source.expand(maxConcurrent: 1) { [token = rig.token] value in
      token.pass((value < 1000 ? [value + 1000] : []).flow.promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("groupBy, flattened", file: "GroupBy", traits: .reorders, allowance: 300) { rig in
    rig.source.groupBy { [token = rig.token] in token.pass($0 % 3) }
      .flatMap { group in group.map { "\(group.key) \($0)" } }
  },
  ContractEntry("groupBy, the groups", file: "GroupBy", allowance: 20_000) { rig in
    rig.source.groupBy { [token = rig.token] in token.pass($0 % 3) }.map { $0.key }
  },
  ContractEntry("window by count, flattened", file: "Window", traits: .reorders) { rig in
    held(rig).window(count: 3).flatMap { $0 }
  },
  ContractEntry("window by count, one after the other", file: "Window") { rig in
    held(rig).window(count: 3).concatMap { $0 }
  },
  ContractEntry("window by time, flattened", file: "Window", traits: [.reorders, .lossy]) { rig in
    held(rig).window(for: .seconds(1), on: rig.scheduler).flatMap { $0 }
  },
  ContractEntry("window by signal, flattened", file: "Window", traits: [.reorders, .lossy]) { rig in
    held(rig).window(until: NeverFlow<Int, Failing>()).flatMap { $0 }
  },
  ContractEntry("buffer by count", file: "Buffer", allowance: 120) { rig in
    held(rig).buffer(count: 3).map { "\($0)" }
  },
  ContractEntry("buffer by count, overlapping", file: "Buffer", allowance: 70) { rig in
    held(rig).buffer(count: 3, every: 2).map { "\($0)" }
  },
  ContractEntry("buffer by time", file: "BufferInTime", traits: .lossy, allowance: 20_000) { rig in
    held(rig).buffer(for: .seconds(1), on: rig.scheduler).map { "\($0)" }
  },
  ContractEntry("buffer by time or count", file: "BufferInTime", allowance: 70) { rig in
    held(rig).buffer(for: .seconds(1), orCount: 2, on: rig.scheduler).map { "\($0)" }
  },
  ContractEntry("buffer until a signal", file: "BufferInTime", allowance: 20_000) { rig in
    held(rig).buffer(until: NeverFlow<Int, Failing>()).map { "\($0)" }
  },
  ContractEntry("buffer, the signal", file: "BufferInTime", allowance: 20_000) { rig in
    NeverFlow<Int, Failing>().buffer(until: held(rig), emptyLists: true).map { "\($0)" }
  },
]

/// The operators that subscribe again.
let repeating: [ContractEntry] = [
  ContractEntry("retry(0)", file: "Retry") { rig in
    rig.source.retry(0) { [token = rig.token] _ in token.pass(true) }
  },
  ContractEntry("retry, not this failure", file: "Retry") { rig in
    rig.source.retry(3) { [token = rig.token] _ in token.pass(false) }
  },
  ContractEntry("retry, the second attempt", file: "Retry") { rig in
    Deferred { failingOnce(rig, Counter()).retry(1) }
  },
  ContractEntry("retry after a pause", file: "Retry", traits: .late) { rig in
    Deferred {
      failingOnce(rig, Counter()).retry(1, after: .constant(.seconds(1)), on: rig.scheduler)
    }
  },
  ContractEntry("retry when, the source", file: "RetryWhen") { rig in
    rig.source.retry { [token = rig.token] failures in
      failures.promoteFailure(to: Failing.self)
        .flatMap { token.pass(Fail<Int, Failing>($0)) }
    }
  },
  ContractEntry("retry when, the signal", file: "RetryWhen", allowance: 20_000) { rig in
    NeverFlow<Int, Failing>().retry { [token = rig.token] _ in
      rig.source.filter { token.pass($0 < 0) }
    }
  },
  ContractEntry("repeat(1)", file: "Repeat") { rig in
    held(rig).repeat(1)
  },
  ContractEntry("repeat, the second run", file: "Repeat") { rig in
    Deferred { emptyOnce(rig, Counter()).repeat(2) }
  },
  ContractEntry("repeat when", file: "RetryWhen") { rig in
    rig.source.repeat { [token = rig.token] finishes in
      finishes.promoteFailure(to: Failing.self).take(1).filter { token.pass(false) }
    }
  },
]

/// Fails with the first subscription and is the rig's source from then on.
private func failingOnce(
  _ rig: ContractRig, _ tries: Counter
) -> some Flow<Int, ContractFailure> {
  Deferred { [token = rig.token, source = rig.source] in
    tries.next() == 1 ? Fail(Failing()).erased() : source.map { token.pass($0) }.erased()
  }
}

/// Finishes with the first subscription and is the rig's source from then on.
private func emptyOnce(_ rig: ContractRig, _ runs: Counter) -> some Flow<Int, ContractFailure> {
  Deferred { [token = rig.token, source = rig.source] in
    runs.next() == 1 ? Empty<Int, Failing>().erased() : source.map { token.pass($0) }.erased()
  }
}
