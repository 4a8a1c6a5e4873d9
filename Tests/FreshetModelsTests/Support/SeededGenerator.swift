import Foundation

/// Random numbers that a printed seed gives again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// `FRESHET_SEED` where it is set, else a seed of this run's own.
  static let seed =
    ProcessInfo.processInfo.environment["FRESHET_SEED"].flatMap(UInt64.init)
    ?? UInt64.random(in: 1...UInt64.max)

  init(seed: UInt64 = SeededGenerator.seed) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
