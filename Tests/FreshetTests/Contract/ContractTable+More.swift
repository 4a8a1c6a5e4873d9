import Freshet
import FreshetTesting

private typealias Failing = ContractFailure

private func held(_ rig: ContractRig) -> some Flow<Int, ContractFailure> {
  rig.source.map { [token = rig.token] in token.pass($0) }
}

/// The operators of the third slice.
let thirdSlice: [ContractEntry] =
  combiningMore + flatteningYetMore + transformingMore + tryingMore + sourcesMore

private let combiningMore: [ContractEntry] = [
  ContractEntry(
    "withLatestFrom of many, the source", file: "WithLatestFromMany"
  ) { rig in
    held(rig).withLatestFrom(
      Just(100).promoteFailure(to: Failing.self).erased(),
      Just("x").promoteFailure(to: Failing.self).erased()
    ) { "\($0)\($1)\($2)" }
  },
  ContractEntry(
    "withLatestFrom of many, another", file: "WithLatestFromMany", traits: .lossy,
    allowance: 20_000
  ) { rig in
    NeverFlow<Int, Failing>().withLatestFrom(
      held(rig).erased(), Just("x").promoteFailure(to: Failing.self).erased()
    ) { "\($0)\($1)\($2)" }
  },
  ContractEntry("forkJoined", file: "ForkJoin", allowance: 20_000) { rig in
    [held(rig).erased(), Just(-1).promoteFailure(to: Failing.self).erased()].forkJoined()
      .map { "\($0)" }
  },
  ContractEntry("inBatches", file: "InBatches", traits: .lossy, allowance: 80) { rig in
    [
      Just(-1).promoteFailure(to: Failing.self).erased(),
      Just(-2).promoteFailure(to: Failing.self).erased(), held(rig).erased(),
      (0..<1_000_000).flow.promoteFailure(to: Failing.self).erased(),
    ].inBatches(of: 2).map { "\($0)" }
  },
  ContractEntry("zip with a function", file: "Zip", traits: .lossy, allowance: 70) { rig in
    held(rig).zip(with: (0..<1_000_000).flow.promoteFailure()) { $0 + $1 }
  },
]

private let flatteningYetMore: [ContractEntry] = [
  ContractEntry(
    "flatMapDelayingFailures, the source", file: "FlatMapDelayingFailures", traits: .reorders
  ) { rig in
    rig.source.flatMapDelayingFailures { [token = rig.token] value in
      token.pass([value, value * 10].flow.promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("flatMapDelayingFailures, the inner", file: "FlatMapDelayingFailures") { rig in
    Just(0).promoteFailure(to: Failing.self).flatMapDelayingFailures { [token = rig.token] _ in
      token.pass(rig.source)
    }
  },
  ContractEntry(
    "concatenatedDelayingFailures", file: "FlatMapDelayingFailures", traits: .lossy
  ) { rig in
    [Fail<Int, Failing>(Failing()).erased(), held(rig).erased()].concatenatedDelayingFailures()
  },
  ContractEntry("mergeScan, the source", file: "MergeScan", traits: .reorders) { rig in
    rig.source.mergeScan(0, maxConcurrent: 1) { [token = rig.token] sum, value in
      token.pass([sum &+ value, sum &- value].flow.promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("mergeScan, the inner", file: "MergeScan") { rig in
    Just(0).promoteFailure(to: Failing.self).mergeScan(0) { [token = rig.token] _, _ in
      token.pass(rig.source)
    }
  },
  ContractEntry("delayWhen", file: "DelayWhen", traits: .reorders) { rig in
    rig.source.delayWhen { [token = rig.token] _ in
      token.pass(Just(()).promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("groupBy one after the other", file: "GroupBy", allowance: 300) { rig in
    rig.source.groupBy(capacity: .max) { [token = rig.token] _ in token.pass(0) }.concatMap { $0 }
  },
]

private let transformingMore: [ContractEntry] = [
  ContractEntry("scanMap", file: "ScanMap") { rig in
    rig.source.scanMap(into: 0) { [token = rig.token] sum, value in
      sum &+= value
      return token.pass("\(sum)")
    }
  },
  ContractEntry("nwise", file: "ScanMap", allowance: 60) { rig in
    held(rig).nwise(3).map { "\($0)" }
  },
  ContractEntry("mapMany", file: "MapMany") { rig in
    held(rig).map { [$0, $0 + 1] }.mapMany { $0 * 2 }.map { "\($0)" }
  },
  ContractEntry("filterMany", file: "MapMany") { rig in
    held(rig).map { [$0, $0 + 1] }.filterMany { $0 != 2 }.map { "\($0)" }
  },
  ContractEntry("toggled", file: "Toggled") { rig in
    held(rig).map { $0 > 2 }.toggled()
  },
  ContractEntry("encode and decode", file: "Coding") { rig in
    held(rig).mapFailure { $0 as any Error }.encode(with: Digits()).decode(Int.self, with: Digits())
  },
  ContractEntry("buffer with room for four", file: "BufferOverflow", allowance: 8) { rig in
    held(rig).buffer(capacity: 4, overflow: .suspend)
  },
  ContractEntry("conflate", file: "BufferOverflow", traits: .lossy, allowance: 20_000) { rig in
    held(rig).filter { $0 < 0 }.conflate()
  },
  ContractEntry("lazyMap", file: "BufferOverflow", traits: .lossy, allowance: 20_000) { rig in
    rig.source.lazyMap(on: ImmediateScheduler()) { [token = rig.token] in token.pass($0) }
      .filter { $0 < 0 }
  },
  ContractEntry("partition", file: "Partition", allowance: 60) { rig in
    held(rig).partition { $0 != 2 }.matching
  },
]

private let tryingMore: [ContractEntry] = [
  ContractEntry("tryTakeWhile", file: "TryTakeWhile") { rig in
    rig.source.tryTakeWhile { [token = rig.token] value throws(Failing) in token.pass(value != 4) }
  },
  ContractEntry("tryTakeWhile, failing", file: "TryTakeWhile") { rig in
    rig.source.tryTakeWhile { [token = rig.token] value throws(Failing) in
      if value == 3 { throw Failing() }
      return token.pass(true)
    }
  },
  ContractEntry("trySkipWhile", file: "TrySkipWhile", allowance: 60) { rig in
    rig.source.trySkipWhile { [token = rig.token] value throws(Failing) in token.pass(value < 3) }
  },
  ContractEntry(
    "tryDistinctUntilChanged", file: "TryDistinctUntilChanged", allowance: 60
  ) { rig in
    rig.source.tryDistinctUntilChanged { [token = rig.token] last, value throws(Failing) in
      token.pass(last / 2 == value / 2)
    }
  },
  ContractEntry("tryFirst", file: "TryFirst", allowance: 60) { rig in
    rig.source.tryFirst { [token = rig.token] value throws(Failing) in token.pass(value == 3) }
  },
  ContractEntry("tryLast", file: "TryFirst", allowance: 20_000) { rig in
    rig.source.tryLast { [token = rig.token] value throws(Failing) in token.pass(value < 3) }
  },
  ContractEntry("tryReduce", file: "TryReduce", allowance: 20_000) { rig in
    rig.source.tryReduce(0) { [token = rig.token] sum, value throws(Failing) in
      token.pass(sum &+ value)
    }
  },
  ContractEntry("tryContains", file: "TryContains", allowance: 20_000) { rig in
    rig.source.tryContains { [token = rig.token] value throws(Failing) in token.pass(value == 2) }
  },
  ContractEntry("tryAllSatisfy", file: "TryContains", allowance: 20_000) { rig in
    rig.source.tryAllSatisfy { [token = rig.token] value throws(Failing) in token.pass(value < 3) }
  },
  ContractEntry("tryMin", file: "TryMinMax", allowance: 20_000) { rig in
    rig.source.tryMin { [token = rig.token] left, right throws(Failing) in token.pass(left < right)
    }
  },
  ContractEntry("tryMax", file: "TryMinMax", allowance: 20_000) { rig in
    rig.source.tryMax { [token = rig.token] left, right throws(Failing) in token.pass(left < right)
    }
  },
  ContractEntry("tryCatchError, the replacement", file: "TryCatchError") { rig in
    Fail<Int, Failing>(Failing()).tryCatchError {
      [token = rig.token, source = rig.source] (_: Failing) throws(Failing) in
      token.pass(source)
    }
  },
  ContractEntry("tryCatchError, failing again", file: "TryCatchError") { rig in
    rig.source.tryCatchError { [token = rig.token] (failure) throws(Failing) -> Just2 in
      throw token.pass(failure)
    }
  },
]

private typealias Just2 = PromoteFailure<Just<Int>, ContractFailure>

private let sourcesMore: [ContractEntry] = [
  ContractEntry("Generate", file: "Generate", traits: .noSource) { rig in
    Generate(from: 0) { [token = rig.token] number -> Int? in
      number += 1
      return token.pass(number < 8 ? number : nil)
    }
  },
  ContractEntry("catchEveryError, the source", file: "CatchEveryError") { rig in
    rig.source.catchEveryError { [token = rig.token] _ -> Just2? in
      token.pass(Just(-1).promoteFailure())
    }
  },
  ContractEntry("hide", file: "Hide") { rig in held(rig).hide() },
  ContractEntry("hide, between steps", file: "Hide", allowance: 60) { rig in
    held(rig).hide().filter { $0 != 2 }.hide().map { $0 + 1 }
  },
  ContractEntry("Recording", file: "Recording", traits: .noSource) { rig in
    Recording<Int, ContractFailure>([1, 2, 3], end: .failed(ContractFailure())).map {
      [token = rig.token] in token.pass($0)
    }
  },
  ContractEntry("Recording without an end", file: "Recording", traits: .noSource) { rig in
    Recording<Int, ContractFailure>([1, 2, 3], end: nil).map { [token = rig.token] in
      token.pass($0)
    }
  },
  ContractEntry("recorded", file: "Recorded") { rig in held(rig).recorded() },
  ContractEntry("finally", file: "Finally") { rig in
    rig.source.finally { [token = rig.token] _ in token.pass(()) }
  },
  ContractEntry("finally, and its source", file: "Finally") { rig in
    held(rig).finally { _ in }
  },
  ContractEntry("Stateful", file: "Stateful", traits: .noSource) { rig in
    Stateful(wrappedValue: 1).projectedValue.map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("detectOverlap", file: "DetectOverlap") { rig in
    held(rig).detectOverlap("rig") { _ in }
  },
]

/// Numbers as text.
struct Digits: ValueEncoder, ValueDecoder {
  struct NoNumber: Error, Hashable {}

  func encode<Value: Encodable>(_ value: Value) throws -> String { "\(value)" }

  func decode<Value: Decodable>(_ type: Value.Type, from input: String) throws -> Value {
    guard let value = Int(input) as? Value else { throw NoNumber() }
    return value
  }
}
