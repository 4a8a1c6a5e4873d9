import Freshet
import FreshetTesting

private typealias Failing = ContractFailure

/// The synchronous operators of one source, one entry or more for each file.
let oneSource: [ContractEntry] = trying + transforming + filtering + reducing + failing

private let trying: [ContractEntry] = [
  ContractEntry("tryMap", file: "TryMap") { rig in
    rig.source.tryMap { [token = rig.token] value throws(Failing) in token.pass(value * 2) }
  },
  ContractEntry("tryMap, failing at 3", file: "TryMap") { rig in
    rig.source.tryMap { [token = rig.token] value throws(Failing) in
      if value == 3 { throw Failing() }
      return token.pass(value)
    }
  },
  ContractEntry("tryMap, ten in a row", file: "TryMap") { rig in
    rig.source.tryMap { [token = rig.token] value throws(Failing) in token.pass(value) }
      .map { $0 + 1 }.tryMap { value throws(Failing) in value + 1 }
      .tryFilter { value throws(Failing) in value != 4 }
      .tryCompactMap { value throws(Failing) in value == 5 ? nil : value }.erased()
      .tryMap { value throws(Failing) in value + 1 }.filter { $0 != 7 }
      .tryMap { value throws(Failing) in value + 1 }.compactMap { $0 }
      .tryScan(0) { sum, value throws(Failing) in sum &+ value }
  },
  ContractEntry("tryFilter", file: "TryFilter", allowance: 60) { rig in
    rig.source.tryFilter { [token = rig.token] value throws(Failing) in token.pass(value != 2) }
  },
  ContractEntry("tryCompactMap", file: "TryCompactMap") { rig in
    rig.source.tryCompactMap { [token = rig.token] value throws(Failing) in
      token.pass(value == 2 ? nil : "\(value)")
    }
  },
  ContractEntry("tryScan", file: "TryScan") { rig in
    rig.source.tryScan(0) { [token = rig.token] sum, value throws(Failing) in
      token.pass(sum &+ value)
    }
  },
  ContractEntry("tryScan, failing at 3", file: "TryScan") { rig in
    rig.source.tryScan(0) { [token = rig.token] sum, value throws(Failing) in
      if value == 3 { throw Failing() }
      return token.pass(sum &+ value)
    }
  },
]

private let transforming: [ContractEntry] = [
  ContractEntry("scan(into:)", file: "ScanInto") { rig in
    rig.source.scan(into: 0) { [token = rig.token] sum, value in sum = token.pass(sum &+ value) }
  },
  ContractEntry("mapFailure", file: "MapFailure") { rig in
    rig.source.mapFailure { [token = rig.token] _ in token.pass(SingleValueError.noValue) }
  },
  ContractEntry("mapFailure between maps", file: "MapFailure") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }
      .mapFailure { _ in SingleValueError.noValue }.map { $0 + 1 }
  },
  ContractEntry("enumerated", file: "Enumerated") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.enumerated()
  },
  ContractEntry("pairwise", file: "Pairwise", allowance: 60) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.pairwise()
  },
  ContractEntry("replaceNil", file: "ReplaceNil") { rig in
    rig.source.map { [token = rig.token] in token.pass($0 == 2 ? nil : $0) }.replaceNil(with: 0)
  },
  ContractEntry("materialize", file: "Materialize") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.materialize()
  },
  ContractEntry("dematerialize", file: "Dematerialize") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.materialize().dematerialize()
  },
  ContractEntry("dematerialize, an early end", file: "Dematerialize") { rig in
    rig.source.ignoreFailure().map { [token = rig.token] value -> Event<Int, Failing> in
      token.pass(value == 3 ? .end(.failed(Failing())) : .value(value))
    }
    .dematerialize()
  },
  ContractEntry("mapToResult", file: "MapToResult") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.mapToResult()
  },
  ContractEntry("timestamp", file: "Timestamp") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.timestamp(on: rig.scheduler)
  },
  ContractEntry("measureInterval", file: "MeasureInterval") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.measureInterval(on: rig.scheduler)
  },
]

private let filtering: [ContractEntry] = [
  ContractEntry("takeWhile", file: "TakeWhile") { rig in
    rig.source.takeWhile { [token = rig.token] in token.pass($0 != 3) }
  },
  ContractEntry("takeWhile, inclusive", file: "TakeWhile") { rig in
    rig.source.takeWhile(inclusive: true) { [token = rig.token] in token.pass($0 != 3) }
  },
  ContractEntry("takeWhile, always", file: "TakeWhile") { rig in
    rig.source.takeWhile { [token = rig.token] _ in token.pass(true) }
  },
  ContractEntry("skipWhile", file: "SkipWhile", allowance: 60) { rig in
    rig.source.skipWhile { [token = rig.token] in token.pass($0 < 3) }
  },
  ContractEntry("takeLast", file: "TakeLast") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.takeLast(3)
  },
  ContractEntry("takeLast, more than there are", file: "TakeLast") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.takeLast(1_000_000)
  },
  ContractEntry("skipLast", file: "SkipLast", allowance: 60) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.skipLast(2)
  },
  ContractEntry("first", file: "First") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.first()
  },
  ContractEntry("first(where:)", file: "First") { rig in
    rig.source.first { [token = rig.token] in token.pass($0 == 2) }
  },
  ContractEntry("last", file: "Last") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.last()
  },
  ContractEntry("last(where:)", file: "Last") { rig in
    rig.source.last { [token = rig.token] in token.pass($0 < 3) }
  },
  ContractEntry("element(at:)", file: "ElementAt") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.element(at: 1)
  },
  ContractEntry("elements(in:)", file: "ElementAt", allowance: 60) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.elements(in: 1...)
  },
  ContractEntry("distinct", file: "Distinct", allowance: 60) { rig in
    rig.source.distinct { [token = rig.token] in token.pass($0 / 2) }
  },
  ContractEntry("distinct, with a limit", file: "Distinct", allowance: 60) { rig in
    rig.source.distinct(limit: 1) { [token = rig.token] in token.pass($0 / 2) }
  },
  ContractEntry("ignoreValues", file: "IgnoreValues") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.ignoreValues(as: String.self)
  },
  ContractEntry("ignoreFailure", file: "IgnoreFailure") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.ignoreFailure().map { $0 + 1 }
  },
  ContractEntry("single", file: "OnlyValue") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.single { _ in Failing() }
  },
]

private let reducing: [ContractEntry] = [
  ContractEntry("reduce", file: "Reduce") { rig in
    rig.source.reduce(0) { [token = rig.token] in token.pass($0 &+ $1) }
  },
  ContractEntry("reduce(into:)", file: "Reduce") { rig in
    rig.source.reduce(into: 0) { [token = rig.token] sum, value in sum = token.pass(sum &+ value) }
  },
  ContractEntry("two reduces", file: "Fold") { rig in
    rig.source.reduce(0) { [token = rig.token] in token.pass($0 &+ $1) }.reduce(7) { $0 &+ $1 }
  },
  ContractEntry("toArray", file: "ToArray") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.toArray()
  },
  ContractEntry("count", file: "Count") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.count()
  },
  ContractEntry("sum", file: "Sum") { rig in
    rig.source.map { [token = rig.token] in token.pass(Double($0)) }.sum()
  },
  ContractEntry("min(by:)", file: "MinMax") { rig in
    rig.source.min { [token = rig.token] in token.pass($0 < $1) }
  },
  ContractEntry("max(by:)", file: "MinMax") { rig in
    rig.source.max { [token = rig.token] in token.pass($0 < $1) }
  },
  ContractEntry("contains(where:)", file: "Contains") { rig in
    rig.source.contains { [token = rig.token] in token.pass($0 == 2) }
  },
  ContractEntry("contains", file: "Contains") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.contains(-1)
  },
  ContractEntry("allSatisfy", file: "AllSatisfy") { rig in
    rig.source.allSatisfy { [token = rig.token] in token.pass($0 < 3) }
  },
  ContractEntry("defaultIfEmpty", file: "DefaultIfEmpty") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.defaultIfEmpty(-1)
  },
  ContractEntry("defaultIfEmpty, of nothing", file: "DefaultIfEmpty") { rig in
    rig.source.filter { [token = rig.token] _ in token.pass(false) }.defaultIfEmpty(-1)
  },
  ContractEntry("throwIfEmpty", file: "ThrowIfEmpty") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.throwIfEmpty(Failing())
  },
  ContractEntry("throwIfEmpty, of nothing", file: "ThrowIfEmpty") { rig in
    rig.source.filter { _ in false }
      .throwIfEmpty({ [token = rig.token] in token.pass(Failing()) }())
  },
]

private let failing: [ContractEntry] = [
  ContractEntry("replaceFailure(with:)", file: "ReplaceFailure") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.replaceFailure(with: -1)
  },
  ContractEntry("replaceFailure", file: "ReplaceFailure") { rig in
    rig.source.replaceFailure { [token = rig.token] _ in token.pass(-1) }
  },
  ContractEntry("assertNoFailure", file: "AssertNoFailure") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.ignoreFailure()
      .promoteFailure(to: Failing.self).assertNoFailure().map { $0 + 1 }
  },
  ContractEntry("breakpoint", file: "Breakpoint") { rig in
    rig.source.breakpoint(
      onValue: { [token = rig.token] in token.pass($0 == 2) },
      onEnd: { [token = rig.token] _ in token.pass(true) }, hook: {})
  },
  ContractEntry("log", file: "Log") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.log("contract", to: Silence())
  },
]

private struct Silence: LogOutput {
  func write(_ line: String) {}
}
