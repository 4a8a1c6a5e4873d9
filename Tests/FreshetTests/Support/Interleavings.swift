/// Calls a body with every order in which the events of some lists can come, when the
/// events of each list keep their own order.
func forEveryInterleaving<Event>(_ lists: [Event]..., body: ([Event]) -> Void) {
  forEveryInterleaving(lists, body)
}

/// The same for a list of lists.
func forEveryInterleaving<Event>(_ lists: [[Event]], _ body: ([Event]) -> Void) {
  var order: [Event] = []
  var positions = Array(repeating: 0, count: lists.count)
  func extend() {
    var isComplete = true
    for index in lists.indices where positions[index] < lists[index].count {
      isComplete = false
      order.append(lists[index][positions[index]])
      positions[index] += 1
      extend()
      positions[index] -= 1
      order.removeLast()
    }
    if isComplete { body(order) }
  }
  extend()
}
