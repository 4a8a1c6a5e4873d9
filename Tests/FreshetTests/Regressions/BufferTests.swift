import Freshet
import FreshetTesting
import Testing

@Suite("BF: buffers and overflow, in observe(on:) and values")
struct BufferTests {
  private typealias Policy = (name: String, overflow: Overflow<Problem>, expected: [String])

  @Test("BF-01 the policies of observe(on:)")
  func bf01() throws {
    let policies: [Policy] = [
      ("dropNewest", .dropNewest, ["1", "2", "3"]),
      ("dropOldest", .dropOldest, ["3", "4", "5"]),
      ("fail", .fail(.second), ["1", "2", "3", "failed(second)"]),
      ("unbounded", .unbounded, ["1", "2", "3", "4", "5"]),
      ("suspend", .suspend, ["1", "2", "3", "4", "5"]),
    ]
    for policy in policies {
      let scheduler = VirtualScheduler()
      let source = ScriptedSource<Int, Problem>()
      let recorder = Recorder<Int, Problem>()
      recorder.subscribe(
        to: source.observe(on: scheduler, capacity: 3, overflow: policy.overflow))
      for value in 1...5 { source.send(value) }
      if policy.name == "fail" {
        #expect(source.log.sent == 4, "expected the source to be stopped at the fourth value")
        #expect(source.log.disposals == 1, "expected the source to be disposed of once")
      }
      if policy.name == "suspend" {
        #expect(source.log.pauses > 0, "expected a full buffer to ask for a pause")
      }
      try scheduler.run()
      #expect(recorder.transcript == policy.expected, "\(policy.name): expected its values")
      recorder.dispose()
    }
  }

  @Test("BF-01 the policies of values")
  func bf01Values() async throws {
    let policies: [Policy] = [
      ("dropNewest", .dropNewest, ["1", "2", "3"]),
      ("dropOldest", .dropOldest, ["3", "4", "5"]),
      ("fail", .fail(.second), ["1", "2", "3", "second"]),
      ("unbounded", .unbounded, ["1", "2", "3", "4", "5"]),
    ]
    for policy in policies {
      let source = ScriptedSource<Int, Problem>()
      let iterator = source.values(capacity: 3, overflow: policy.overflow).makeAsyncIterator()
      for value in 1...5 { source.send(value) }
      source.finish()
      var values: [String] = []
      var rest = iterator
      do throws(Problem) {
        while let value = try await rest.next() { values.append("\(value)") }
      } catch {
        values.append("\(error)")
      }
      #expect(values == policy.expected, "\(policy.name): expected its values")
      #expect(source.activeCount == 0, "expected the source to be over")
    }
  }

  @Test("BF-02 with the policy fail the values that wait come before the failure")
  func bf02() throws {
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem> { _, value in value == 2 ? .pause : .more }
    recorder.subscribe(to: subject.observe(on: scheduler, capacity: 5, overflow: .fail(.first)))
    for value in 0..<10 { subject.send(value) }
    try scheduler.run()
    #expect(recorder.values == [0, 1, 2], "expected to stop at the pause")
    recorder.resume()
    try scheduler.run()
    #expect(
      recorder.transcript == ["0", "1", "2", "3", "4", "failed(first)"],
      "expected the five that were buffered, then the failure")
  }

  @Test("BF-05 an end waits for buffered values")
  func bf05() throws {
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: subject.observe(on: scheduler))
    for value in 1...3 { subject.send(value) }
    subject.finish()
    #expect(recorder.events.isEmpty, "expected everything to wait for the scheduler")
    try scheduler.run()
    #expect(recorder.transcript == ["1", "2", "3", "finished"], "expected the finish last")
  }

  @Test("BF-08 the source fails while the buffer is being emptied")
  func bf08() throws {
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem> { _, value in
      if value == 1 { subject.fail(.first) }
      return .more
    }
    recorder.subscribe(to: subject.observe(on: scheduler))
    for value in 1...5 { subject.send(value) }
    try scheduler.run()
    #expect(
      recorder.transcript == ["1", "2", "3", "4", "5", "failed(first)"],
      "expected nothing after the failure")
    #expect(recorder.violations == [], "expected one end")
  }

  @Test("observe(on:) pauses a cold source at its capacity and resumes it on the scheduler")
  func highWaterMark() throws {
    let scheduler = VirtualScheduler()
    let source = ScriptedSource<Int, Never>(playing: Array(0..<100))
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source.observe(on: scheduler, capacity: 10))
    #expect(source.log.sent == 10, "expected the source to stop when the buffer is full")
    try scheduler.run()
    #expect(recorder.values == Array(0..<100), "expected nothing to be lost")
    #expect(source.log.resumes >= 9, "expected the source to be resumed again and again")
  }
}
