import Freshet
import Testing

@testable import FreshetStore

@Suite("Verify")
struct VerifyTests {
  /// A closed store with a batch, a delete and a delete-all.
  static func sample(
    _ directory: TemporaryDirectory, _ change: (inout StoreOptions) -> Void = { _ in }
  ) async throws {
    let store = try DatabaseManager.open(at: directory.store, options: .fixed(change))
    for number in 1...6 {
      _ = try await store.save(id: "item-\(number)", body: body(number)).value()
    }
    _ = try await store.apply([
      .save(id: "x", body: body(10)), .save(id: "y", body: body(11)), .delete(id: "item-2"),
    ]).value()
    _ = try await store.restore(id: "item-2").value()
    _ = try await store.deleteAll().value()
    _ = try await store.save(id: "last", body: body(12)).value()
    store.close()
  }

  @Test("a sound store has no findings, in one segment or many, and is not changed")
  func sound() async throws {
    for segmentBytes in [Limits.segmentBytes, 200] {
      let directory = try TemporaryDirectory()
      try await Self.sample(directory) { $0.segmentBytes = segmentBytes }
      let before = try directory.names().map { try directory.read($0) }
      let survey = try StoreFiles.verify(at: directory.store)
      #expect(survey.findings == [])
      #expect(survey.isSound)
      #expect(survey.revision == 10)
      #expect(survey.durableRevision == 10)
      #expect(survey.commits == 10)
      #expect(survey.records == 12)
      #expect(survey.badBytes == 0)
      #expect(try directory.names().map { try directory.read($0) } == before)
    }
  }

  @Test("each flipped byte is found, in a store that can be opened no more")
  func flips() async throws {
    let directory = try TemporaryDirectory()
    try await Self.sample(directory)
    let name = FileNames.segment(1)
    let good = try directory.read(name)
    for offset in stride(from: 0, to: good.count, by: 7) {
      var bad = good
      bad[offset] ^= 0x01
      try directory.write(bad, to: name)
      let survey = try StoreFiles.verify(at: directory.store)
      #expect(!survey.isSound, "byte \(offset)")
      let first = try #require(survey.findings.first { $0.kind == .damage })
      #expect(first.file == name)
      #expect(first.offset <= offset, "byte \(offset)")
      // It goes on behind the damage: the last commit is read, unless it is the one.
      #expect(survey.revision >= 9, "byte \(offset)")
    }
  }

  @Test("a line that is gone, and a segment that is gone, are found by their revisions")
  func missing() async throws {
    let directory = try TemporaryDirectory()
    try await Self.sample(directory)
    let name = FileNames.segment(1)
    var lines = try directory.read(name).split(separator: 0x0A).map { Array($0) }
    lines.remove(at: 2)
    try directory.write(Array(lines.joined(separator: [0x0A])) + [0x0A], to: name)
    let survey = try StoreFiles.verify(at: directory.store)
    let finding = try #require(survey.findings.first)
    #expect(finding.kind == .damage)
    #expect(finding.revision == 2)
    #expect(finding.nextRevision == 4)
    #expect(finding.message == "revisions 3 to 3 are missing")
  }

  @Test("the torn end of an append that nobody was told of is unfinished, not damage")
  func unfinished() async throws {
    let directory = try TemporaryDirectory()
    try await Self.sample(directory)
    let name = FileNames.segment(1)
    let good = try directory.read(name)
    try directory.write(good + Array(good.prefix(40)), to: name)
    let survey = try StoreFiles.verify(at: directory.store)
    #expect(survey.isSound)
    #expect(survey.findings.map(\.kind) == [.unfinished])
    #expect(survey.findings.first?.offset == Int64(good.count))
  }

  @Test("without HEAD the records prove what they can; a damaged STORE is damage")
  func withoutHead() async throws {
    let directory = try TemporaryDirectory()
    try await Self.sample(directory)
    try directory.write([], to: "HEAD")
    var survey = try StoreFiles.verify(at: directory.store)
    #expect(survey.isSound)
    #expect(survey.findings.map(\.kind) == [.note])
    #expect(survey.durableRevision == nil)
    try directory.write(Array("{\"c\":\"00000000\",\"format\":1}\n".utf8), to: "STORE")
    survey = try StoreFiles.verify(at: directory.store)
    #expect(!survey.isSound)
    #expect(survey.findings.first?.file == "STORE")
  }

  @Test("what is no store says so")
  func noStore() throws {
    let directory = try TemporaryDirectory()
    for path in [directory.path, directory.path + "/none"] {
      #expect(throws: StoreError.self) { try StoreFiles.verify(at: path) }
    }
  }
}
