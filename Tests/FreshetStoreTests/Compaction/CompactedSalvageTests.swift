import Foundation
import Freshet
import Testing

@testable import FreshetStore

/// Verify and salvage of stores that have been compacted, with snapshot, index or segment damaged.
@Suite("Salvage of compacted stores")
struct CompactedSalvageTests {
  /// 20 commits, compacted after 10, and 5 more; the journal begins with its first commit when
  /// `keepsAll`, otherwise with the snapshot of the tenth.
  private func make(keepsAll: Bool) async throws -> (TemporaryDirectory, [String]) {
    let directory = try TemporaryDirectory()
    let manager = try DatabaseManager.open(
      at: directory.store,
      options: .fixed {
        $0.segmentBytes = 300
        $0.compactsAutomatically = false
        if !keepsAll { $0.retention = .none }
      })
    for number in 1...10 {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
    }
    _ = try await manager.compact().value()
    for number in 8...14 {
      _ = try await manager.save(id: "i\(number)", body: body(number * 10)).value()
    }
    _ = try await manager.delete(id: "i2").value()
    let contents = try await manager.contents()
    manager.close()
    return (directory, contents)
  }

  private func rescue(_ directory: TemporaryDirectory, _ name: String) async throws -> [String] {
    let target = directory.path + "/rescued-" + name
    _ = try StoreFiles.salvage(directory.store, to: target)
    #expect(try StoreFiles.verify(at: target).isSound)
    let manager = try DatabaseManager.open(at: target)
    defer { manager.close() }
    return try await manager.contents()
  }

  @Test(
    "a sound one is copied, with and without the journal before its snapshot",
    arguments: [true, false])
  func sound(keepsAll: Bool) async throws {
    let (directory, contents) = try await make(keepsAll: keepsAll)
    #expect(try StoreFiles.verify(at: directory.store).findings == [])
    #expect(try await rescue(directory, "sound") == contents)
  }

  @Test("an index says nothing that is needed", arguments: [true, false])
  func index(keepsAll: Bool) async throws {
    let (directory, contents) = try await make(keepsAll: keepsAll)
    let name = FileNames.snapshotIndex(10)
    var bytes = try directory.read(name)
    bytes[70] ^= 1
    try directory.write(bytes, to: name)
    let survey = try StoreFiles.verify(at: directory.store)
    #expect(survey.isSound && survey.findings.map(\.file) == [name])
    #expect(try await rescue(directory, "index") == contents)
  }

  @Test("every flipped byte of the snapshot costs nothing with the journal, and one item without")
  func snapshot() async throws {
    for keepsAll in [true, false] {
      let (directory, contents) = try await make(keepsAll: keepsAll)
      let name = FileNames.snapshot(10)
      let whole = try directory.read(name)
      for at in stride(from: keepsAll ? 0 : 1, to: whole.count, by: keepsAll ? 97 : 23) {
        var bytes = whole
        bytes[at] ^= 2
        try directory.write(bytes, to: name)
        let survey = try StoreFiles.verify(at: directory.store)
        #expect(!survey.isSound && survey.findings.contains { $0.file == name }, "byte \(at)")
        let rescued = try await rescue(directory, "\(at)")
        if keepsAll {
          #expect(rescued == contents, "byte \(at)")
        } else {
          // A flip in a newline fuses two lines.
          let lost = contents.filter { !rescued.contains($0) }
          #expect(lost.count <= (whole[at] == 0x0A ? 2 : 1), "byte \(at)")
        }
      }
    }
  }

  @Test("a segment before a whole snapshot is not needed; one after it costs what was hit")
  func segment() async throws {
    let (directory, contents) = try await make(keepsAll: true)
    let names = try directory.names().filter { $0.hasPrefix("log-") }
    for name in names {
      let whole = try directory.read(name)
      if whole.isEmpty { continue }
      var bytes = whole
      bytes[bytes.count / 2] ^= 2
      try directory.write(bytes, to: name)
      #expect(try StoreFiles.verify(at: directory.store).isSound == false)
      let rescued = try await rescue(directory, name)
      let first = try #require(FileNames.firstRevision(name))
      if first <= 10 {
        #expect(rescued == contents, "\(name)")
        // And the store itself opens, from the snapshot.
        let manager = try DatabaseManager.open(at: directory.store)
        #expect(try await manager.contents() == contents)
        manager.close()
      } else {
        #expect(contents.filter { !rescued.contains($0) }.count <= 1, "\(name)")
      }
      try directory.write(whole, to: name)
    }
    // A whole segment gone from the middle of what the snapshot has anyway.
    let gone = try #require(names.dropFirst().first)
    try FileManager.default.removeItem(atPath: directory.file(gone))
    #expect(try await rescue(directory, "gone") == contents)
  }
}
