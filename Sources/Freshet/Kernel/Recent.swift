/// Remembers the latest values, by number and by time.
@usableFromInline
struct Recent<Element: Sendable>: HubMemory {
  private let capacity: Int
  private let period: Duration?
  private let scheduler: (any TimeScheduler)?
  private var values = Queue<(value: Element, time: Moment)>()

  init(capacity: Int, period: Duration?, scheduler: (any TimeScheduler)?) {
    self.capacity = capacity
    self.period = period
    self.scheduler = scheduler
  }

  @usableFromInline static var outlivesEnd: Bool { true }
  @usableFromInline static var name: String { "replay" }

  @usableFromInline
  mutating func remember(_ value: Element) {
    guard capacity > 0 else { return }
    let now = scheduler?.now ?? .zero
    values.append((value, now))
    if values.count > capacity { _ = values.popFirst() }
    guard let period else { return }
    while let first = values.first, first.time + period <= now { _ = values.popFirst() }
  }

  @usableFromInline
  func replay(_ body: (Element) -> Void) {
    var left = values
    let now = scheduler?.now ?? .zero
    while let (value, time) = left.popFirst() {
      if let period, time + period <= now { continue }
      body(value)
    }
  }
}
