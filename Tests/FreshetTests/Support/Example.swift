import Freshet
import FreshetTesting
import Testing

/// A flow and what comes out of it, told in words with blanks between: `1 2 |`.
///
/// `|` is a finish, `#` and what follows it a failure.
struct Example: Sendable, CustomTestStringConvertible {
  let name: String
  let expected: String
  private let outputs: @Sendable () -> [(how: String, text: String, violations: [String])]

  /// Describes an example; the flow is built anew for each kind of observer.
  init<Subject: Flow>(
    _ name: String, _ expected: String, _ build: @escaping @Sendable () -> Subject
  ) {
    self.name = name
    self.expected = expected
    outputs = {
      ["that may pause", "that never pauses", "of closures"].map { how in
        let recorder = Recorder<Subject.Element, Subject.Failure>()
        switch how {
        case "that may pause": recorder.subscribe(to: build())
        case "that never pauses": recorder.subscribeWithoutPausing(to: build())
        default:
          let seen = Seen<String>()
          let token = build().subscribe(
            onValue: { seen.add("\($0)") },
            onEnd: { end in
              switch end {
              case .finished: seen.add("|")
              case .failed(let failure): seen.add("#\(failure)")
              }
            })
          token.dispose()
          return (how, seen.all.joined(separator: " "), [])
        }
        let words = recorder.events.map { event in
          switch event.signal {
          case .value(let value): "\(value)"
          case .end(.finished): "|"
          case .end(.failed(let failure)): "#\(failure)"
          }
        }
        return (how, words.joined(separator: " "), recorder.violations)
      }
    }
  }

  /// Runs the flow under each kind of observer.
  func check() {
    for (how, text, violations) in outputs() {
      #expect(text == expected, "\(name), an observer \(how)")
      #expect(violations == [], "\(name), an observer \(how)")
    }
  }

  var testDescription: String { name }
}

/// How the sources of examples fail.
struct Trouble: Error, Hashable, CustomStringConvertible {
  let code: Int

  init(_ code: Int = 0) {
    self.code = code
  }

  var description: String { "\(code)" }
}

/// A cold source of some values and a failure.
func failing(_ values: Int..., code: Int = 0) -> ScriptedSource<Int, Trouble> {
  ScriptedSource(playing: values, end: .failed(Trouble(code)))
}

/// A cold source of some values, of a kind that may fail but does not.
func playing(_ values: Int...) -> ScriptedSource<Int, Trouble> {
  ScriptedSource(playing: values)
}
