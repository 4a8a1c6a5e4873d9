import Synchronization

/// A list that closures of a test append to.
final class Seen<Value: Sendable>: Sendable {
  private let list = Mutex<[Value]>([])

  func add(_ value: Value) {
    list.withLock { $0.append(value) }
  }

  var all: [Value] { list.withLock { $0 } }
  var count: Int { list.withLock { $0.count } }
  var last: Value? { list.withLock { $0.last } }
}

/// A place that closures of a test put one thing into, such as their own subscription.
final class Box<Value: Sendable>: Sendable {
  private let content: Mutex<Value?>

  init(_ value: Value? = nil) {
    content = Mutex(value)
  }

  var value: Value? {
    get { content.withLock { $0 } }
    set {
      let old = content.withLock { content in
        let old = content
        content = newValue
        return old
      }
      _ = old
    }
  }
}

/// How flows fail in tests.
enum Problem: Error, Hashable, Sendable {
  case first, second
}
