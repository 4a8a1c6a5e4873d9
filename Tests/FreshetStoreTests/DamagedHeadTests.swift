import Freshet
import Testing

@testable import FreshetStore

/// A slot of HEAD that no longer checks: readers, who cannot mend it, find what it said where the
/// journal proves it (I2), and otherwise it is told.
@Suite("A damaged slot of HEAD")
struct DamagedHeadTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A closed store of five commits; where its newest slot is, and its older one.
  private func sample(
    segmentBytes: Int64 = Limits.segmentBytes
  ) async throws -> (newest: Int, older: Int) {
    let store = try directory.open { $0.segmentBytes = segmentBytes }
    for number in 1...5 { _ = try await store.save(id: "i\(number)", body: body(number)).value() }
    store.close()
    let newest = HeadRecord.slotOffsets[Int(try head().sequence & 1)]
    return (Int(newest), newest == 0 ? 512 : 0)
  }

  private func bits() throws -> UInt64 { try StoreDescription(directory.read("STORE")).idLowBits }

  private func head() throws -> HeadRecord {
    let bits = try bits()
    return try #require(
      try directory.read("HEAD").withUnsafeBytes { HeadRecord.newest(in: $0, storeBits: bits) })
  }

  private func damage(_ range: Range<Int>, _ change: (UInt8) -> UInt8) throws {
    var bytes = try directory.read("HEAD")
    for place in range { bytes[place] = change(bytes[place]) }
    try directory.write(bytes, to: "HEAD")
  }

  private func reader() throws -> DatabaseManager { try directory.open { $0.isReadOnly = true } }

  @Test(
    "a flipped byte of the newest slot costs a reader nothing: the journal proves what it said",
    arguments: [Limits.segmentBytes, 200])
  func flipped(segmentBytes: Int64) async throws {
    let slots = try await sample(segmentBytes: segmentBytes)
    let whole = try directory.read("HEAD")
    for place in 0..<64 {
      try directory.write(whole, to: "HEAD")
      try damage((slots.newest + place)..<(slots.newest + place + 1)) { $0 ^ 0x20 }
      let reader = try reader()
      #expect(reader.token.revision == 5, "byte \(place)")
      #expect(try await reader.fetch(id: "i5").value()?.body == body(5))
      let problem = try #require(try await reader.checkHead().value())
      #expect(problem.isDispensable && problem.message.contains("byte \(slots.newest)"))
      reader.close()
      let survey = try StoreFiles.verify(at: directory.store)
      #expect(survey.isSound && survey.findings.map(\.kind) == [.note])
      #expect(survey.findings.first?.file == "HEAD")
      #expect(survey.findings.first?.offset == Int64(slots.newest))
      #expect(survey.findings.first?.message.contains("nothing is lost") == true)
      #expect(survey.durableRevision == 5)
    }
  }

  @Test("a newest slot that is gone leaves a reader before it, and is told; a write mends it")
  func gone() async throws {
    let slots = try await sample()
    let last = Token(storeID: "00112233445566778899aabbccddeeff", epoch: 1, revision: 5)
    try damage(slots.newest..<(slots.newest + 64)) { _ in 0 }
    let reader = try reader()
    #expect(reader.token.revision == 4)
    let problem = try #require(try await reader.checkHead().value())
    #expect(!problem.isDispensable && problem.message.contains("goes on to 5"))
    #expect(try reader.headProblem == problem)
    guard case .failed(let error) = await Collector(reader.changes(since: .after(last))).ended()
    else {
      Issue.record("it must fail")
      return
    }
    #expect(error.code == .diverged && error.message.contains("HEAD is damaged"))
    reader.close()
    let survey = try StoreFiles.verify(at: directory.store)
    #expect(survey.isSound && survey.durableRevision == 4)
    let finding = try #require(survey.findings.first)
    #expect(finding.file == "HEAD" && finding.offset == Int64(slots.newest))
    #expect(finding.message.contains("goes on to 5") && finding.message.contains("compact"))
    try directory.open().close()
    let again = try self.reader()
    #expect(again.token.revision == 5)
    #expect(try await again.checkHead().value() == nil)
    #expect(try again.headProblem == nil)
    #expect(try StoreFiles.verify(at: directory.store).findings == [])
  }

  @Test("an older slot that is damaged costs nothing, and is told")
  func older() async throws {
    let slots = try await sample()
    try damage(slots.older..<(slots.older + 64)) { $0 ^ 0xFF }
    let reader = try reader()
    #expect(reader.token.revision == 5)
    #expect(try await reader.checkHead().value()?.isDispensable == true)
    let survey = try StoreFiles.verify(at: directory.store)
    #expect(survey.isSound && survey.findings.map(\.offset) == [Int64(slots.older)])
    #expect(survey.findings.first?.message.contains("nothing is lost") == true)
  }

  @Test("nothing is believed that HEAD did not say: nothing behind it, nor after a failed sync")
  func noMore() async throws {
    let store = try directory.open()
    for number in 1...4 { _ = try await store.save(id: "i\(number)", body: body(number)).value() }
    let before = try directory.read("HEAD")
    let slot = Int(HeadRecord.slotOffsets[Int(try head().sequence & 1)])
    _ = try await store.save(id: "i5", body: body(5)).value()
    store.close()
    // As when the power went before HEAD said anything of the fifth.
    try directory.write(before, to: "HEAD")
    try damage((slot + 20)..<(slot + 30)) { $0 ^ 0xFF }
    let reader = try reader()
    #expect(reader.token.revision == 4)
    reader.close()
    // And as when the slot said that a sync had failed.
    try directory.write(before, to: "HEAD")
    var poisoned = try head()
    poisoned.sequence += 1
    poisoned.isPoisoned = true
    var bytes = before
    let other = Int(HeadRecord.slotOffsets[Int(poisoned.sequence & 1)])
    bytes.replaceSubrange(other..<(other + 64), with: poisoned.encoded(storeBits: try bits()))
    bytes[other + 8] ^= 1
    try directory.write(bytes, to: "HEAD")
    #expect(try self.reader().token.revision == 4)
  }

  @Test("a store that has said nothing twice yet has no bad slot")
  func young() throws {
    try directory.open().close()
    #expect(try StoreFiles.verify(at: directory.store).findings == [])
  }
}
