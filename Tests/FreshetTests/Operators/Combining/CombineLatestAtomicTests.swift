import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("combineLatestAtomic")
struct CombineLatestAtomicTests {
  @Test("a diamond: one pair per event, and never a pair that never was")
  func diamond() {
    let source = PublishSubject<Int, Never>()
    let plain = Recorder<String, Never>()
    plain.subscribe(
      to: source.map { $0 }.combineLatest(with: source.map { $0 * 10 }) { "\($0),\($1)" })
    let recorder = Recorder<String, Never>()
    recorder.subscribe(
      to: source.map { $0 }.combineLatestAtomic(with: source.map { $0 * 10 }) { "\($0),\($1)" })
    for value in 1...3 { source.send(value) }
    source.finish()
    #expect(plain.values == ["1,10", "2,10", "2,20", "3,20", "3,30"], "the glitches of the other")
    #expect(recorder.transcript == ["1,10", "2,20", "3,30", "finished"])
    #expect(recorder.violations == [])
  }

  @Test("every kind of subject, and every kind of way from it", arguments: 0..<9)
  func ways(_ way: Int) {
    let source = PublishSubject<Int, Never>()
    let other = PublishSubject<Int, Never>()
    let left: AnyFlow<Int, Never>
    switch way {
    case 0: left = source.erased()
    case 1: left = source.filter { $0 > 0 }.scan(0) { $1 }.tap().erased()
    case 2: left = source.merge(with: other).erased()
    case 3: left = source.switchMap { Just($0) }.erased()
    case 4: left = source.startWith(0).erased()
    case 5: left = source.share().erased()
    case 6: left = source.flatMap { value in source.startWith(value).take(1) }.erased()
    case 7: left = source.monitored("left", by: FlowMonitor()).erased()
    default: left = source.observe(on: ImmediateScheduler()).erased()
    }
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: left.combineLatestAtomic(with: source) { "\($0),\($1)" })
    for value in 1...3 { source.send(value) }
    #expect(recorder.values.suffix(3) == ["1,1", "2,2", "3,3"])
    #expect(recorder.valueCount == 3)
    recorder.dispose()
  }

  @Test("an initial value of each, then one pair per event")
  func behaviors() {
    let source = BehaviorSubject<Int, Never>(1)
    let recorder = Recorder<Bool, Never>()
    recorder.subscribe(to: source.combineLatestAtomic(with: source.map { -$0 }) { $0 == -$1 })
    for value in 2...5 { source.value = value }
    #expect(recorder.values == [true, true, true, true, true])
  }

  @Test("two of them, one above the other, and one above both: the nearest speak first")
  func levels() {
    let source = PublishSubject<Int, Never>()
    let sum = source.combineLatestAtomic(with: source.map { $0 * 10 }, +)
    let total = sum.combineLatestAtomic(with: source, +)
    let all = total.combineLatestAtomic(with: sum) { "\($0) \($1)" }
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: all)
    for value in 1...3 { source.send(value) }
    #expect(recorder.values == ["12 11", "24 22", "36 33"])
  }

  @Test("below a shared one, whoever came first", arguments: [false, true])
  func shared(_ otherFirst: Bool) {
    let source = PublishSubject<Int, Never>()
    let sum = source.combineLatestAtomic(with: source.map { $0 * 10 }, +).share()
    let other = Recorder<Int, Never>()
    if otherFirst { other.subscribe(to: sum) }
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: source.combineLatestAtomic(with: sum) { "\($0) \($1)" })
    if !otherFirst { other.subscribe(to: sum) }
    for value in 1...3 { source.send(value) }
    #expect(recorder.values == ["1 11", "2 22", "3 33"])
    #expect(other.values == [11, 22, 33])
  }

  @Test("sources that come later are joined too")
  func dynamic() {
    let source = PublishSubject<Int, Never>()
    let choice = PublishSubject<Bool, Never>()
    let chosen = choice.switchMap { $0 ? source.map { $0 }.erased() : source.map { -$0 }.erased() }
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: chosen.combineLatestAtomic(with: source) { "\($0),\($1)" })
    choice.send(true)
    source.send(1)
    choice.send(false)
    source.send(2)
    #expect(recorder.values == ["1,1", "-2,2"])
  }

  @Test("what one send causes in other subjects is one event")
  func causes() {
    let first = PublishSubject<Int, Never>()
    let second = BehaviorSubject<Int, Never>(0)
    let bag = DisposeBag()
    let recorder = Recorder<String, Never>()
    first.subscribe { second.send($0 * 10) }.store(in: bag)
    recorder.subscribe(to: first.combineLatestAtomic(with: second) { "\($0),\($1)" })
    for value in 1...3 { first.send(value) }
    #expect(recorder.values == ["1,10", "2,20", "3,30"])
    second.send(99)
    #expect(recorder.values.last == "3,99", "expected an event of one alone to be sent too")
    bag.dispose()
  }

  @Test("re-entrant: a value sent from inside is an event of its own")
  func reentrant() {
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, value in
      if value < 10 { source.send(value / 2 + 1) }
      return .more
    }
    recorder.subscribe(to: source.combineLatestAtomic(with: source.map { $0 }, +))
    source.send(1)
    #expect(recorder.values == [2, 4, 6, 8, 10])
    #expect(recorder.violations == [])
  }

  @Test("an end of one inside an event; a failure drops what waits")
  func ends() {
    let source = PublishSubject<Int, Problem>()
    let first = Recorder<String, Problem>()
    first.subscribe(
      to: source.take(1).combineLatestAtomic(with: source.take(2)) { "\($0),\($1)" })
    for value in 1...3 { source.send(value) }
    #expect(first.transcript == ["1,1", "1,2", "finished"])
    let second = Recorder<String, Problem>()
    second.subscribe(
      to: source.combineLatestAtomic(
        with: source.tryMap { value throws(Problem) in
          if value == 2 { throw .first }
          return value
        }
      ) { "\($0),\($1)" })
    for value in 1...3 { source.send(value) }
    #expect(second.transcript == ["1,1", "failed(first)"])
  }

  @Test("of nothing, one, three; of different types")
  func numbers() {
    let none = Recorder<[Int], Never>()
    none.subscribe(to: [Just<Int>]().combinedLatestAtomic())
    #expect(none.transcript == ["[]", "finished"])
    let source = PublishSubject<Int, Never>()
    let three = Recorder<[Int], Never>()
    three.subscribe(
      to: [source.erased(), source.map { $0 + 1 }.erased(), source.map { $0 + 2 }.erased()]
        .combinedLatestAtomic())
    let types = Recorder<String, Never>()
    types.subscribe(
      to: combineLatestAtomic(
        source.erased(), source.map { "\($0)" }.erased(), source.map { $0 > 1 }.erased()
      ) { "\($0)\($1)\($2)" })
    source.send(1)
    source.send(2)
    #expect(three.values == [[1, 2, 3], [2, 3, 4]])
    #expect(types.values == ["11false", "22true"])
  }

  @Test("observers that come and go leave nothing behind in a subject or a shared flow")
  func leaves() {
    let probe = LeakProbe()
    let source = PublishSubject<Int, Never>()
    let shared = source.share()
    let keep = Recorder<Int, Never>()
    keep.subscribe(to: shared)
    for _ in 0..<100 {
      let token = probe.token()
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(
        to: shared.map { token.pass($0) }.combineLatestAtomic(with: source.map { $0 }, +))
      source.send(1)
      #expect(recorder.values == [2])
      recorder.dispose()
    }
    #expect(probe.alive == [])
    keep.dispose()
  }

  @Test("a pausing observer gets every pair")
  func pauses() {
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: source.combineLatestAtomic(with: source.map { $0 }, +))
    for value in 1...5 { source.send(value) }
    for _ in 0..<10 { recorder.resume() }
    #expect(recorder.values == [2, 4, 6, 8, 10])
    #expect(recorder.violations == [])
  }

  @Test("eight threads: pairs of one source are never torn, and the last of all is sent")
  func threads() {
    let source = PublishSubject<Int, Never>()
    let other = PublishSubject<Int, Never>()
    let recorder = Recorder<[Int], Never>()
    recorder.subscribe(
      to: [source.map { $0 }.erased(), source.map { -$0 }.erased(), other.erased()]
        .combinedLatestAtomic())
    other.send(0)
    Threads.concurrently(8) { thread in
      for number in 1...200 {
        if thread.isMultiple(of: 2) {
          source.send(thread * 1000 + number)
        } else {
          other.send(number)
        }
      }
    }
    source.send(9999)
    let torn = recorder.values.filter { $0[0] != -$0[1] }
    #expect(torn.isEmpty, "expected both branches of each event together")
    #expect(recorder.values.last?.prefix(2) == [9999, -9999])
    #expect(recorder.violations == [])
  }
}
