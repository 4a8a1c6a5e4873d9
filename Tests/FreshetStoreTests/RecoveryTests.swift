import Foundation
import Freshet
import Testing

@testable import FreshetStore

/// I6, I1, I3: a cut happens only beyond every proof of durability, and nothing else is lost.
@Suite("Recovery")
struct RecoveryTests {
  private let log = FileNames.segment(1)

  private func makeStore(_ count: Int, in directory: TemporaryDirectory) async throws {
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    for number in 1...count {
      _ = try await manager.save(id: "id-\(number)", body: body(number)).value()
    }
    manager.close()
  }

  private func ids(_ manager: DatabaseManager) async throws -> [String] {
    try await manager.fetch().value().map(\.id)
  }

  /// HEAD as it was before the last commit, as if that had never been confirmed.
  private func rewindHead(_ directory: TemporaryDirectory) throws {
    let store = try StoreDescription(directory.read("STORE"))
    var bytes = try directory.read("HEAD")
    let newest = try #require(
      bytes.withUnsafeBytes { HeadRecord.newest(in: $0, storeBits: store.idLowBits) })
    let slot = Int(HeadRecord.slotOffsets[Int(newest.sequence & 1)])
    bytes.replaceSubrange(slot..<(slot + 64), with: [UInt8](repeating: 0, count: 64))
    try directory.write(bytes, to: "HEAD")
  }

  @Test("a last record torn at any byte is cut and kept, when nobody confirmed it")
  func tornTail() async throws {
    let origin = try TemporaryDirectory()
    try await makeStore(5, in: origin)
    try rewindHead(origin)
    let whole = try origin.read(log)
    let lastStart = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
    for length in lastStart..<whole.count {
      let directory = try TemporaryDirectory()
      try origin.copy(to: directory)
      try directory.write(Array(whole[..<length]), to: log)
      let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
      #expect(try await ids(manager) == (1...4).map { "id-\($0)" })
      let lost = try directory.names().filter { $0.hasPrefix("lost+4-") }
      if length == lastStart {
        #expect(lost.isEmpty && manager.lostFile == nil)
      } else {
        #expect(try directory.read(try #require(lost.first)) == Array(whole[lastStart..<length]))
        #expect(manager.lostFile?.hasSuffix(lost[0]) == true)
      }
      // The store goes on, with the same revision: nobody had seen the cut one.
      #expect(try await manager.save(id: "new", body: body(0)).value() == .saved)
      #expect(manager.token.revision == 5 && manager.token.epoch == 1)
      manager.close()
      #expect(
        try await ids(DatabaseManager.open(at: directory.store)) == (1...4).map { "id-\($0)" }
          + ["new"])
    }
  }

  @Test("the same tear is refused when HEAD says the record was durable, and nothing changes")
  func tornDurableTail() async throws {
    let origin = try TemporaryDirectory()
    try await makeStore(5, in: origin)
    let whole = try origin.read(log)
    let lastStart = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
    for length in lastStart..<whole.count {
      let directory = try TemporaryDirectory()
      try origin.copy(to: directory)
      try directory.write(Array(whole[..<length]), to: log)
      let before = try directory.names()
      let error = #expect(throws: StoreError.self) {
        try DatabaseManager.open(at: directory.store, options: .fixed())
      }
      #expect(error?.code == .damaged)
      #expect(try directory.read(log).count == length)
      #expect(try directory.names() == before)
    }
  }

  @Test("bytes after the last record are cut when they prove nothing")
  func garbageTail() async throws {
    let tails: [[UInt8]] = [
      [0x0A], [UInt8](repeating: 0, count: 4096), Array("not a record\n".utf8),
      Array("x\ny\nz".utf8), [UInt8](repeating: 0x41, count: 3 << 20),
    ]
    for tail in tails {
      let directory = try TemporaryDirectory()
      try await makeStore(3, in: directory)
      let whole = try directory.read(log)
      try directory.write(whole + tail, to: log)
      let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
      #expect(try await ids(manager).count == 3)
      let lost = try #require(try directory.names().first { $0.hasPrefix("lost+3-") })
      #expect(try directory.read(lost) == tail)
      manager.close()
    }
  }

  @Test("every flipped byte of a store of 100 records is found; the error names the place")
  func flipEveryByte() async throws {
    let origin = try TemporaryDirectory()
    try await makeStore(100, in: origin)
    let whole = try origin.read(log)
    let directory = try TemporaryDirectory()
    try origin.copy(to: directory)
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    // All of them take half a minute in a debug build; a quarter, another one each time, is enough
    // for everyday.
    let step = ProcessInfo.processInfo.environment["FRESHET_EXHAUSTIVE"] == nil ? 4 : 1
    for at in stride(from: Int(seed % UInt64(step)), to: whole.count, by: step) {
      var damaged = whole
      damaged[at] ^= UInt8(1 << ((seed >> UInt64(at % 61)) & 7))
      try directory.write(damaged, to: log)
      let error = #expect(throws: StoreError.self, "byte \(at), seed \(seed)") {
        try DatabaseManager.open(at: directory.store, options: .fixed())
      }
      #expect(error?.code == .damaged && error?.message.contains("revision") == true)
      #expect(try directory.names().contains { $0.hasPrefix("lost+") } == false)
    }
    try directory.write(whole, to: log)
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    #expect(try await ids(manager).count == 100)
  }

  @Test("without HEAD a flipped byte is found, or cut and kept when it is in the last batch only")
  func flipEveryByteWithoutHead() async throws {
    let origin = try TemporaryDirectory()
    try await makeStore(30, in: origin)
    try FileManager.default.removeItem(atPath: origin.file("HEAD"))
    let whole = try origin.read(log)
    let lastStart = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
    for at in whole.indices {
      let directory = try TemporaryDirectory()
      try origin.copy(to: directory)
      var damaged = whole
      damaged[at] ^= 4
      try directory.write(damaged, to: log)
      do {
        let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
        #expect(manager.lostFile != nil)
        // What can be proved is `b` of the last record: everything before it.
        #expect(at >= lastStart - 1, "byte \(at)")
        let left = try await ids(manager).count
        #expect(left == (at == lastStart - 1 ? 28 : 29))
        // Somebody may have seen the cut commit: a new epoch, and revisions far away.
        #expect(manager.epoch == 2 && manager.token.revision > Limits.epochGap)
      } catch let error as StoreError {
        #expect(error.code == .damaged && at < lastStart, "byte \(at): \(error)")
      }
    }
  }

  @Test("every zeroed sector is found")
  func zeroSectors() async throws {
    let origin = try TemporaryDirectory()
    try await makeStore(100, in: origin)
    let whole = try origin.read(log)
    for start in stride(from: 0, to: whole.count, by: 512) {
      let directory = try TemporaryDirectory()
      try origin.copy(to: directory)
      var damaged = whole
      for at in start..<min(start + 512, whole.count) { damaged[at] = 0 }
      try directory.write(damaged, to: log)
      let error = #expect(throws: StoreError.self) {
        try DatabaseManager.open(at: directory.store, options: .fixed())
      }
      #expect(error?.code == .damaged)
    }
  }

  @Test("a file shorter than what was durable is refused; a missing line is found")
  func shorterAndMissing() async throws {
    let directory = try TemporaryDirectory()
    try await makeStore(6, in: directory)
    let whole = try directory.read(log)
    let lines = whole.split(separator: 0x0A)
    try directory.write(Array(lines.dropLast().joined(separator: [0x0A])) + [0x0A], to: log)
    #expect(throws: StoreError.self) { try DatabaseManager.open(at: directory.store) }

    // Lines removed by hand leave a gap in the revisions, even when HEAD is gone.
    try FileManager.default.removeItem(atPath: directory.file("HEAD"))
    for missing in 0..<5 {
      var rest = lines
      rest.remove(at: missing)
      try directory.write(Array(rest.joined(separator: [0x0A])) + [0x0A], to: log)
      let error = #expect(throws: StoreError.self) {
        try DatabaseManager.open(at: directory.store)
      }
      #expect(error?.message.contains("is followed by") == true)
    }
  }

  @Test("HEAD with any byte flipped costs nothing: the journal is whole")
  func damagedHead() async throws {
    let origin = try TemporaryDirectory()
    try await makeStore(4, in: origin)
    let whole = try origin.read("HEAD")
    for at in stride(from: 0, to: whole.count, by: 3) {
      let directory = try TemporaryDirectory()
      try origin.copy(to: directory)
      var damaged = whole
      damaged[at] ^= 0x10
      try directory.write(damaged, to: "HEAD")
      let manager = try DatabaseManager.open(at: directory.store)
      #expect(try await ids(manager).count == 4)
      #expect(manager.token == Token(storeID: manager.storeID, epoch: 1, revision: 4))
      manager.close()
    }
  }

  @Test("STORE with any byte flipped is an error, never another store")
  func damagedStore() async throws {
    let directory = try TemporaryDirectory()
    try await makeStore(1, in: directory)
    let whole = try directory.read("STORE")
    for at in whole.indices {
      var damaged = whole
      damaged[at] ^= 1
      try directory.write(damaged, to: "STORE")
      #expect(throws: StoreError.self) { try DatabaseManager.open(at: directory.store) }
    }
  }

  @Test("a batch is there whole or not at all, wherever it is torn")
  func tornBatch() async throws {
    let origin = try TemporaryDirectory()
    let manager = try DatabaseManager.open(at: origin.store, options: .fixed())
    _ = try await manager.save(id: "first", body: body(0)).value()
    let before = try origin.read(log).count
    _ = try await manager.apply((1...4).map { .save(id: "b\($0)", body: body($0)) }).value()
    manager.close()
    try rewindHead(origin)
    let whole = try origin.read(log)
    for length in before..<whole.count {
      let directory = try TemporaryDirectory()
      try origin.copy(to: directory)
      try directory.write(Array(whole[..<length]), to: log)
      let reopened = try DatabaseManager.open(at: directory.store, options: .fixed())
      #expect(try await ids(reopened) == ["first"])
      #expect(try directory.read(log).count == before)
      reopened.close()
    }
    let complete = try DatabaseManager.open(at: origin.store, options: .fixed())
    #expect(try await ids(complete) == ["first", "b1", "b2", "b3", "b4"])
  }

  @Test("a record of a newer kind is passed over, or stops a reader that must know it")
  func unknownKinds() async throws {
    for isMandatory in [false, true] {
      let directory = try TemporaryDirectory()
      try await makeStore(2, in: directory)
      var line: [UInt8] = []
      Frame.open(&line)
      let must = isMandatory ? #","must":1"# : ""
      line += Array(#","r":3,"b":0,"o":"sparkle"\#(must),"k":"x","p":0,"t":1,"z":[1]}"#.utf8)
      Frame.close(&line, from: 0)
      try directory.write(try directory.read(log) + line, to: log)
      if isMandatory {
        let error = #expect(throws: StoreError.self) {
          try DatabaseManager.open(at: directory.store)
        }
        #expect(error?.code == .newerFormat)
      } else {
        let manager = try DatabaseManager.open(at: directory.store)
        #expect(try await ids(manager).count == 2 && manager.token.revision == 3)
        #expect(manager.skippedRecords == 1)
        #expect(try await manager.save(id: "after", body: body(1)).value() == .saved)
        manager.close()
        #expect(try await ids(DatabaseManager.open(at: directory.store)).count == 3)
      }
    }
  }

  @Test("a read error is never taken for damage")
  func readError() async throws {
    let directory = try TemporaryDirectory()
    try await makeStore(3, in: directory)
    let disk = FaultyFileSystem()
    disk.set { call in call == .read(FileNames.segment(1)) ? .fail(5) : nil }
    let error = #expect(throws: StoreError.self) {
      try DatabaseManager.open(at: directory.store, options: .fixed { $0.fileSystem = disk })
    }
    #expect(error?.code == .ioError)
    disk.set(nil)
    let manager = try DatabaseManager.open(at: directory.store)
    #expect(try await ids(manager).count == 3 && manager.lostFile == nil)
  }

  @Test("a creation that was interrupted anywhere is completed by the next opening")
  func interruptedCreation() async throws {
    let disk = FaultyFileSystem()
    let probe = try TemporaryDirectory()
    try DatabaseManager.open(at: probe.store, options: .fixed { $0.fileSystem = disk }).close()
    let total = disk.calls.count
    for failing in 0..<total {
      let directory = try TemporaryDirectory()
      let seen = Counter()
      disk.set { _ in seen.next() == Int64(failing) ? .fail(28) : nil }
      let options = StoreOptions.fixed { $0.fileSystem = disk }
      try? DatabaseManager.open(at: directory.store, options: options).close()
      disk.set(nil)
      let manager = try DatabaseManager.open(at: directory.store, options: options)
      #expect(try await manager.save(id: "a", body: body(1)).value() == .saved)
      manager.close()
    }
  }
}
