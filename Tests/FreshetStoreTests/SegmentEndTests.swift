import Freshet
import Testing

@testable import FreshetStore

/// A segment that was begun and not yet written to: nobody may go on in the one before.
@Suite("The end of a segment")
struct SegmentEndTests {
  @Test("a commit that wrote nothing begins a segment, and the next one goes into it")
  func nothingWritten() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.segmentBytes = 1 })
    for number in 1...3 {
      #expect(try await store.save(id: "a", body: body(number)).value() != .unchanged)
      // The segment is full, so that this one begins the next.
      #expect(try await store.save(id: "a", body: body(number)).value() == .unchanged)
      #expect(try await store.delete(id: "none").value() == .notFound)
    }
    store.close()
    #expect(try StoreFiles.verify(at: directory.store).findings == [])
    let names = try directory.names().filter { $0.hasPrefix("log-") }
    #expect(names == (1...4).map { FileNames.segment($0) })
    #expect(
      try await DatabaseManager.open(at: directory.store).contents() == [#"a={"n":3}"#])
  }

  @Test("a compaction between two commits of one process")
  func compaction() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for number in 1...4 {
      _ = try await store.save(id: "a", body: body(number)).value()
      _ = try await store.save(id: "b\(number)", body: body(number)).value()
      _ = try await store.compact().value()
      _ = try await store.save(id: "c\(number)", body: body(number)).value()
      #expect(try StoreFiles.verify(at: directory.store).findings == [])
    }
    let before = try await store.contents()
    store.close()
    let reopened = try DatabaseManager.open(at: directory.store)
    #expect(try await reopened.contents() == before)
    #expect(before.count == 9)
  }

  @Test("another process begins a segment while this one holds nothing")
  func otherProcess() async throws {
    let directory = try TemporaryDirectory()
    let first = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.segmentBytes = 1 })
    let second = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.segmentBytes = 1 })
    for number in 1...4 {
      _ = try await first.save(id: "a", body: body(number)).value()
      #expect(try await second.save(id: "a", body: body(number)).value() == .unchanged)
      _ = try await first.save(id: "b", body: body(number)).value()
      _ = try await second.save(id: "c", body: body(number)).value()
    }
    first.close()
    second.close()
    #expect(try StoreFiles.verify(at: directory.store).findings == [])
    let reopened = try DatabaseManager.open(at: directory.store)
    #expect(try await reopened.contents().count == 3)
  }
}
