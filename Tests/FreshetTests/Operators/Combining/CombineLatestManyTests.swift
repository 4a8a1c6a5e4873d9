import Freshet
import FreshetTesting
import Testing

@Suite("combineLatest, zip and merge of any number")
struct CombineLatestManyTests {
  @Test("MZ-06 combineLatest finishes when an input finishes without a value, in any order")
  func emptyInput() throws {
    let time = VirtualScheduler()
    let first = try [time.hot("--|"), time.hot("-1-2-3-4|")].combinedLatest()
    #expect(try time.difference(of: first, from: "--|") == nil)
    let other = VirtualScheduler()
    #expect(
      try other.difference(
        of: [other.hot("-1-2-3-4|"), other.hot("--|")].combinedLatest(), from: "--|") == nil)
    let third = VirtualScheduler()
    #expect(
      try third.difference(
        of: third.hot("--|").combineLatest(with: third.hot("-1-2|")), from: "--|") == nil)
  }

  @Test("MZ-07 combineLatest over an empty collection is one empty list")
  func empty() {
    let recorder = Recorder<[Int], Never>()
    recorder.subscribe(to: [Just<Int>]().combinedLatest())
    #expect(recorder.transcript == ["[]", "finished"])
  }

  @Test("MZ-09 combineLatest of a stream with itself goes from left to right")
  func withItself() {
    let subject = PublishSubject<Int, Never>()
    let recorder = Recorder<[Int], Never>()
    recorder.subscribe(to: [subject, subject].combinedLatest())
    subject.send(1)
    subject.send(2)
    subject.finish()
    #expect(recorder.transcript == ["[1, 1]", "[2, 1]", "[2, 2]", "finished"])
  }

  @Test("MZ-10 very wide combineLatest, zip and merge stay flat")
  func wide() {
    let count = 100_000
    Threads.onSmallStack {
      let sources = (0..<count).map { Just($0) }
      let latest = Recorder<[Int], Never> { recorder, _ in
        recorder.dispose()
        return .more
      }
      latest.subscribe(to: sources.combinedLatest())
      #expect(latest.valueCount == 1)
      let zipped = Recorder<[Int], Never>()
      zipped.subscribe(to: sources.zipped())
      #expect(zipped.valueCount == 1 && zipped.hasEnded)
      let merged = Recorder<Int, Never>()
      merged.subscribe(to: sources.merged())
      #expect(merged.valueCount == count && merged.hasEnded)
    }
  }

  @Test("combineLatest of an optional element keeps its nils")
  func optionals() {
    let recorder = Recorder<[Int?], Never>()
    recorder.subscribe(to: [[1, nil].flow, [nil, 2].flow].combinedLatest())
    #expect(recorder.values == [[nil, nil], [nil, 2]])
  }

  @Test("a failure of one ends it and lets the others go")
  func failure() throws {
    let time = VirtualScheduler()
    let sources = try [time.hot("-a--"), time.hot("--x#"), time.hot("-p--")]
    #expect(
      try time.difference(
        of: sources.combinedLatest().map { $0.joined() }, from: "--{axp}#", limit: 3) == nil)
    #expect(sources.map(\.activeCount) == [0, 0, 0])
    let other = VirtualScheduler()
    let more = try [other.hot("-a--"), other.hot("--x#"), other.hot("-p--")]
    #expect(
      try other.difference(of: more.zipped().map { $0.joined() }, from: "--{axp}#", limit: 3) == nil
    )
    #expect(more.map(\.activeCount) == [0, 0, 0])
  }

  @Test("flows of several types are combined by a function")
  func packs() {
    let recorder = Recorder<String, Never>()
    recorder.subscribe(
      to: combineLatest(
        Just(1).erased(), Just("x").erased(), [1.5, 2.5].flow.erased()
      ) { "\($0)\($1)\($2)" })
    #expect(recorder.transcript == ["1x1.5", "1x2.5", "finished"])
    let zipped = Recorder<String, Never>()
    zipped.subscribe(
      to: zip([1, 2].flow.erased(), ["x", "y"].flow.erased(), Just(true).erased()) {
        "\($0)\($1)\($2)"
      })
    #expect(zipped.transcript == ["1xtrue", "finished"])
    let merged = Recorder<Int, Never>()
    merged.subscribe(to: merge(Just(1), (2...3).flow, Just(4)))
    #expect(merged.transcript == ["1", "2", "3", "4", "finished"])
  }

  @Test("a pack keeps nils, of one level and of two")
  func packsOfOptionals() {
    let recorder = Recorder<String, Never>()
    let two: [Int??] = [.some(nil), nil, 3]
    recorder.subscribe(
      to: combineLatest([nil, 1].flow.erased(), two.flow.erased()) { (a: Int?, b: Int??) in
        let kind = if let inner = b { inner == nil ? "some(nil)" : "some" } else { "nil" }
        return "\(a ?? -1) \(kind)"
      })
    #expect(recorder.values == ["1 some(nil)", "1 nil", "1 some"])
  }

  @Test("a pack of no flows is one call")
  func emptyPack() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: merge([AnyFlow<Int, Never>]().merged(), Just(1)))
    #expect(recorder.transcript == ["1", "finished"])
  }

  private enum Event: Sendable {
    case value(Int, Int), end(Int)
  }

  @Test("all orders: the latest of each, and an end as soon as it is certain")
  func interleavings() {
    let lists = [
      [Event.value(0, 1), .value(0, 2), .end(0)], [.value(1, 10), .value(1, 20), .end(1)],
      [.end(2)],
    ]
    for third in [[Event.value(2, 100), .end(2)], [.end(2)]] {
      forEveryInterleaving(lists[0], lists[1], third) { events in
        let subjects = (0..<3).map { _ in PublishSubject<Int, Problem>() }
        let recorder = Recorder<Int, Problem>()
        recorder.subscribe(to: subjects.combinedLatest().map { $0.reduce(0, +) })
        var expected: [String] = []
        var latest: [Int?] = [nil, nil, nil]
        var running = 3
        for event in events {
          if expected.last == "finished" { break }
          switch event {
          case .value(let index, let value):
            subjects[index].send(value)
            latest[index] = value
            let all = latest.compactMap { $0 }
            if all.count == 3 { expected.append("\(all.reduce(0, +))") }
          case .end(let index):
            subjects[index].finish()
            running -= 1
            if running == 0 || latest[index] == nil { expected.append("finished") }
          }
          #expect(recorder.transcript == expected, "\(events)")
        }
      }
    }
  }
}
