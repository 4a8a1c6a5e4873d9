import Freshet
import FreshetTesting
import Testing

@Suite("graphs and monitors")
struct FlowGraphTests {
  @Test("a graph shows operators, subjects and what is shared, once")
  func text() {
    let scheduler = VirtualScheduler()
    let first = PublishSubject<Int, Never>()
    let second = BehaviorSubject<Int, Never>(0)
    let shared = first.merge(with: second).share()
    let token = shared.debounce(for: .ticks(1), on: scheduler).combineLatest(
      with: shared.map { $0 }
    )
    .subscribe { _ in }
    #expect(
      token.graph.text == """
        combineLatest
          debounce
            replay, 2 observers
              merge
                subject, 1 observer
                BehaviorSubject, 1 observer
          replay, 2 observers …
        """)
    token.dispose()
    #expect(token.graph.nodes.isEmpty || token.graph.edges.isEmpty, "expected nothing to be left")
  }

  @Test("a pause and what waits are shown; sources have names")
  func states() {
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    let handle = recorder.subscribe(
      to: (0..<10).flow.observe(on: ImmediateScheduler(), capacity: 3).merge(with: NeverFlow()))
    #expect(
      handle.graph.text == """
        merge, paused
          observe(on:), 3 waiting, paused
            sequence
          source
        """)
    recorder.dispose()
  }

  @Test("DOT: nodes with labels, edges the way the values go, quotes kept apart")
  func dot() {
    let monitor = FlowMonitor()
    let subject = PublishSubject<Int, Never>()
    let token = subject.monitored("say \"hi\"\\", by: monitor).subscribe { _ in }
    #expect(
      token.graph.dot == """
        digraph flows {
          n0 [label="say \\"hi\\"\\\\"];
          n1 [label="subject, 1 observer"];
          n1 -> n0;
        }
        """)
    token.dispose()
  }

  @Test("a monitor counts from the start to the end, the dispose or the release")
  func counts() {
    let monitor = FlowMonitor()
    let subject = PublishSubject<Int, Problem>()
    let orders = subject.monitored("orders", by: monitor)
    let first = Recorder<Int, Problem>()
    first.subscribe(to: orders)
    let second = Recorder<Int, Problem>()
    second.subscribe(to: orders.map { $0 })
    let finished = Just(1).monitored("just", by: monitor).subscribe { _ in }
    #expect(monitor.live == ["orders": 2])
    #expect(monitor.liveCount == 2)
    #expect(monitor.startedCount == 3)
    first.dispose()
    #expect(monitor.live == ["orders": 1])
    subject.fail(.first)
    #expect(monitor.live == [:])
    #expect(second.transcript == ["failed(first)"])
    finished.dispose()

    let dropped = PublishSubject<Int, Never>()
    do {
      let token = dropped.monitored("dropped", by: monitor).subscribe { _ in }
      #expect(monitor.live == ["dropped": 1])
      _ = token
    }
    #expect(monitor.liveCount == 0, "expected the release of the token to count")
  }

  @Test("take, a stop and a dispose in start are counted out")
  func stops() {
    let monitor = FlowMonitor()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: (0..<10).flow.monitored("numbers", by: monitor).take(2))
    #expect(recorder.values == [0, 1])
    let stopping = Recorder<Int, Never> { _, _ in .stop }
    stopping.subscribe(to: (0..<10).flow.monitored("numbers", by: monitor))
    #expect(stopping.values == [0])
    #expect(monitor.liveCount == 0)
    #expect(monitor.startedCount == 2)
  }

  @Test("the graph of a monitor has every live subscription, and shared parts once")
  func monitorGraph() {
    let monitor = FlowMonitor()
    let subject = PublishSubject<Int, Never>()
    let shared = subject.monitored("all", by: monitor).share()
    let left = shared.monitored("left", by: monitor).subscribe { _ in }
    let right = shared.filter { $0 > 0 }.monitored("right", by: monitor).subscribe { _ in }
    let graph = monitor.graph
    #expect(graph.nodes.map(\.name).sorted() == ["all", "left", "replay", "right", "subject"])
    #expect(graph.edges.count == 4)
    left.dispose()
    right.dispose()
    #expect(monitor.graph.nodes.isEmpty)
  }

  @Test("eight threads that subscribe and dispose: the count comes back to nothing")
  func threads() {
    let monitor = FlowMonitor()
    let subject = PublishSubject<Int, Never>()
    let flow = subject.monitored("busy", by: monitor)
    Threads.concurrently(8) { _ in
      for number in 0..<200 {
        let token = flow.merge(with: flow).subscribe { _ in }
        subject.send(number)
        if number.isMultiple(of: 10) { _ = monitor.graph.text }
        token.dispose()
      }
    }
    #expect(monitor.liveCount == 0)
    #expect(monitor.startedCount == 8 * 200 * 2)
  }
}
