import StoreFaults
import Testing

@Suite("I6: bytes are cut off only beyond every proof of durability")
struct I06CutsBeyondEveryProofTests {
  @Test("no power loss is taken for damage, and what is cut off is kept")
  func powerLoss() { CrashResults.expectNone(6) }
}
