import BenchFigures
import BenchSupport
import Foundation
import Freshet
import FreshetStore
import Synchronization

/// JSON bodies of 1,024 bytes, made before any clock runs.
enum Records {
  static func id(_ number: Int) -> String {
    let digits = String(number)
    return "film:bench:" + String(repeating: "0", count: 8 - digits.count) + digits
  }

  static func body(_ number: Int) -> [UInt8] {
    var text = #"{"id":"\#(id(number))","kind":"film","title":"A film with the number \#(number)","#
    text += #""release_date":"1999-03-31","popularity":83.125,"vote_count":25000,"adult":false,"#
    text +=
      #""authors":["Lana Wachowski","Lilly Wachowski"],"poster":"/f89U3ADr1oiB1s9Gkdpoek.jpg","#
    text += #""overview":""#
    let words = "A hacker learns about the true nature of his reality and his role in the war. "
    while text.utf8.count + words.utf8.count + 2 <= 1024 { text += words }
    text += String(repeating: ".", count: 1024 - text.utf8.count - 2)
    return Array((text + "\"}").utf8)
  }
}

/// The answer of a single, on this thread.
func answer<Value: Sendable>(_ single: Single<Value, StoreError>) -> Value {
  let box = Box<Value>()
  let subscription = single.subscribe(
    onValue: { box.put($0) },
    onEnd: { if case .failed(let error) = $0 { stop("the store failed: \(error)") } })
  defer { withExtendedLifetime(subscription) {} }
  return box.take()
}

/// Hands one value from one thread to another.
final class Box<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiter: DispatchSemaphore?
  }

  private let state = Mutex(State())

  func put(_ new: Value) {
    let waiter = state.withLock { state in
      state.value = new
      return state.waiter
    }
    waiter?.signal()
  }

  func take() -> Value {
    // The value is there at once when the work was done by the subscriber.
    let waiter = state.withLock { state -> DispatchSemaphore? in
      if state.value == nil { state.waiter = DispatchSemaphore(value: 0) }
      return state.waiter
    }
    waiter?.wait()
    guard let value = state.withLock({ $0.value.take() }) else { stop("an answer was lost") }
    return value
  }
}

func openStore(
  _ path: String, _ durability: StoreOptions.Durability = .everyCommit, compactsItself: Bool = true,
  keeping retention: StoreOptions.Retention = StoreOptions.Retention(),
  visibility: StoreOptions.Visibility = .durable
) -> DatabaseManager {
  var options = StoreOptions()
  options.durability = durability
  options.compactsAutomatically = compactsItself
  options.retention = retention
  options.visibility = visibility
  do {
    return try DatabaseManager.open(at: path, options: options)
  } catch {
    stop("cannot open \(path): \(error)")
  }
}

/// Numbers that are the same in every run.
struct SmallRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

/// Fills a store with `count` records, in commits of 1,000 without waiting for the disk, and closes
/// it: what snapshots it has then are those that it made by itself.
func fill(_ path: String, _ count: Int, compactsItself: Bool = true) {
  let manager = openStore(path, .interval(.seconds(1)), compactsItself: compactsItself)
  for start in stride(from: 0, to: count, by: 1000) {
    let batch = (start..<min(start + 1000, count)).map {
      Operation.save(id: Records.id($0), body: Records.body($0))
    }
    _ = answer(manager.apply(batch))
  }
  manager.close()
}
