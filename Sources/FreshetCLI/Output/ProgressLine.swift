import FreshetStore
import Synchronization

/// A line on stderr that says how far long work has come; only where stderr is a terminal.
///
/// Any thread may show it.
final class ProgressLine: Sendable {
  private struct State {
    var shownAt: ContinuousClock.Instant?
    var isShown = false
  }

  private static let width = 20
  private static let pause = Duration.milliseconds(100)
  private let isWanted: Bool
  private let state = Mutex(State())

  init(_ diagnostics: Diagnostics) {
    isWanted =
      System.isTerminal(2) && diagnostics.verbosity >= 0 && diagnostics.format == .text
  }

  /// Shows how much of it is done, no more than ten times a second.
  func show(_ what: String, _ done: Int64, _ total: Int64) {
    guard isWanted, total > 0 else { return }
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      if let shownAt = state.shownAt, now - shownAt < ProgressLine.pause { return false }
      state.shownAt = now
      state.isShown = true
      return true
    }
    if isDue { ProgressLine.write("\r\u{1B}[K" + ProgressLine.text(what, done, total)) }
  }

  /// Takes the line away, so that something else can be said.
  func clear() {
    let wasShown = state.withLock { state in
      defer { state.isShown = false }
      return state.isShown
    }
    if wasShown { ProgressLine.write("\r\u{1B}[K") }
  }

  /// A bar, the share, and what is done.
  ///
  ///     [####................] 20 % checked
  static func text(_ what: String, _ done: Int64, _ total: Int64) -> String {
    let part = min(max(done, 0), total)
    let share = Int(part * Int64(width) / total)
    let bar = String(repeating: "#", count: share) + String(repeating: ".", count: width - share)
    return "[\(bar)] \(part * 100 / total) % \(what)"
  }

  private static func write(_ text: String) {
    // A terminal that is gone leaves nobody to show it to.
    _ = Array(text.utf8).withUnsafeBytes { try? System.write($0, to: 2) }
  }
}
