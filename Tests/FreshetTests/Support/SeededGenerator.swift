import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Random numbers that a seed gives again (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The seed of this run's random tests, and the sentence that says how to use it again.
enum Seed {
  static let value: UInt64 = {
    if let text = ProcessInfo.processInfo.environment["FRESHET_SEED"], let seed = UInt64(text) {
      return seed
    }
    return UInt64.random(in: 0...UInt64.max)
  }()

  static var replay: Comment { "replay with FRESHET_SEED=\(value) swift test" }

  static func generator(_ number: Int) -> SeededGenerator {
    SeededGenerator(seed: value &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
  }
}
