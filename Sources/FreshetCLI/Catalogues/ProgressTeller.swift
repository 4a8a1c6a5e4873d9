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
  private let showsLine: Bool
  private var items: [Int: Item] = [:]
  private var finished = 0
  private var lineIsShown = false

  init(_ session: Session, count: Int, pause: Duration) {
    self.session = session
    self.count = count
    self.pause = pause
    // The jobs of a script would write over each other's.
    showsLine =
      !session.isOfJob && System.isTerminal(2) && session.diagnostics.verbosity >= 0
      && session.diagnostics.format == .text
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
    if showsLine, !items.isEmpty { showLine() }
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

  private mutating func showLine() {
    let done = items.values.reduce(0) { $0 + $1.done }
    let total = items.values.reduce(0) { $0 + ($1.total ?? 0) }
    let width = 20
    let share = count == 0 ? 0 : finished * width / count
    let bar = String(repeating: "#", count: share) + String(repeating: ".", count: width - share)
    write(
      "\r\u{1B}[K[\(bar)] \(finished)/\(count)  \(items.count) running"
        + (total > 0 ? "  \(done / 1024)/\(total / 1024) KiB" : ""))
    lineIsShown = true
  }

  /// Takes the line away, so that something else can be said.
  mutating func clear() {
    guard lineIsShown else { return }
    lineIsShown = false
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    // A terminal that is gone leaves nobody to show it to.
    _ = Array(text.utf8).withUnsafeBytes { try? System.write($0, to: 2) }
  }
}
