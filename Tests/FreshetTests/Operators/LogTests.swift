import Freshet
import FreshetTesting
import Testing

@Suite("log")
struct LogTests {
  @Test("writes down what goes down, and the answers")
  func lines() {
    let output = Lines()
    let recorder = Recorder<Int, Trouble> { _, value in value == 2 ? .pause : .more }
    recorder.subscribe(to: failing(1, 2, 3, code: 5).log("numbers", to: output))
    recorder.resume()
    #expect(
      output.seen.all == [
        "numbers: start", "numbers: value 1", "numbers: value 2", "numbers: pause",
        "numbers: resume", "numbers: value 3", "numbers: end failed(5)",
      ])
    #expect(recorder.transcript == ["1", "2", "3", "failed(5)"])
  }

  @Test("writes down a dispose, once")
  func dispose() {
    let output = Lines()
    let recorder = Recorder<Int, Never>()
    let source = PublishSubject<Int, Never>()
    let handle = recorder.subscribe(to: source.log("numbers", to: output))
    source.send(1)
    recorder.dispose()
    handle.dispose()
    source.finish()
    #expect(output.seen.all == ["numbers: start", "numbers: value 1", "numbers: dispose"])
  }

  @Test("writes down that an operator below stops the source")
  func stop() {
    let output = Lines()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: [1, 2].flow.log("above", to: output).take(1).log("below", to: output))
    #expect(
      output.seen.all == [
        "above: start", "below: start", "above: value 1", "below: value 1", "above: dispose",
        "below: end finished", "above: stop",
      ])
  }

  struct Lines: LogOutput {
    let seen = Seen<String>()

    func write(_ line: String) {
      seen.add(line)
    }
  }
}
