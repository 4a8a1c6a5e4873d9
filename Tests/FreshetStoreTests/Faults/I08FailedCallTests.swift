import Glibc
import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I8: a failed call changed nothing, or says that it does not know")
struct I08FailedCallTests {
  @Test("power losses leave no half of a commit")
  func powerLoss() { CrashResults.expectNone(8) }

  @Test("each call fails: input and output, space, interruption, short writes; once and for good")
  func calls() {
    var faults = CallFaults()
    faults.stride = 6
    faults.seed = UInt64.random(in: 1...UInt64(UInt32.max))
    let report = faults.run()
    #expect(report.violations == [], "seed \(faults.seed)")
    #expect(report.calls > 100 && report.runs > 150)
  }

  @Test("a real limit on the size of files is an answer, and afterwards the store goes on")
  func sizeLimit() throws {
    let directory = try TemporaryDirectory()
    for limit in [20_000, 30_001] {
      let path = "\(directory.path)/store-\(limit)"
      let child = try ChildProcess(ExerciserProgram.path, ["fill", path, "\(limit)"])
      var lines: [String] = []
      while true {
        let more = child.lines(wait: true)
        if more.isEmpty { break }
        lines += more
      }
      #expect(child.wait() == 0)
      let words = lines.first?.split(separator: " ").map(String.init) ?? []
      #expect(words.prefix(2) == ["failed", "disk_full"])
      let count = words.last.flatMap { Int64($0) } ?? -1
      #expect(lines.last == "done \(count + 1)")
      let manager = try DatabaseManager.open(at: path)
      #expect(manager.lostFile == nil && manager.token.revision == count + 1)
      manager.close()
    }
  }
}
