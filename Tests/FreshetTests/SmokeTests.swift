import Freshet
import Synchronization
import Testing

final class Seen<V: Sendable>: Sendable {
  let list = Mutex<[V]>([])
  func add(_ v: V) { list.withLock { $0.append(v) } }
  var all: [V] { list.withLock { $0 } }
}

@Suite("smoke")
struct SmokeTests {
  @Test func reentrant() {
    let s = PublishSubject<Int, Never>()
    let a = Seen<Int>(), b = Seen<Int>()
    let t1 = s.subscribe { v in
      a.add(v); if v < 5 { s.send(v + 1) }
    }
    let t2 = s.subscribe { b.add($0) }
    s.send(1)
    #expect(a.all == [1, 2, 3, 4, 5])
    #expect(b.all == [1, 2, 3, 4, 5])
    t1.dispose(); t2.dispose()
  }
  @Test func operators() {
    let a = Seen<String>()
    let t = (1...3).flow.flatMap { n in (0..<n).flow.map { "\(n)\($0)" } }.startWith("x").merge(
      with: Just("end")
    )
    .combineLatest(with: Just(1).merge(with: NeverFlow())).map { "\($0.0)" }
    .take(6)
    .subscribe(onValue: { a.add($0) }, onEnd: { a.add("\($0)") })
    #expect(a.all == ["end"])
    _ = t
    let b = Seen<String>()
    let u = (1...3).flow.flatMap { n in (0..<n).flow.map { "\(n)\($0)" } }.startWith("x").merge(
      with: Just("end")
    )
    .subscribe(onValue: { b.add($0) }, onEnd: { b.add("\($0)") })
    #expect(b.all == ["x", "10", "20", "21", "30", "31", "32", "end", "finished"])
    _ = u
  }
  @Test func values() async {
    var sum = 0
    for await v in (0..<100_000).flow.map({ $0 + 1 }).values { sum += v }
    #expect(sum == 5_000_050_000)
    var n = 0
    for await v in (0..<10_000).flow.observe(on: QueueScheduler(label: "q")).values {
      #expect(v == n); n += 1
    }
    #expect(n == 10_000)
    var m = 0
    for await _ in (0..<1000).flow.flatMap(maxConcurrent: 1, { k in (0..<10).flow.map { $0 + k } })
      .values
    { m += 1 }
    #expect(m == 10_000)
    let sh = (0..<1000).flow.share()
    var k = 0
    for await _ in sh.values { k += 1 }
    #expect(k == 1000)
  }
}
