import Freshet

/// Puts a flow through the rules of the stream contract.
///
/// Describe how your operator is built from a source and ask for the violations:
///
///     let contract = StreamContract("pairwise") { rig in
///       rig.source.pairwise()
///     }
///     for violation in contract.violations() { Issue.record(violation) }
///
/// The suite builds the flow many times: with sources that break the rules, with
/// observers that send, pause, resume and dispose from inside and from other
/// threads, and with values by the hundred thousand on a small stack. What can be
/// checked only while compiling (typed failures, `Sendable`) is up to the compiler,
/// and exact times are up to the operator's own tests.
public struct StreamContract<Subject: Flow>: Sendable {
  /// What the flow is called in violations.
  public let name: String

  /// What is special about it.
  public let traits: ContractTraits

  /// How many values may be taken from a cold source beyond those its observer
  /// has taken, while that observer pauses.
  public let allowance: Int

  /// How many values the checks of stack depth use.
  public let depth: Int

  /// How many seconds a call on another thread may take before it counts as stuck.
  public let patience: Int

  let build: @Sendable (ContractRig) -> Subject

  /// Describes a flow under test.
  ///
  /// - Parameters:
  ///   - name: What it is called in violations.
  ///   - traits: What is special about it.
  ///   - allowance: How many values it may hold while its observer pauses: its
  ///     buffer's stated limit, or a few for an operator without one.
  ///   - depth: How many values the checks of stack depth use. With the default a stack
  ///     that grows by 32 bytes per value overflows.
  ///   - patience: How many seconds a call on another thread may take before it counts
  ///     as stuck.
  ///   - build: Makes the flow from a rig; called once per check.
  public init(
    _ name: String, traits: ContractTraits = [], allowance: Int = 4, depth: Int = 20_000,
    patience: Int = 10, build: @escaping @Sendable (ContractRig) -> Subject
  ) {
    self.name = name
    self.traits = traits
    self.allowance = allowance
    self.depth = depth
    self.patience = patience
    self.build = build
  }

  /// Runs every check.
  ///
  /// - Returns: What was not as promised, in the order of the rules; empty when all was.
  public func violations() -> [ContractViolation] {
    var found: [ContractViolation] = []
    found += grammarViolations()
    found += serialViolations()
    found += lazinessViolations()
    found += disposalViolations()
    found += depthViolations()
    found += boundViolations()
    found += lockViolations()
    found += flowControlViolations()
    return found
  }

  // MARK: What the checks share

  /// Builds the flow over a source; hands out the scheduler and the leak probe.
  func rig<Source: Flow>(_ source: Source) -> Setup
  where Source.Element == Int, Source.Failure == ContractFailure {
    let scheduler = VirtualScheduler()
    let probe = LeakProbe()
    let rig = ContractRig(source: source, scheduler: scheduler, token: probe.token("closure"))
    return Setup(flow: build(rig), scheduler: scheduler, probe: probe)
  }

  struct Setup: Sendable {
    let flow: Subject
    let scheduler: VirtualScheduler
    let probe: LeakProbe

    /// Lets everything that waits for the scheduler happen.
    func settle() {
      // At most for a minute: an interval never comes to rest. Time stands still when
      // nothing waits, because some flows tell it.
      let limit = scheduler.now + .seconds(60)
      while let due = scheduler.nextDue, due <= limit { scheduler.advance(to: due) }
    }
  }

  func violation(_ rule: Int, _ message: String) -> ContractViolation {
    ContractViolation(rule: rule, "\(name): \(message)")
  }

  /// Turns what a recorder complains about into violations.
  func complaints(
    of recorder: Recorder<Subject.Element, Subject.Failure>, rule: Int, when: String
  ) -> [ContractViolation] {
    complaints(recorder.violations, rule: rule, when: when)
  }

  /// The same for complaints that have been taken out; those about the grammar are rule 1.
  func complaints(_ texts: [String], rule: Int, when: String) -> [ContractViolation] {
    texts.map { text in
      let isGrammar = ["after the end", "before the start", "started "].contains(
        where: text.contains)
      return violation(isGrammar ? 1 : rule, "\(when): \(text)")
    }
  }
}
