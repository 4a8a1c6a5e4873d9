import Foundation
import Freshet
import Testing

@testable import FreshetStore

/// I5: what a journal stands on after a compaction is missing or damaged.
@Suite("Damaged bases")
struct DamagedBaseTests: CompactionSuite {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("an index that is missing or damaged anywhere is made again, and nothing is missed")
  func damagedIndex() async throws {
    let manager = try directory.open { $0.retention = .none }
    try await fill(manager)
    let report = try await manager.compact().value()
    let before = try await all(manager)
    manager.close()
    let name = FileNames.snapshotIndex(report.token.revision)
    let whole = try directory.read(name)
    #expect(whole.count == SnapshotTable.fileBytes(for: 35))
    for at in Array(stride(from: 0, to: whole.count, by: 37)) + [whole.count] {
      if at == whole.count {
        try FileManager.default.removeItem(atPath: directory.file(name))
      } else {
        var damaged = whole
        damaged[at] ^= 8
        try directory.write(damaged, to: name)
      }
      let reader = try directory.open { $0.isReadOnly = true }
      #expect(try await all(reader) == before)
      #expect(try await reader.fetch(id: #"i"6\"#).value()?.body == body(600))
      #expect(try await reader.verify().value().problems.map(\.file) == [name])
      reader.close()
      let writer = try directory.open()
      #expect(try await all(writer) == before)
      writer.close()
      #expect(try directory.read(name) == whole)
    }
    #expect(try directory.names("snap-").count == 2)
  }

  @Test("every flipped byte of a snapshot is found, on opening or by the first read of its item")
  func damagedSnapshot() async throws {
    let manager = try directory.open { $0.retention = .none }
    for number in 1...12 {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
    }
    _ = try await manager.compact().value()
    let before = try await all(manager)
    manager.close()
    let name = FileNames.snapshot(12)
    let whole = try directory.read(name)
    for at in whole.indices {
      var damaged = whole
      damaged[at] ^= 1
      try directory.write(damaged, to: name)
      let error = await #expect(throws: StoreError.self, "byte \(at)") {
        let reader = try directory.open { $0.isReadOnly = true }
        _ = try await all(reader)
      }
      #expect(error?.code == .damaged, "byte \(at)")
    }
    try directory.write(Array(whole.dropLast(3)), to: name)
    #expect(throws: StoreError.self) { try directory.open() }
    try directory.write(whole, to: name)
    #expect(try await all(directory.open()) == before)
  }

  @Test("a damaged snapshot costs nothing while the journal before it is kept")
  func damagedSnapshotWithJournal() async throws {
    let manager = try directory.open()
    try await fill(manager)
    let report = try await manager.compact().value()
    _ = try await manager.save(id: "after", body: body(1)).value()
    let before = try await all(manager)
    manager.close()
    let name = FileNames.snapshot(report.token.revision)
    try directory.write(Array(try directory.read(name).dropLast(3)), to: name)
    let again = try directory.open()
    #expect(try await all(again) == before)
    #expect(try await again.verify().value().problems.map(\.file) == [name])
    // The next compaction makes a good one.
    _ = try await again.compact().value()
    again.close()
    #expect(try await all(directory.open()) == before)
  }

  @Test("without its first segment and without a snapshot a journal is refused")
  func noBase() async throws {
    let manager = try directory.open { $0.retention = .none }
    _ = try await manager.save(id: "a", body: body(1)).value()
    _ = try await manager.compact().value()
    _ = try await manager.save(id: "b", body: body(1)).value()
    manager.close()
    for name in try directory.names("snap-") {
      try FileManager.default.removeItem(atPath: directory.file(name))
    }
    for isReadOnly in [false, true] {
      let error = #expect(throws: StoreError.self) {
        try directory.open { $0.isReadOnly = isReadOnly }
      }
      #expect(error?.code == .damaged && error?.message.contains("no snapshot") == true)
    }
  }
}
