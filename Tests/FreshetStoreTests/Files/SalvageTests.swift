import Freshet
import Glibc
import Testing

@testable import FreshetStore

@Suite("Salvage and sign")
struct SalvageTests {
  @Test("a sound store is copied with its list, its deleted items and its times")
  func sound() async throws {
    let directory = try TemporaryDirectory()
    try await VerifyTests.sample(directory) { $0.segmentBytes = 200 }
    let copy = directory.path + "/copy"
    let report = try StoreFiles.salvage(directory.store, to: copy)
    #expect(report.gaps == [])
    #expect(report.partialCommits == 0)
    #expect(report.records == 12)
    #expect(report.liveCount == 1)
    let old = try DatabaseManager.open(at: directory.store)
    let new = try DatabaseManager.open(at: copy)
    #expect(old.storeID != new.storeID)
    #expect(report.storeID == new.storeID)
    let (before, after) = (
      try await old.fetch(includingDeleted: true).value(),
      try await new.fetch(includingDeleted: true).value()
    )
    #expect(before.map(\.id) == after.map(\.id))
    #expect(before.map(\.body) == after.map(\.body))
    #expect(before.map(\.isDeleted) == after.map(\.isDeleted))
    #expect(before.map(\.revision) == after.map(\.revision))
    let (oldTimes, newTimes) = (
      Collector(old.changes(since: .oldest)), Collector(new.changes(since: .oldest))
    )
    #expect(await oldTimes.values(10).map(\.time) == newTimes.values(10).map(\.time))
  }

  @Test("wherever a byte is flipped, every other commit is kept")
  func flips() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for number in 1...8 {
      _ = try await store.save(id: "item-\(number)", body: body(number)).value()
    }
    store.close()
    let name = FileNames.segment(1)
    let good = try directory.read(name)
    let lineBytes = good.count / 8
    for offset in stride(from: 0, to: good.count, by: 11) {
      var bad = good
      bad[offset] ^= 0x02
      try directory.write(bad, to: name)
      let target = directory.path + "/rescued-\(offset)"
      let report = try StoreFiles.salvage(directory.store, to: target)
      // A flip in a newline fuses two lines.
      let lost = good[offset] == 0x0A ? 2 : 1
      #expect(report.records >= 8 - lost, "byte \(offset)")
      #expect(report.records <= 7, "byte \(offset)")
      #expect(report.badBytes >= Int64(lineBytes - 2), "byte \(offset)")
      let rescued = try DatabaseManager.open(at: target)
      #expect(try await rescued.fetch().value().count == report.liveCount)
      rescued.close()
      #expect(try StoreFiles.verify(at: target).isSound)
    }
    #expect(try directory.read(name).count == good.count)
  }

  @Test("gaps are told by their revisions; a delete without its item still rescues the body")
  func gaps() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for id in ["a", "b", "c"] { _ = try await store.save(id: id, body: body(1)).value() }
    _ = try await store.delete(id: "b").value()
    store.close()
    let name = FileNames.segment(1)
    var lines = try directory.read(name).split(separator: 0x0A).map { Array($0) }
    lines[1][40] ^= 1
    try directory.write(Array(lines.joined(separator: [0x0A])) + [0x0A], to: name)
    let target = directory.path + "/rescued"
    let report = try StoreFiles.salvage(directory.store, to: target)
    #expect(report.gaps == [.init(after: 1, before: 3)])
    #expect(report.liveCount == 2)
    let rescued = try DatabaseManager.open(at: target)
    let all = try await rescued.fetch(includingDeleted: true).value()
    #expect(all.map { "\($0.id)\($0.isDeleted ? "-" : "+")" } == ["a+", "c+", "b-"])
  }

  @Test("a disk that fills on the way is an error, after however many commits")
  func fullDisk() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for number in 0..<300 { _ = try await store.save(id: "\(number)", body: body(number)).value() }
    store.close()
    for room in [0, 1, 20, 299] {
      let turn = Counter()
      let disk = FaultyFileSystem()
      disk.set { call in
        guard case .write(let name, _, let count) = call, name.hasPrefix("log-") else { return nil }
        // Of a write of many commits only some go in; that one is taken back.
        return turn.next() < room || count == 0 ? nil : .fail(ENOSPC)
      }
      let target = directory.path + "/rescued-\(room)"
      let error = #expect(throws: StoreError.self) {
        try StoreFiles.salvage(
          directory.store, to: target, options: .fixed { $0.fileSystem = disk })
      }
      #expect(error?.code == .diskFull)
    }
  }

  @Test("a destination that holds something is refused")
  func destination() async throws {
    let directory = try TemporaryDirectory()
    try await VerifyTests.sample(directory)
    let error = #expect(throws: StoreError.self) {
      try StoreFiles.salvage(directory.store, to: directory.store)
    }
    #expect(error?.code == .notAStore)
  }

  @Test("lines edited by hand count after signing, of another length too")
  func sign() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.segmentBytes = 300 })
    for number in 1...9 {
      _ = try await store.save(id: "item-\(number)", body: body(number)).value()
    }
    store.close()
    let name = FileNames.segment(1)
    let text = String(decoding: try directory.read(name), as: UTF8.self)
    for replacement in [#"{"n":7}"#, #"{"title":"longer than it was"}"#, "{}"] {
      try directory.write(Array(text.replacing(#"{"n":1}"#, with: replacement).utf8), to: name)
      #expect(throws: StoreError.self) { try DatabaseManager.open(at: directory.store) }
      let report = try StoreFiles.sign(at: directory.store)
      #expect(report.signed == 1)
      #expect(report.segments == 1)
      #expect(try StoreFiles.verify(at: directory.store).findings == [])
      #expect(try claimsAreTrue(in: directory.read(name)))
      let reopened = try DatabaseManager.open(at: directory.store)
      #expect(content(of: try await reopened.fetch(id: "item-1").value()) == replacement)
      #expect(try await reopened.fetch().value().count == 9)
      reopened.close()
    }
    #expect(try StoreFiles.sign(at: directory.store).signed == 0)
  }

  @Test("a line that is no record, or out of order, is refused and nothing is changed")
  func refused() async throws {
    let directory = try TemporaryDirectory()
    try await VerifyTests.sample(directory)
    let name = FileNames.segment(1)
    let text = String(decoding: try directory.read(name), as: UTF8.self)
    for edit in [
      text.replacing(#"{"n":1}"#, with: #"{"n":1,}"#), text.replacing(#""r":3,"#, with: #""r":4,"#),
      text.replacing(#""o":"put""#, with: #""o":put"#),
    ] {
      let bytes = Array(edit.utf8)
      try directory.write(bytes, to: name)
      let error = #expect(throws: StoreError.self) { try StoreFiles.sign(at: directory.store) }
      #expect(error?.code == .damaged)
      #expect(try directory.read(name) == bytes)
    }
  }

  /// No line says that more was durable before it than there is before it.
  private func claimsAreTrue(in segment: [UInt8]) throws -> Bool {
    var offset = 0
    for line in segment.split(separator: 0x0A) {
      let record = try Array(line).withUnsafeBytes { try RecordLine($0) }
      if record.durableBefore > offset { return false }
      offset += line.count + 1
    }
    return true
  }

  private func content(of record: Record?) -> String { text(record?.body) }
}
