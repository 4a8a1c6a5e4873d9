import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I9: two stores never share id, epoch and revision")
struct I09StoresAreDistinctTests {
  @Test("a store that has answered keeps its id through every power loss")
  func powerLoss() { CrashResults.expectNone(9) }

  @Test("each new store has an id of its own")
  func ids() throws {
    let directory = try TemporaryDirectory()
    var ids: Set<String> = []
    for number in 0..<20 {
      let manager = try DatabaseManager.open(at: "\(directory.path)/store-\(number)")
      ids.insert(manager.storeID)
      manager.close()
    }
    #expect(ids.count == 20)
  }
}
