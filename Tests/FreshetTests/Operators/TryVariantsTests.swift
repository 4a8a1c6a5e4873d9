import Freshet
import FreshetTesting
import Testing

/// Whether a number is below three; seven is trouble.
private func small(_ value: Int) throws(Trouble) -> Bool {
  if value == 7 { throw Trouble(7) }
  return value < 3
}

@Suite("operators whose closures may fail")
struct TryVariantsTests {
  @Test(
    "as text",
    arguments: [
      Example("tryTakeWhile", "1 2 |") { playing(1, 2, 3, 1).tryTakeWhile(small) },
      Example("tryTakeWhile, failing", "1 #7") { playing(1, 7, 1).tryTakeWhile(small) },
      Example("trySkipWhile", "3 1 7 |") { playing(1, 3, 1, 7).trySkipWhile(small) },
      Example("trySkipWhile, failing", "#7") { playing(1, 7, 3).trySkipWhile(small) },
      Example("tryDistinctUntilChanged", "1 2 1 |") {
        playing(1, 1, 2, 2, 1).tryDistinctUntilChanged { last, value throws(Trouble) in
          last == value
        }
      },
      Example("tryDistinctUntilChanged, failing", "1 #7") {
        playing(1, 1, 7, 2).tryDistinctUntilChanged { last, value throws(Trouble) in
          try small(value) && last == value
        }
      },
      Example("tryFirst", "1 |") { playing(3, 1, 2).tryFirst(where: small) },
      Example("tryFirst, failing", "#7") { playing(3, 7, 1).tryFirst(where: small) },
      Example("tryFirst, none", "|") { playing(3, 4).tryFirst(where: small) },
      Example("tryLast", "2 |") { playing(3, 1, 2, 5).tryLast(where: small) },
      Example("tryLast, failing", "#7") { playing(1, 7).tryLast(where: small) },
      Example("tryReduce", "6 |") {
        playing(1, 2, 3).tryReduce(0) { sum, value throws(Trouble) in sum + value }
      },
      Example("tryReduce of none", "9 |") {
        playing().tryReduce(9) { sum, value throws(Trouble) in sum + value }
      },
      Example("tryReduce, failing", "#7") {
        playing(1, 7, 3).tryReduce(0) { sum, value throws(Trouble) in
          try small(value) ? sum : sum + value
        }
      },
      Example("tryContains", "true |") { playing(3, 1, 7).tryContains(where: small) },
      Example("tryContains, none", "false |") { playing(3, 4).tryContains(where: small) },
      Example("tryContains, failing", "#7") { playing(3, 7, 1).tryContains(where: small) },
      Example("tryAllSatisfy", "true |") { playing(1, 2).tryAllSatisfy(small) },
      Example("tryAllSatisfy, not", "false |") { playing(1, 3, 7).tryAllSatisfy(small) },
      Example("tryAllSatisfy, failing", "#7") { playing(1, 7).tryAllSatisfy(small) },
      Example("tryMin", "1 |") {
        playing(2, 1, 3).tryMin { left, right throws(Trouble) in left < right }
      },
      Example("tryMax", "3 |") {
        playing(2, 3, 1).tryMax { left, right throws(Trouble) in left < right }
      },
      Example("tryMin of none", "|") {
        playing().tryMin { left, right throws(Trouble) in left < right }
      },
      Example("tryMax, failing", "#7") {
        playing(2, 7).tryMax { left, right throws(Trouble) in try small(left) || left < right }
      },
      Example("tryCatchError", "1 8 |") {
        failing(1, code: 5).tryCatchError { (_: Trouble) throws(Trouble) in playing(8) }
      },
      Example("tryCatchError, failing again", "1 #6") {
        failing(1, code: 5).tryCatchError {
          (failure: Trouble) throws(Trouble) -> ScriptedSource<Int, Trouble> in
          throw Trouble(failure.code + 1)
        }
      },
    ])
  func text(_ example: Example) {
    example.check()
  }

  @Test("a flow that cannot fail takes on the closure's failure")
  func promoted() {
    let recorder = Recorder<Int, Trouble>()
    recorder.subscribe(to: [1, 7, 2].flow.tryTakeWhile(small))
    #expect(recorder.transcript == ["1", "failed(7)"])
    let sum = Recorder<Int, Trouble>()
    sum.subscribe(
      to: [1, 2].flow.tryReduce(0) { (sum: Int, value: Int) throws(Trouble) in sum + value })
    #expect(sum.transcript == ["3", "finished"])
    let least = Recorder<Int, Trouble>()
    least.subscribe(
      to: [2, 1].flow.tryMin { (left: Int, right: Int) throws(Trouble) in left < right })
    #expect(least.transcript == ["1", "finished"])
  }

  @Test("nil is a value like any other")
  func optionals() {
    let source = [nil, nil, 1, nil].flow.promoteFailure(to: Trouble.self)
    let distinct = Recorder<Int?, Trouble>()
    distinct.subscribe(
      to: source.tryDistinctUntilChanged { last, value throws(Trouble) in last == value })
    #expect(distinct.values == [nil, 1, nil])
    let skipped = Recorder<Int?, Trouble>()
    skipped.subscribe(to: source.trySkipWhile { value throws(Trouble) in value == nil })
    #expect(skipped.values == [1, nil])
  }

  @Test("a thrown failure and an early answer stop the source")
  func stops() {
    let source = ScriptedSource<Int, Trouble>()
    let recorder = Recorder<Bool, Trouble>()
    recorder.subscribe(to: source.tryContains(where: small))
    source.send(1)
    #expect(source.activeCount == 0)
    let failing = Recorder<Int, Trouble>()
    failing.subscribe(to: source.tryLast(where: small))
    source.send(7)
    #expect(source.activeCount == 0)
    #expect(source.log.disposals == 2)
  }
}
