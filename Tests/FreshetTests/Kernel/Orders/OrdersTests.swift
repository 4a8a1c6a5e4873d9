import Freshet
import FreshetTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What can happen to an operator with several sources, or with time.
enum Step: Sendable, Hashable {
  case value(Int, Int)
  case finish(Int)
  case fail(Int)
  /// One tick goes by.
  case tick
  /// The observer, which pauses at every value, goes on.
  case resume
}

/// One operator, what happens to it, and a plain model of what should come out.
///
/// The steps of each list keep their order; every order between the lists is tried.
struct OrdersCase: Sendable, CustomTestStringConvertible {
  /// The rules of the kernel that are behind it.
  let rules: [String]
  let name: String
  let lists: [[Step]]
  let pauses: Bool
  private let run: @Sendable ([Step], Bool) -> (transcript: [String], violations: [String])
  let model: @Sendable ([Step]) -> [String]

  /// Describes a case; `build` gets a subject for each number that occurs.
  init<Subject: Flow>(
    _ name: String, rules: [String], _ lists: [[Step]], pauses: Bool = false,
    build: @escaping @Sendable ([PublishSubject<Int, Problem>], VirtualScheduler) -> Subject,
    model: @escaping @Sendable ([Step]) -> [String]
  ) where Subject.Failure == Problem {
    self.name = name
    self.rules = rules
    self.lists = lists
    self.pauses = pauses
    self.model = model
    run = { steps, pauses in
      let scheduler = VirtualScheduler()
      let subjects = (0..<6).map { _ in PublishSubject<Int, Problem>() }
      let recorder = Recorder<Subject.Element, Problem> { _, _ in pauses ? .pause : .more }
      recorder.subscribe(to: build(subjects, scheduler))
      for step in steps {
        switch step {
        case .value(let port, let value): subjects[port].send(value)
        case .finish(let port): subjects[port].finish()
        case .fail(let port): subjects[port].fail(.first)
        case .tick: scheduler.advance(by: .ticks(1))
        case .resume: recorder.resume()
        }
      }
      recorder.dispose()
      return (recorder.transcript, recorder.violations)
    }
  }

  /// Tries every order.
  ///
  /// - Returns: How many there were.
  func check() -> Int {
    var count = 0
    forEveryInterleaving(lists) { steps in
      count += 1
      let result = run(steps, pauses)
      let expected = model(steps)
      if result.transcript != expected {
        Issue.record("\(name), \(steps): expected \(expected), got \(result.transcript)")
      }
      if !result.violations.isEmpty { Issue.record("\(name), \(steps): \(result.violations)") }
    }
    return count
  }

  var testDescription: String { name }
}

@Suite("kernel operators, in every order of their inputs, against plain models")
struct OrdersTests {
  @Test("as the model says", arguments: ordersTable)
  func orders(_ orders: OrdersCase) {
    #expect(orders.check() > 3, "expected several orders")
  }

  @Test("every rule of the kernel is tried in all orders")
  func everyRule() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let sources = root.appending(path: "Sources/Freshet")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") }
    var rules: Set<String> = []
    for file in files {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains(": Rule") {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "struct"), index + 1 < words.count,
          words[index + 1].prefix(while: { $0.isLetter }).hasSuffix("Rule")
        else { continue }
        rules.insert(String(words[index + 1].prefix { $0.isLetter }))
      }
    }
    #expect(rules.count > 30, "expected to find the rules")
    let tried = Set(ordersTable.flatMap(\.rules))
    #expect(rules.subtracting(tried) == [], "rules without an entry in ordersTable")
    #expect(tried.subtracting(rules) == [], "entries for rules that are gone")
  }
}

/// All entries.
let ordersTable = combiningOrders + flatteningOrders + timingOrders + otherOrders
