import Freshet
import FreshetTesting
import Testing

@testable import FreshetStore

/// Lists that are read by several threads, in stretches that their items share.
@Suite("Long lists")
struct LongListTests {
  private static let count = 20_000
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    _ change: @escaping (inout StoreOptions) -> Void = { _ in }
  ) throws -> DatabaseManager {
    try directory.open {
      $0.durability = .never
      $0.segmentBytes = 400_000
      change(&$0)
    }
  }

  private func body(_ number: Int, _ version: Int) -> [UInt8] {
    let text = String(repeating: "x", count: number % 97)
    return Array(#"{"n":\#(number),"version":\#(version),"text":"\#(text)"}"#.utf8)
  }

  private func id(_ number: Int) -> String {
    number % 1000 == 3 ? #"quoted "\#(number)\"# : "item:\(number)"
  }

  /// What is expected, by number, in list order.
  private func check(_ manager: DatabaseManager, _ versions: [Int: Int]) async throws {
    let records = try await manager.fetch().value()
    let numbers = versions.keys.sorted()
    #expect(records.count == numbers.count)
    var wrong = 0
    for (record, number) in zip(records, numbers) {
      let isRight =
        record.id == id(number) && record.body == body(number, versions[number] ?? 0)
        && record.rawBody.elementsEqual(record.body) && record.created == Int64(number / 1000 + 1)
        && record.createdIndex == number % 1000 + 1
      if !isRight { wrong += 1 }
    }
    #expect(wrong == 0, "of \(records.count) records")
    let withDeleted = try await manager.fetch(includingDeleted: true).value()
    #expect(withDeleted.map(\.id) == (0..<withDeleted.count).map(id))
    #expect(withDeleted.filter { !$0.isDeleted } == records)
    // One alone is what it is in the list.
    for record in records[records.count / 2..<(records.count / 2 + 50)] {
      #expect(try await manager.fetch(id: record.id).value() == record)
    }
    let quoted = try await firstRows(manager.observe(.ids(startingWith: #"quoted "3"#)))
    #expect(quoted == numbers.map(id).filter { $0.hasPrefix(#"quoted "3"#) })
  }

  private func firstRows(_ lists: LiveListFlow) async throws -> [String] {
    for try await list in lists.values { return list.rows.map(\.id) }
    return []
  }

  @Test("are what was saved, without a snapshot, on one, and with most of it updated at random")
  func contents() async throws {
    var manager = try open()
    var versions: [Int: Int] = [:]
    for start in stride(from: 0, to: LongListTests.count, by: 1000) {
      let numbers = start..<(start + 1000)
      _ = try await manager.apply(numbers.map { .save(id: id($0), body: body($0, 0)) }).value()
      for number in numbers { versions[number] = 0 }
    }
    try await check(manager, versions)
    _ = try await manager.compact().value()
    try await check(manager, versions)

    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    for round in 1...30 {
      var numbers = Set<Int>()
      while numbers.count < 1000 {
        numbers.insert(Int(random.next() % UInt64(LongListTests.count)))
      }
      // Some are deleted, at their first turn, and never saved again.
      let batch = numbers.map { number -> FreshetStore.Operation in
        versions[number] = number % 11 == 0 ? nil : round
        return number % 11 == 0
          ? .delete(id: id(number)) : .save(id: id(number), body: body(number, round))
      }
      _ = try await manager.apply(batch).value()
    }
    try await check(manager, versions)
    manager.close()
    manager = try open()
    try await check(manager, versions)
    _ = try await manager.compact().value()
    try await check(manager, versions)
    manager.close()
  }

  @Test("fail as a whole when one of their records is damaged, in whichever part it is")
  func damage() async throws {
    // Nothing else is kept that the items could be read from.
    let manager = try open { $0.retention = .none }
    for start in stride(from: 0, to: LongListTests.count, by: 1000) {
      let numbers = start..<(start + 1000)
      _ = try await manager.apply(numbers.map { .save(id: id($0), body: body($0, 0)) }).value()
    }
    _ = try await manager.compact().value()
    let name = try #require(
      try directory.names().first { $0.hasPrefix("snap-") && $0.hasSuffix("json") })
    let sound = try directory.read(name)
    for part in [1, 5, 9] {
      var bytes = sound
      bytes[sound.count * part / 10] ^= 1
      try directory.write(bytes, to: name)
      let error = await #expect(throws: StoreError.self) { try await manager.fetch().value() }
      #expect(error?.code == .damaged && error?.message.contains("snap-") == true)
    }
    try directory.write(sound, to: name)
    #expect(try await manager.fetch().value().count == LongListTests.count)
  }
}
