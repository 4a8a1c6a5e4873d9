import StoreFaults
import Testing

@Suite("I5: no record that fails its checksum is returned")
struct I05ChecksumTests {
  @Test("a flipped byte of a store of 100 records is refused, and the error names its place")
  func flips() {
    // Every thirteenth byte, others each time; `.ci/run` flips each.
    let sweep = CorruptionSweep()
    let first = Int.random(in: 0..<13)
    #expect(sweep.flips(every: 13, from: first) == [], "from byte \(first)")
    #expect(sweep.zeroedSectors() == [])
  }

  @Test("after every power loss each item is found by its id")
  func powerLoss() { CrashResults.expectNone(5) }
}
