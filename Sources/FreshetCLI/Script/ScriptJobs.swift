import Dispatch
import Freshet
import FreshetStore
import Synchronization

/// What a command touches: commands that touch the same are done in the order of their lines.
enum ScriptTouch: Equatable {
  case nothing
  case items(Set<String>)
  case everyItem
  case guidances
  /// The search with this number.
  case search(Int)

  func meets(_ other: ScriptTouch) -> Bool {
    switch (self, other) {
    case (.items(let mine), .items(let theirs)): !mine.isDisjoint(with: theirs)
    case (.everyItem, .items), (.items, .everyItem), (.everyItem, .everyItem): true
    case (.guidances, .guidances): true
    case (.search(let mine), .search(let theirs)): mine == theirs
    default: false
    }
  }
}

/// The commands of a script that run beside each other, each on a thread of its own.
///
/// Used by the main thread. A job hands its results and its end over by the mailbox.
final class ScriptJobs {
  /// A command on its way.
  struct Job {
    let ticket: Int
    let touch: ScriptTouch
    let session: Session
    /// The result it will get when it says nothing itself.
    let result: CommandResult
    /// Whether it takes a slot of `--jobs`.
    let takesSlot: Bool
    /// Whether it goes on until the script ends.
    let endsWithScript: Bool
    let began = ContinuousClock.now
  }

  /// So long the first record of a view is waited for.
  static let beginning = Duration.seconds(1)

  /// What a job has to say.
  enum Event: Sendable {
    case answer(CommandResult)
    case ended(ticket: Int, Stop?)
  }

  private let session: Session
  private let mailbox: ScriptMailbox
  private(set) var open: [Int: Job] = [:]

  init(_ session: Session) {
    self.session = session
    mailbox = ScriptMailbox(session.waiter)
  }

  /// How many slots are taken.
  var slots: Int { open.values.count { $0.takesSlot } }
  /// How many views are followed.
  var watches: Int { open.values.count { !$0.takesSlot } }

  /// Whether a view is about to be followed and has said nothing yet.
  var isStartingToFollow: Bool {
    open.values.contains { job in
      !job.takesSlot && job.session.output.jobProgress.records == 0
        && job.began.duration(to: .now) < Self.beginning
    }
  }

  /// Whether a command has to wait for one that runs.
  func blocks(_ touch: ScriptTouch) -> Bool { open.values.contains { $0.touch.meets(touch) } }

  /// A session for jobs, one at a time.
  func makeSession(correlation: String?) throws(Stop) -> Session {
    let mailbox = mailbox
    return Session(
      jobOf: session, correlation: correlation, waiter: try Waiter.makeForJob(),
      call: { mailbox.call() }, answer: { mailbox.put(.answer($0)) })
  }

  /// Starts a job on a thread of its own.
  func start(_ job: Job, _ work: @escaping @Sendable (Session) throws(Stop) -> Void) {
    open[job.ticket] = job
    let (mailbox, ticket, session) = (mailbox, job.ticket, job.session)
    DispatchQueue(label: "freshet.job").async {
      var stop: Stop?
      do throws(Stop) { try work(session) } catch { stop = error }
      mailbox.put(.ended(ticket: ticket, stop))
    }
  }

  /// What the jobs have said since the last time; those that ended are open no longer.
  func take() -> [(event: Event, job: Job?)] {
    mailbox.take().map { event in
      if case .ended(let ticket, _) = event {
        return (event, open.removeValue(forKey: ticket))
      }
      return (event, nil)
    }
  }

  /// Waits, whatever signal has come, until a job has something to say or wants a flush.
  /// - Returns: False after the deadline.
  func wait(until deadline: DispatchTime) -> Bool { mailbox.wait(until: deadline) }
}

/// Hands over what jobs say to the main thread.
private final class ScriptMailbox: Sendable {
  private let events = Mutex<[ScriptJobs.Event]>([])
  private let arrived = DispatchSemaphore(value: 0)
  private let waiter: Waiter

  init(_ waiter: Waiter) { self.waiter = waiter }

  func put(_ event: ScriptJobs.Event) {
    events.withLock { $0.append(event) }
    call()
  }

  /// Makes the main thread look.
  func call() {
    arrived.signal()
    waiter.wake()
  }

  func take() -> [ScriptJobs.Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  func wait(until deadline: DispatchTime) -> Bool { arrived.wait(timeout: deadline) == .success }
}

/// Something that one job at a time uses, and the main thread while no job does.
// @unchecked: commands that touch the same are never on their way at the same time (ScriptTouch), and
// the mailbox's mutex and the queue order what one does before what the next does. The thread
// sanitizer's run over the tests of scripts would notice.
final class JobOwned<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
