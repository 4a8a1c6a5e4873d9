import CFreshetThreads
import Synchronization

/// Two events that came into one place at the same time, or one from inside the other.
public struct Overlap: Sendable, Hashable, CustomStringConvertible {
  /// Where an event came from.
  public struct Sender: Sendable, Hashable, CustomStringConvertible {
    /// The call, as `file:line`, or what else tells the sender.
    public let place: String
    /// A number that tells threads apart.
    public let thread: UInt

    /// Both, in words.
    public var description: String { "\(place) (thread \(thread))" }
  }

  /// What the place is called.
  public let name: String
  /// Who was being delivered.
  public let first: Sender
  /// Who came meanwhile.
  public let second: Sender

  /// Whether the second came from inside the delivery of the first.
  public var isReentrant: Bool { first.thread == second.thread }

  /// What happened and what to do, in a sentence.
  public var description: String {
    isReentrant
      ? "\(name): \(second) sent from inside the delivery of what \(first) had sent"
      : "\(name): \(second) sent while what \(first) had sent was being delivered"
  }
}

/// Reports who sends into a subject at the same time as somebody else.
///
///     let orders = OverlapDetector("orders", subject) { overlap in logger.warn("\(overlap)") }
///     orders.send(order)     // instead of subject.send(order)
///
/// Nothing is wrong with sending from several threads or from inside a delivery: a subject puts
/// such events in order. It is the program that may be surprised, when an event it has sent has
/// not yet been delivered as `send` returns. Whoever sends into the subject itself is not seen.
///
/// - Complexity: O(1) per event; one lock, not held while it delivers.
public final class OverlapDetector<Element: Sendable, Failure: Error>: Sendable {
  private let watch: OverlapWatch
  private let deliver: @Sendable (Element) -> Answer
  private let finishSubject: @Sendable () -> Void
  private let failSubject: @Sendable (Failure) -> Void

  /// Watches what is sent into a subject.
  ///
  /// - Parameters:
  ///   - name: What the subject is called in reports.
  ///   - subject: Where the events go.
  ///   - report: Called on the thread of the second sender, before it sends.
  public init(
    _ name: String, _ subject: PublishSubject<Element, Failure>,
    report: @escaping @Sendable (Overlap) -> Void
  ) {
    watch = OverlapWatch(name: name, report: report)
    deliver = { subject.send($0) }
    finishSubject = { subject.finish() }
    failSubject = { subject.fail($0) }
  }

  /// Watches what is sent into a subject with a current value.
  ///
  /// - Parameters:
  ///   - name: What the subject is called in reports.
  ///   - subject: Where the events go.
  ///   - report: Called on the thread of the second sender, before it sends.
  public init(
    _ name: String, _ subject: BehaviorSubject<Element, Failure>,
    report: @escaping @Sendable (Overlap) -> Void
  ) {
    watch = OverlapWatch(name: name, report: report)
    deliver = {
      subject.send($0)
      return .more
    }
    finishSubject = { subject.finish() }
    failSubject = { subject.fail($0) }
  }

  /// Watches what is sent into a subject that remembers.
  ///
  /// - Parameters:
  ///   - name: What the subject is called in reports.
  ///   - subject: Where the events go.
  ///   - report: Called on the thread of the second sender, before it sends.
  public init(
    _ name: String, _ subject: ReplaySubject<Element, Failure>,
    report: @escaping @Sendable (Overlap) -> Void
  ) {
    watch = OverlapWatch(name: name, report: report)
    deliver = { subject.send($0) }
    finishSubject = { subject.finish() }
    failSubject = { subject.fail($0) }
  }

  /// Sends a value into the subject.
  ///
  /// - Returns: What the subject answers.
  @discardableResult
  public func send(
    _ value: Element, file: StaticString = #fileID, line: UInt = #line
  ) -> Answer {
    watch.during("\(file):\(line)") { deliver(value) }
  }

  /// Finishes the subject.
  public func finish(file: StaticString = #fileID, line: UInt = #line) {
    watch.during("\(file):\(line)") { finishSubject() }
  }

  /// Fails the subject.
  public func fail(_ failure: Failure, file: StaticString = #fileID, line: UInt = #line) {
    watch.during("\(file):\(line)") { failSubject(failure) }
  }
}

/// Who is inside one place.
final class OverlapWatch: Sendable {
  private let name: String
  private let report: @Sendable (Overlap) -> Void
  private let inside = Mutex<[Overlap.Sender]>([])

  init(name: String, report: @escaping @Sendable (Overlap) -> Void) {
    self.name = name
    self.report = report
  }

  /// Runs a delivery; somebody who is inside already is reported with the newcomer.
  func during<Result>(_ place: @autoclosure () -> String, _ body: () -> Result) -> Result {
    let sender = Overlap.Sender(place: place(), thread: freshet_this_thread())
    let first = inside.withLock { inside in
      let first = inside.last
      inside.append(sender)
      return first
    }
    defer {
      inside.withLock { inside in
        if let index = inside.lastIndex(of: sender) { _ = inside.remove(at: index) }
      }
    }
    if let first { report(Overlap(name: name, first: first, second: sender)) }
    return body()
  }
}
