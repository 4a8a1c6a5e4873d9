import Freshet
import FreshetTesting

private typealias Failing = ContractFailure

/// Every operator, source and subject; each closure holds the rig's token, so that the
/// suite sees whether it is let go.
let contractTable: [ContractEntry] =
  transforming + filtering + combining + flattening + others + oneSource + combiningMany
  + flatteningMore + repeating + timing + sharing + makingSources + thirdSlice

private let transforming: [ContractEntry] = [
  ContractEntry("map", file: "Map") { rig in
    rig.source.map { [token = rig.token] in token.pass($0 * 2) }
  },
  ContractEntry("compactMap", file: "CompactMap") { rig in
    rig.source.compactMap { [token = rig.token] in token.pass($0 == 2 ? nil : "\($0)") }
  },
  ContractEntry("scan", file: "Scan") { rig in
    rig.source.scan(0) { [token = rig.token] in token.pass($0 &+ $1) }
  },
  ContractEntry("tap", file: "Tap") { rig in
    rig.source.tap(
      onStart: { [token = rig.token] in token.pass(()) },
      onValue: { [token = rig.token] _ in token.pass(()) },
      onEnd: { [token = rig.token] _ in token.pass(()) })
  },
  ContractEntry("a chain of ten", file: "Map", allowance: 10) { rig in
    rig.source.map { [token = rig.token] in token.pass($0 + 1) }.filter { $0 != 3 }
      .compactMap { $0 == 5 ? nil : $0 }.scan(0) { $0 &+ $1 }.distinctUntilChanged()
      .skip(1).take(1_000_000).tap().map { "\($0)" }.erased()
  },
]

private let filtering: [ContractEntry] = [
  ContractEntry("filter", file: "Filter", allowance: 60) { rig in
    rig.source.filter { [token = rig.token] in token.pass($0 != 2) }
  },
  ContractEntry("take, more than there are", file: "Take") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.take(1_000_000)
  },
  ContractEntry("take(2)", file: "Take") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.take(2)
  },
  ContractEntry("skip", file: "Skip", allowance: 60) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.skip(1)
  },
  ContractEntry("takeUntil, the source", file: "TakeUntil") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.takeUntil(NeverFlow<Int, Failing>())
  },
  ContractEntry("takeUntil, the other", file: "TakeUntil", allowance: 20_000) { rig in
    [-1, -2].flow.promoteFailure(to: Failing.self).merge(with: NeverFlow())
      .takeUntil(rig.source.filter { [token = rig.token] in token.pass($0 == 3) })
  },
  ContractEntry("skipUntil, the source", file: "SkipUntil") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }
      .skipUntil(Just(0).promoteFailure(to: Failing.self))
  },
  ContractEntry("skipUntil, the other", file: "SkipUntil") { rig in
    [-1, -2].flow.promoteFailure(to: Failing.self).merge(with: NeverFlow())
      .skipUntil(rig.source.map { [token = rig.token] in token.pass($0) })
  },
  ContractEntry("distinctUntilChanged", file: "DistinctUntilChanged", allowance: 60) { rig in
    rig.source.distinctUntilChanged { [token = rig.token] in token.pass($0 / 2 == $1 / 2) }
  },
]

private let combining: [ContractEntry] = [
  ContractEntry("startWith", file: "StartWith", traits: .lossy) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.startWith(-2, -1)
  },
  ContractEntry("concat, the first", file: "Concat") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.catchError { _ in Just(-1) }
      .flatMap { Just($0) }
  },
  ContractEntry("merge, the first", file: "Merge") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.merge(with: Empty())
  },
  ContractEntry("merge, the second", file: "Merge", traits: [.reorders, .lossy]) { rig in
    [-1, -2].flow.promoteFailure(to: Failing.self)
      .merge(with: rig.source.map { [token = rig.token] in token.pass($0) })
  },
  ContractEntry("merged", file: "Merge", traits: [.reorders, .lossy]) { rig in
    [
      rig.source.map { [token = rig.token] in token.pass($0) }.erased(),
      Just(-1).promoteFailure().erased(),
      NeverFlow().erased(),
    ].merged()
  },
  ContractEntry(
    "combineLatest, the first", file: "CombineLatest", traits: .lossy, allowance: 20_000
  ) { rig in
    rig.source.startWith(0)
      .combineLatest(with: Just(-1).promoteFailure()) { [token = rig.token] in token.pass($0 + $1) }
  },
  ContractEntry("combineLatest, the second", file: "CombineLatest") { rig in
    Just(-1).promoteFailure(to: Failing.self).combineLatest(with: rig.source)
      .map { [token = rig.token] in token.pass("\($0)") }
  },
]

private let flattening: [ContractEntry] = [
  ContractEntry("flatMap, the source", file: "FlatMap", traits: .reorders) { rig in
    rig.source.flatMap { [token = rig.token] value in
      token.pass([value, value * 10].flow.promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("flatMap one at a time", file: "FlatMap") { rig in
    rig.source.flatMap(maxConcurrent: 1) { [token = rig.token] value in
      token.pass([value, value * 10].flow.promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("flatMap, the inner", file: "FlatMap") { rig in
    Just(0).promoteFailure(to: Failing.self).flatMap { [token = rig.token] _ in
      token.pass(rig.source)
    }
  },
  ContractEntry("switchMap, the source", file: "SwitchMap") { rig in
    rig.source.switchMap { [token = rig.token] value in
      token.pass(Just(value).promoteFailure(to: Failing.self))
    }
  },
  ContractEntry("switchMap, the inner", file: "SwitchMap") { rig in
    Just(0).promoteFailure(to: Failing.self).switchMap { [token = rig.token] _ in
      token.pass(rig.source)
    }
  },
]

private let others: [ContractEntry] = [
  ContractEntry("catchError, the source", file: "CatchError") { rig in
    rig.source.catchError { [token = rig.token] _ in token.pass(Just(-1)) }
  },
  ContractEntry("catchError, the replacement", file: "CatchError") { rig in
    Fail<Int, Failing>(Failing()).catchError { [token = rig.token] _ in token.pass(rig.source) }
  },
  ContractEntry("promoteFailure", file: "PromoteFailure") { rig in
    rig.source.catchError { [token = rig.token] _ in token.pass(Empty<Int, Never>()) }
      .promoteFailure(to: Failing.self)
  },
  ContractEntry("erased", file: "AnyFlow") { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.erased()
  },
  ContractEntry("share", file: "Share", traits: .shared) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }.share()
  },
  ContractEntry("debounce", file: "Debounce", allowance: 20_000) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }
      .debounce(for: .seconds(1), on: rig.scheduler)
  },
  ContractEntry("observe(on:) a virtual scheduler", file: "ObserveOn", allowance: 8) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }
      .observe(on: rig.scheduler, capacity: 4)
  },
  ContractEntry("observe(on:) at once", file: "ObserveOn", allowance: 2) { rig in
    rig.source.map { [token = rig.token] in token.pass($0) }
      .observe(on: ImmediateScheduler(), capacity: 1)
  },
  ContractEntry("SequenceFlow", file: "SequenceFlow", traits: .noSource) { rig in
    (1...7).flow.map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("Just", file: "Just", traits: .noSource) { rig in
    Just(1).map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("Empty", file: "Empty", traits: .noSource) { rig in
    Empty<Int, Failing>().map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("Fail", file: "Fail", traits: .noSource) { rig in
    Fail<Int, Failing>(Failing()).map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("NeverFlow", file: "NeverFlow", traits: .noSource) { rig in
    NeverFlow<Int, Failing>().map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("PublishSubject", file: "PublishSubject", traits: .noSource) { rig in
    PublishSubject<Int, Failing>().map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("BehaviorSubject", file: "BehaviorSubject", traits: .noSource) { rig in
    BehaviorSubject<Int, Failing>(1).map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("Promise, resolved", file: "Promise", traits: .noSource) { rig in
    Promise<Int, Failing> { $0.resolve(1) }.map { [token = rig.token] in token.pass($0) }
  },
  ContractEntry("Single", file: "Single", traits: .noSource) { rig in
    Single<Int, Failing> { [token = rig.token] resolver in
      resolver.succeed(token.pass(1))
      return nil
    }
  },
  ContractEntry("Single, answered later", file: "Single", traits: .noSource) { rig in
    Single<Int, Failing> { [token = rig.token, scheduler = rig.scheduler] resolver in
      scheduler.schedule(after: .seconds(1)) { resolver.succeed(token.pass(1)) }
    }
  },
]
