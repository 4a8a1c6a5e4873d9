import Freshet
import FreshetTesting
import Testing

/// What the contract suite does not already ask of every operator.
@Suite("MU: sources that break the rules")
struct MisbehavingSourceTests {
  @Test("MU-01 skipUntil: the trigger finishes twice and a value comes late")
  func mu01() {
    let source = ScriptedSource<Int, Never>(.unruly)
    let trigger = ScriptedSource<Int, Never>(.unruly)
    let log = Seen<String>()
    let token = source.skipUntil(trigger).subscribe(
      onValue: { log.add("\($0)") }, onEnd: { log.add("\($0)") })
    trigger.finish()
    trigger.finish()
    trigger.send(1)
    source.send(1)
    source.finish()
    #expect(log.all == ["finished"], "expected one finish and no late value")
    source.release()
    trigger.release()
    token.dispose()
  }

  @Test("MU-02 switchMap: the source ends four times before any inner flow")
  func mu02() {
    let source = ScriptedSource<Int, Problem>(.unruly)
    let log = Seen<String>()
    let token = source.switchMap { Just($0).promoteFailure(to: Problem.self) }.subscribe(
      onValue: { log.add("\($0)") }, onEnd: { log.add("\($0)") })
    source.finish()
    source.fail(.first)
    source.finish()
    source.fail(.second)
    #expect(log.all == ["finished"], "expected the first end only")
    source.release()
    token.dispose()
  }

  @Test("MU-04 flatMap: a value from an inner flow that has finished")
  func mu04() {
    let source = ScriptedSource<Int, Never>()
    let inner = ScriptedSource<Int, Never>(.unruly)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source.flatMap { _ in inner })
    source.send(0)
    inner.send(1)
    inner.finish()
    inner.send(777)
    inner.finish()
    source.finish()
    #expect(recorder.transcript == ["1", "finished"], "expected the late value to be dropped")
    inner.release()
  }

  @Test("MU-05 catchError: a value after a dispose, and a value after the failure")
  func mu05() {
    let source = ScriptedSource<Int, Problem>(.unruly)
    let log = Seen<String>()
    let first = source.catchError { _ in NeverFlow<Int, Never>() }.subscribe { log.add("\($0)") }
    source.send(1)
    source.fail(.first)
    source.send(2)
    first.dispose()
    source.send(3)
    #expect(log.all == ["1"], "expected nothing from the source after its failure")
    source.release()
  }

  @Test("MU-07 share: one end per observer, whatever the source does")
  func mu07() {
    let source = ScriptedSource<Int, Never>(.unruly)
    let shared = source.share()
    let logs = [Seen<String>(), Seen<String>()]
    let tokens = logs.map { log in
      shared.subscribe(onValue: { log.add("\($0)") }, onEnd: { log.add("\($0)") })
    }
    source.send(1)
    source.finish()
    source.send(2)
    source.finish()
    for log in logs { #expect(log.all == ["1", "finished"], "expected one end, then silence") }
    source.release()
    for token in tokens { token.dispose() }
  }
}
