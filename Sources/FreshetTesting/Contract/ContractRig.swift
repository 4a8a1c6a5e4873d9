import Freshet

/// What a flow under test is built from: one rig per check.
public struct ContractRig: Sendable {
  /// The source that the operator under test subscribes to.
  public let source: AnyFlow<Int, ContractFailure>

  /// The clock for timed operators and the place for `observe(on:)`.
  ///
  /// The suite lets up to a minute pass whenever it wants to see what comes: keep times
  /// well below that.
  public let scheduler: VirtualScheduler

  /// What every closure of the operator under test should hold.
  ///
  /// For example `.map { [token = rig.token] in token.pass($0) }`: the suite sees
  /// whether it is released.
  public let token: LeakProbe.Token

  init<Source: Flow>(source: Source, scheduler: VirtualScheduler, token: LeakProbe.Token)
  where Source.Element == Int, Source.Failure == ContractFailure {
    self.source = source.erased()
    self.scheduler = scheduler
    self.token = token
  }
}

/// What is special about a flow under test.
public struct ContractTraits: OptionSet, Sendable {
  /// One bit per trait.
  public let rawValue: Int

  /// Makes traits from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// It does not use the rig's source: it is a source itself.
  public static let noSource = ContractTraits(rawValue: 1)

  /// All its observers share one subscription to the source.
  public static let shared = ContractTraits(rawValue: 2)

  /// It subscribes to the source only after something else has happened, so the
  /// suite does not ask for a subscription at once.
  public static let late = ContractTraits(rawValue: 4)

  /// A pause may change the order in which the values of several sources come.
  public static let reorders = ContractTraits(rawValue: 8)

  /// It drops values that come before something else has happened, or lets them wait:
  /// what is sent from inside a delivery does not give what is sent later.
  public static let lossy = ContractTraits(rawValue: 16)
}
