import Freshet
import Testing

@testable import FreshetStore

/// I5 and I7: a damaged snapshot is never believed, and costs nothing while an older state is kept.
@Suite("Damaged snapshots")
struct DamagedSnapshotTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    _ change: @escaping (inout StoreOptions) -> Void = { _ in }
  ) throws -> DatabaseManager {
    try directory.open {
      $0.segmentBytes = 400
      change(&$0)
    }
  }

  private func save(_ manager: DatabaseManager, _ numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
    }
  }

  private func all(_ manager: DatabaseManager) async throws -> [String] {
    try await manager.fetch(includingDeleted: true).value().map {
      "\($0.id) \($0.revision) \($0.created) \($0.createdIndex) \($0.isDeleted) \(text($0.body))"
    }
  }

  /// Flips a byte of an item's line; the rest of the snapshot stays as it is.
  private func damage(_ revision: Int64, item id: String) throws {
    let name = FileNames.snapshot(revision)
    var bytes = try directory.read(name)
    let text = String(decoding: bytes, as: UTF8.self)
    let place = try #require(text.firstRange(of: #""k":"\#(id)""#)).lowerBound
    bytes[text.utf8.distance(from: text.utf8.startIndex, to: place) + 6] ^= 1
    try directory.write(bytes, to: name)
  }

  @Test(
    "wherever a byte of the newest snapshot is flipped, the journal before it gives every answer")
  func everyByte() async throws {
    var manager = try open()
    try await save(manager, 1...8)
    _ = try await manager.delete(id: "i3").value()
    _ = try await manager.compact().value()
    try await save(manager, 9...9)
    let before = try await all(manager)
    manager.close()
    let name = FileNames.snapshot(9)
    let whole = try directory.read(name)
    for at in stride(from: 0, to: whole.count, by: 3) {
      var damaged = whole
      damaged[at] ^= 4
      try directory.write(damaged, to: name)
      let reader = try open { $0.isReadOnly = true }
      #expect(try await all(reader) == before, "byte \(at)")
      #expect(try await reader.page(.all, limit: 20).value().records.count == 8, "byte \(at)")
      let problem = try await reader.checkSnapshot().value()
      #expect(problem?.isDispensable == true, "byte \(at)")
      let survey = try StoreFiles.verify(at: directory.store)
      #expect(survey.findings.first?.message.contains("store compact") == true, "byte \(at)")
      reader.close()
    }
    try directory.write(whole, to: name)
    manager = try open()
    #expect(try await manager.checkSnapshot().value() == nil)
    manager.close()
  }

  @Test("each way to read goes round it, writing too, and says so; compaction writes another")
  func everyWay() async throws {
    for way in 0..<8 {
      let directory = try TemporaryDirectory()
      let here = DamagedSnapshotTests(directory)
      var manager = try here.open()
      try await here.save(manager, 1...8)
      _ = try await manager.delete(id: "i3").value()
      _ = try await manager.compact().value()
      let before = try await here.all(manager)
      manager.close()
      try here.damage(9, item: "i3")
      try here.damage(9, item: "i5")
      manager = try here.open()
      switch way {
      case 0: #expect(try await here.all(manager) == before)
      case 1: #expect(try await manager.fetch(id: "i5").value()?.body == body(5))
      case 2: #expect(try await manager.page(.all, limit: 9).value().records.count == 7)
      case 3:
        let lists = Collector(manager.observe(.all))
        #expect(await lists.values(1).first?.rows.count == 7)
      case 4: #expect(try await manager.save(id: "i5", body: body(5)).value() == .unchanged)
      case 5: #expect(try await manager.restore(id: "i3").value() == .restored)
      case 6:
        let file = directory.path + "/export"
        #expect(try await manager.export(to: file).value().liveCount == 7)
      default: _ = try await manager.compact().value()
      }
      let statistics = try await manager.stats().value()
      #expect((statistics.snapshotProblem != nil) == (way != 7), "way \(way)")
      _ = try await manager.compact().value()
      #expect(try await manager.stats().value().snapshotProblem == nil, "way \(way)")
      #expect(try await manager.checkSnapshot().value() == nil, "way \(way)")
      manager.close()
      let again = try here.open()
      #expect(try await again.fetch(id: "i5").value()?.body == body(5), "way \(way)")
      again.close()
    }
  }

  private init(_ directory: TemporaryDirectory) { self.directory = directory }

  @Test("a list that followed before goes on through a delete-all that has to spell out the items")
  func clearAfterDamage() async throws {
    var manager = try open()
    try await save(manager, 1...8)
    _ = try await manager.compact().value()
    manager.close()
    try damage(8, item: "i5")
    manager = try open()
    let changes = Collector(manager.changes(since: .now))
    _ = try await manager.deleteAll().value()
    #expect(await changes.values(1).first?.changes.map(\.id) == (1...8).map { "i\($0)" })
    manager.close()
  }

  @Test("with the journal gone an older snapshot and the journal after it do as well")
  func olderSnapshot() async throws {
    let few: (inout StoreOptions) -> Void = {
      $0.retention.commits = 6
      $0.retention.age = .zero
    }
    var manager = try open(few)
    try await save(manager, 1...8)
    _ = try await manager.compact().value()
    try await save(manager, 9...16)
    _ = try await manager.compact().value()
    let before = try await all(manager)
    #expect(try manager.oldestToken.revision == 8)
    manager.close()
    try damage(16, item: "i2")
    manager = try open { $0.isReadOnly = true }
    #expect(try await all(manager) == before)
    #expect(try await manager.checkSnapshot().value()?.isDispensable == true)
    manager.close()
  }

  @Test("with nothing else left it is refused, and salvage brings back all but what was hit")
  func nothingElse() async throws {
    var manager = try open { $0.retention = .none }
    try await save(manager, 1...8)
    _ = try await manager.compact().value()
    try await save(manager, 9...10)
    manager.close()
    try damage(8, item: "i5")
    manager = try open()
    let error = await #expect(throws: StoreError.self) { try await manager.fetch().value() }
    #expect(error?.code == .damaged && error?.message.contains("salvage") == true)
    #expect(try await manager.fetch(id: "i4").value()?.body == body(4))
    #expect(try await manager.checkSnapshot().value()?.isDispensable == false)
    let refusal = await #expect(throws: StoreError.self) { try await manager.compact().value() }
    #expect(refusal?.code == .damaged)
    manager.close()
    #expect(try StoreFiles.verify(at: directory.store).isSound == false)
    let rescued = directory.path + "/rescued"
    let report = try StoreFiles.salvage(directory.store, to: rescued)
    #expect(report.liveCount == 9 && report.badBytes > 0)
    let copy = try DatabaseManager.open(at: rescued)
    #expect(
      try await copy.contents() == ([1, 2, 3, 4, 6, 7, 8, 9, 10].map { #"i\#($0)={"n":\#($0)}"# }))
    copy.close()
    #expect(try StoreFiles.verify(at: rescued).isSound)
  }

  @Test("what is before a snapshot goes only when that was read whole")
  func damagedBase() async throws {
    var manager = try open()
    try await save(manager, 1...8)
    _ = try await manager.compact().value()
    manager.close()
    try damage(8, item: "i5")
    manager = try open {
      $0.retention.commits = 4
      $0.retention.age = .zero
    }
    try await save(manager, 9...16)
    let before = try await all(manager)
    // Old enough to become the base, were it whole.
    _ = try await manager.compact().value()
    #expect(try manager.oldestToken.revision == 0)
    #expect(try await all(manager) == before)
    // The next one is, once it is old enough.
    try await save(manager, 17...24)
    _ = try await manager.compact().value()
    #expect(try manager.oldestToken.revision == 16)
    manager.close()
    let again = try open()
    #expect(try await again.fetch().value().count == 24)
    #expect(try await again.verify().value().isSound)
    again.close()
  }
}
