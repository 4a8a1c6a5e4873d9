import Testing

@testable import Freshet

@Suite("Queue")
struct QueueTests {
  @Test("gives what an array would give, in any order of calls")
  func model() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var queue = Queue<Int>()
      var model: [Int] = []
      for step in 0..<200 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
          for value in 0..<Int.random(in: 0..<40, using: &random) {
            queue.append(step * 100 + value)
            model.append(step * 100 + value)
          }
        case 2:
          let popped = queue.popFirst()
          #expect(popped == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
        default:
          let limit = Int.random(in: 1..<60, using: &random)
          var taken: [Int] = []
          queue.popWhile { value in
            taken.append(value)
            return taken.count < limit
          }
          #expect(taken == Array(model.prefix(limit)), "seed \(seed)")
          model.removeFirst(min(limit, model.count))
        }
        #expect(queue.count == model.count && queue.isEmpty == model.isEmpty, "seed \(seed)")
      }
    }
  }

  @Test("lets go of each element when it was handed out, and not at the end")
  func releases() {
    final class Element: Sendable {}
    var queue = Queue<Element>()
    for _ in 0..<3 { queue.append(Element()) }
    weak var last: Element?
    queue.popWhile { element in
      #expect(last == nil, "expected the one before to be gone")
      last = element
      return true
    }
    #expect(last == nil && queue.isEmpty)
  }
}
