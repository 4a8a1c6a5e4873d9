import Freshet
import FreshetTesting

private typealias Failing = ContractFailure

private func held(_ rig: ContractRig) -> some Flow<Int, ContractFailure> {
  rig.source.map { [token = rig.token] in token.pass($0) }
}

/// The operators that combine several flows, besides those of the first table.
let combiningMany: [ContractEntry] = [
  ContractEntry("zip, the first", file: "Zip", traits: .lossy, allowance: 70) { rig in
    held(rig).zip(with: (0..<1_000_000).flow.promoteFailure()).map { "\($0)" }
  },
  ContractEntry("zip, the second", file: "Zip", traits: .lossy, allowance: 70) { rig in
    (0..<1_000_000).flow.promoteFailure(to: Failing.self).zip(with: held(rig))
      .map { "\($0)" }
  },
  ContractEntry("zipped", file: "CombineLatestMany", traits: .lossy, allowance: 70) { rig in
    [held(rig).erased(), (0..<1_000_000).flow.promoteFailure(to: Failing.self).erased()].zipped()
      .map { "\($0)" }
  },
  ContractEntry("combinedLatest", file: "CombineLatestMany", traits: .lossy) { rig in
    [Just(-1).promoteFailure(to: Failing.self).erased(), held(rig).erased()].combinedLatest()
      .map { "\($0)" }
  },
  ContractEntry("combineLatest of a pack", file: "AnyNumber", traits: .lossy) { rig in
    combineLatest(
      Just("x").promoteFailure(to: Failing.self).erased(), held(rig).erased()
    ) { "\($0)\($1)" }
  },
  ContractEntry("combineLatestAtomic", file: "CombineLatestAtomic", traits: .lossy) { rig in
    Just(-1).promoteFailure(to: Failing.self).combineLatestAtomic(with: held(rig)) { $0 + $1 }
  },
  ContractEntry("combinedLatestAtomic", file: "CombineLatestAtomic", traits: .lossy) { rig in
    [Just(-1).promoteFailure(to: Failing.self).erased(), held(rig).erased()].combinedLatestAtomic()
      .map { "\($0)" }
  },
  ContractEntry("monitored", file: "Monitored") { rig in
    held(rig).monitored("rig", by: FlowMonitor())
  },
  ContractEntry("withLatestFrom, the source", file: "WithLatestFrom") { rig in
    held(rig).withLatestFrom(Just(100).promoteFailure(to: Failing.self)) { $0 + $1 }
  },
  ContractEntry(
    "withLatestFrom, the other", file: "WithLatestFrom", traits: .lossy, allowance: 20_000
  ) { rig in
    NeverFlow<Int, Failing>().withLatestFrom(held(rig)) { $0 + $1 }
  },
  ContractEntry("race, the winner", file: "Race") { rig in
    held(rig).race(with: NeverFlow())
  },
  ContractEntry("raced, the last", file: "Race") { rig in
    [NeverFlow<Int, Failing>().erased(), NeverFlow().erased(), held(rig).erased()].raced()
  },
  ContractEntry("sequenceEqual", file: "SequenceEqual", traits: .lossy, allowance: 200) { rig in
    held(rig).sequenceEqual(to: (0..<1_000_000).flow.promoteFailure(to: Failing.self))
  },
  ContractEntry("concat, the first of two", file: "Concat") { rig in
    held(rig).concat([-1, -2].flow.promoteFailure(to: Failing.self))
  },
  ContractEntry("concat, the second", file: "Concat", traits: .lossy) { rig in
    [-1, -2].flow.promoteFailure(to: Failing.self).concat(held(rig))
  },
  ContractEntry("concatenated", file: "ConcatMap", traits: .lossy) { rig in
    [Just(-1).promoteFailure(to: Failing.self).erased(), held(rig).erased()].concatenated()
  },
  ContractEntry("endWith", file: "EndWith") { rig in
    held(rig).endWith(-1, -2)
  },
  ContractEntry("ifEmpty, the source", file: "IfEmpty") { rig in
    held(rig).ifEmpty(switchTo: Just(-1).promoteFailure())
  },
  ContractEntry("ifEmpty, the other", file: "IfEmpty") { rig in
    Empty<Int, Failing>().ifEmpty(switchTo: held(rig))
  },
]
