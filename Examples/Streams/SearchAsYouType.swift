import Freshet
import FreshetTesting
import Testing

/// A search field: ask when the user pauses, and show only the answer to the latest question.
func results<Typing: Flow, Answers: Flow>(
  for typing: Typing, on scheduler: any TimeScheduler,
  search: @escaping @Sendable (String) -> Answers
) -> some Flow<String, Typing.Failure>
where Typing.Element == String, Answers.Element == String, Answers.Failure == Typing.Failure {
  typing
    .debounce(for: .milliseconds(3), on: scheduler)
    .distinctUntilChanged()
    .switchMap(search)
}

@Test("a new question lets the answer before it go")
func searchAsYouType() throws {
  let time = VirtualScheduler()
  let typing = try time.hot(
    "       -a-b------c-----------", values: ["a": "s", "b": "sw", "c": "swift"])
  let slow = try time.cold("--------x|")
  let fast = try time.cold("---y|")
  let flow = results(for: typing, on: time) { $0 == "swift" ? fast : slow }

  // "sw" is asked for at 6 and would be answered at 14; "swift" is asked for at 13.
  #expect(try time.difference(of: flow, from: "----------------y", limit: 40) == nil)
  #expect(try slow.subscriptionDifference(from: "------^------!") == nil)
}
