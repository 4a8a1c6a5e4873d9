import FreshetStore

/// Tells the progress of downloads: records, the first and the last of each item always and no more
/// than ten a second, and a line for people where stderr is a terminal.
struct ProgressTeller {
  private struct Item {
    let result: CommandResult
    var done = 0
    var total: Int?
    var toldDone: Int?
    var toldAt: ContinuousClock.Instant?
    var isPending: Bool { toldDone != done }
  }

  private let session: Session
  private let pause: Duration
  private let count: Int
  private let clock = ContinuousClock()
  private let line: ProgressLine
  private var items: [Int: Item] = [:]
  private var finished = 0

  init(_ session: Session, count: Int, pause: Duration) {
    self.session = session
    self.count = count
    self.pause = pause
    line = ProgressLine(session.diagnostics, isOfJob: session.isOfJob)
  }

  /// How long until there is something to tell that waits now; nil for nothing.
  var nextPause: Duration? {
    let now = clock.now
    let due = items.values.filter(\.isPending)
      .map { $0.toldAt.map { max(.zero, pause - $0.duration(to: now)) } ?? .zero }
    return due.min()
  }

  /// Notes how far an item has come.
  mutating func note(_ place: Int, _ result: CommandResult, _ done: Int, _ total: Int?) {
    var item = items[place] ?? Item(result: result)
    item.done = done
    item.total = total
    items[place] = item
    if item.toldAt == nil { emit(place) }
  }

  /// Tells what is due.
  mutating func tell() {
    let now = clock.now
    for (place, item) in items where item.isPending {
      if let toldAt = item.toldAt, toldAt.duration(to: now) < pause { continue }
      emit(place)
    }
    if !items.isEmpty { line.put(lineText) }
  }

  /// An item is done: its last progress is told before its answer.
  mutating func finish(_ place: Int, _ result: CommandResult) {
    if items[place]?.isPending == true { emit(place) }
    items[place] = nil
    finished += 1
    clear()
  }

  private mutating func emit(_ place: Int) {
    guard var item = items[place] else { return }
    var head = EventHead("download.progress")
    head.id = item.result.id
    head.correlation = item.result.correlation
    session.output.emit(head) { data in
      data.int("done", item.done)
      data.int("total", item.total.map(Int64.init))
    }
    item.toldDone = item.done
    item.toldAt = clock.now
    items[place] = item
  }

  // MARK: The line for people

  private var lineText: String {
    let done = items.values.reduce(0) { $0 + $1.done }
    let total = items.values.reduce(0) { $0 + ($1.total ?? 0) }
    return "\(ProgressLine.bar(Int64(finished), Int64(count))) \(finished)/\(count)  "
      + "\(items.count) running" + (total > 0 ? "  \(done / 1024)/\(total / 1024) KiB" : "")
  }

  /// Takes the line away, so that something else can be said.
  func clear() { line.clear() }
}
