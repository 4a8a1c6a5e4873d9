import BenchSupport
import Foundation
import FreshetStore

/// What to run, and how often.
struct Suite {
  var only: String?
  var program = ".build/release/freshet"
  var events = 1_000_000
  var rounds = 40
  var directory = FileManager.default.temporaryDirectory.path
  /// Encodes the same events with a peer: `PROGRAM COUNT` prints nanoseconds per event.
  var serde: String?

  init(_ arguments: [String]) {
    var rest = arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--program": program = rest.popFirst() ?? program
      case "--events": events = Self.number(rest.popFirst())
      case "--rounds": rounds = Self.number(rest.popFirst())
      case "--serde": serde = rest.popFirst()
      case "--dir": directory = rest.popFirst() ?? directory
      default: only = word
      }
    }
    guard FileManager.default.isExecutableFile(atPath: program) else {
      stop("there is no \(program): make it with swift build -c release, or name it by --program")
    }
  }

  private static func number(_ word: String?) -> Int {
    guard let word, let number = Int(word), number > 0 else { stop("a number is missing") }
    return number
  }

  func wants(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

  /// A bar and whether it was reached.
  func report(
    _ name: String, unit: String, _ value: Double, atMost limit: Double? = nil,
    atLeast least: Double? = nil, _ more: [(String, Double)] = [], isSound: Bool = true
  ) {
    var line = Line(name)
    line.add("unit", unit)
    line.add("value", value, digits: 3)
    for (key, figure) in more { line.add(key, figure, digits: 3) }
    if let limit {
      line.add("at_most", limit, digits: 3)
      line.add("reached", isSound && value <= limit)
    }
    if let least {
      line.add("at_least", least, digits: 3)
      line.add("reached", isSound && value >= least)
    }
    line.print()
  }
}

/// A store in a folder of its own, written by this process.
final class Writer {
  let folder: Folder
  let manager: DatabaseManager
  var store: String { folder.path + "/store" }

  init(_ suite: Suite) {
    folder = Folder(in: suite.directory)
    do {
      manager = try DatabaseManager.open(at: folder.path + "/store")
    } catch {
      stop("cannot open a store: \(error)")
    }
  }

  deinit { manager.close() }

  /// Commits and waits until that is durable.
  func commit(_ operations: [FreshetStore.Operation]) {
    let done = DispatchSemaphore(value: 0)
    let token = manager.apply(operations).subscribe(
      onValue: { _ in },
      onEnd: { end in
        if case .failed(let error) = end { stop("cannot commit: \(error)") }
        done.signal()
      })
    done.wait()
    token.dispose()
  }

  func save(_ number: Int, of items: Int) -> FreshetStore.Operation {
    let id = "book:bench:\(number % items)"
    let body =
      #"{"id":"\#(id)","kind":"book","source":"bench","title":"change \#(number) of this item","#
      + #""authors":["one","two"],"publisher":"somebody","price":\#(number)}"#
    return .save(id: id, body: Array(body.utf8))
  }
}
