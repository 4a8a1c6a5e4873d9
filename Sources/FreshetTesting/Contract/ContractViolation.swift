/// One promise of the stream contract that was not kept.
public struct ContractViolation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number of the rule in `docs/stream-contract.md`.
  public let rule: Int
  /// Which flow, what was done to it, what was expected and what happened.
  public let message: String

  /// Makes a violation.
  public init(rule: Int, _ message: String) {
    self.rule = rule
    self.message = message
  }

  /// The rule and the message.
  public var description: String { "rule \(rule): \(message)" }
}

/// How the sources of the contract suite fail.
public struct ContractFailure: Error, Sendable, Hashable {
  /// Makes a failure.
  public init() {}
}
