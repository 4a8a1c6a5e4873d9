import FreshetStore

/// A screen as a state machine: what it shows, what can happen to it, what it wants done.
///
/// The rule is `reduce`, a pure function, so that every row of a screen's table can be tested on
/// values alone. ``ScreenRunner`` runs it.
public protocol Screen: Sendable {
  /// What the screen shows and remembers.
  associatedtype State: ScreenState
  /// What happens to it: intents of its user, and answers of the world.
  associatedtype Event: Sendable
  /// What it wants done; the answer comes back as an event.
  associatedtype Effect: ScreenEffect
  /// What makes a transition.
  associatedtype Cause: RawRepresentable, Sendable, Hashable where Cause.RawValue == String
  /// What it says beside its states.
  associatedtype Notice: ScreenNotice

  /// What an event does to a state.
  ///
  /// Pure: no clock, no store, no lock.
  static func reduce(_ state: State, _ event: Event) -> Step<Self>
}

/// What a screen shows and remembers: a value.
public protocol ScreenState: Sendable {
  /// Where the screen is in its life.
  associatedtype Phase: ScreenPhase

  /// Where the screen is.
  var phase: Phase { get set }
  /// Whether no answer is waited for.
  var isSettled: Bool { get }
  /// The state as it stands in events: figures and names, never whole lists.
  var summary: JSONObject { get }
}

/// Where a screen is in its life.
public protocol ScreenPhase: Sendable {
  /// The phase's stable name, as it stands in events.
  var name: String { get }
}

/// What a screen wants done.
public protocol ScreenEffect: Sendable, Hashable {
  /// Work of one slot ends when other work of the same slot begins.
  var slot: String { get }
  /// Whether the work of the slot is only ended, and nothing begun.
  var isStop: Bool { get }
}

extension ScreenEffect {
  /// Most effects begin something.
  public var isStop: Bool { false }
}

/// Something a screen says beside its states: why an event led to nothing, or where to go.
public protocol ScreenNotice: Sendable, Hashable {
  /// The notice's stable name, as it stands in events.
  var name: String { get }
  /// What belongs to it.
  var details: JSONObject { get }
}

extension ScreenNotice {
  /// Most notices are their name.
  public var details: JSONObject { JSONObject() }
}

extension ScreenNotice where Self: RawRepresentable, RawValue == String {
  /// The case's name.
  public var name: String { rawValue }
}

/// One step of a screen, as a value.
public struct Transition<S: Screen>: Sendable {
  /// The phase before.
  public let from: S.State.Phase
  /// The phase after.
  public let to: S.State.Phase
  /// What made it.
  public let cause: S.Cause
  /// The state after.
  public let state: S.State
  /// How the screen's list changed; empty for a screen without one.
  public let diff: ListDiff
}

/// What one event leads to.
public struct Step<S: Screen>: Sendable {
  /// The state after.
  public internal(set) var state: S.State
  /// The transitions, in order; more than one when queued events got their turn.
  public internal(set) var transitions: [Transition<S>] = []
  /// What is to be done.
  public internal(set) var effects: [S.Effect] = []
  /// What is said beside the states.
  public internal(set) var notices: [S.Notice] = []

  /// A step on which nothing has happened yet.
  public init(state: S.State) { self.state = state }

  /// Goes to a phase; what else changed is in the state already.
  mutating func move(
    to phase: S.State.Phase, _ cause: S.Cause, _ diff: ListDiff = ListDiff()
  ) {
    let from = state.phase
    state.phase = phase
    transitions.append(
      Transition(from: from, to: phase, cause: cause, state: state, diff: diff))
  }

  mutating func say(_ notice: S.Notice) { notices.append(notice) }

  mutating func want(_ effect: S.Effect) { effects.append(effect) }
}
