// Shows that the thread sanitizer, as scripts/sanitize sets it up, sees what it should: with the
// argument "same" four threads count under one lock, and nothing may be reported; without it two
// locks are taken for one counter, and the race inside `withLock` must be.
import Dispatch
import Synchronization

// @unchecked: that `number` is not protected by one lock is what is to be reported.
final class Counter: @unchecked Sendable {
  var number = 0
  let first = Mutex(0)
  let second = Mutex(0)
}

let counter = Counter()
let isOneLock = CommandLine.arguments.contains("same")
DispatchQueue.concurrentPerform(iterations: 4) { thread in
  for _ in 0..<20_000 {
    if isOneLock || thread.isMultiple(of: 2) {
      counter.first.withLock { _ in counter.number += 1 }
    } else {
      counter.second.withLock { _ in counter.number += 1 }
    }
  }
}
