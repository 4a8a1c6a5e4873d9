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

  /// - Parameter isOfJob: Whether it belongs to one of several that would write over each other's.
  init(_ diagnostics: Diagnostics, isOfJob: Bool = false) {
    isWanted =
      !isOfJob && System.isTerminal(2) && diagnostics.verbosity >= 0 && diagnostics.format == .text
  }

  /// Shows how much of it is done, no more than ten times a second.
  func show(_ what: String, _ done: Int64, _ total: Int64) {
    guard isWanted, total > 0 else { return }
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      if let shownAt = state.shownAt, now - shownAt < ProgressLine.pause { return false }
      state.shownAt = now
      return true
    }
    if isDue { put(ProgressLine.text(what, done, total)) }
  }

  /// Shows a text, in place of the one before.
  func put(_ text: @autoclosure () -> String) {
    guard isWanted else { return }
    state.withLock { $0.isShown = true }
    ProgressLine.write("\r\u{1B}[K" + text())
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
    return "\(bar(part, total)) \(part * 100 / total) % \(what)"
  }

  /// A bar alone, empty where the total is 0.
  static func bar(_ part: Int64, _ total: Int64) -> String {
    let share = total > 0 ? Int(part * Int64(width) / total) : 0
    return "[" + String(repeating: "#", count: share)
      + String(repeating: ".", count: width - share) + "]"
  }

  private static func write(_ text: String) {
    // A terminal that is gone leaves nobody to show it to.
    _ = Array(text.utf8).withUnsafeBytes { try? System.write($0, to: 2) }
  }
}
