import Foundation
import Freshet
import FreshetStore
import Testing

/// The examples of `docs/store.md`, as they stand there.
@Suite("The guide to the store")
struct StoreGuideTests {
  @Test("its examples do what it says")
  func examples() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.store

    let store = try DatabaseManager.open(at: path)
    let outcome = try await store.save(id: "film:603", body: Array(#"{"title":"The Matrix"}"#.utf8))
      .value()
    let film = try await store.fetch(id: "film:603").value()
    #expect(outcome == .saved)
    #expect(film?.revision == 1)

    let receipt = try await store.apply([
      .save(id: "film:604", body: Array(#"{"title":"Reloaded"}"#.utf8)),
      .delete(id: "film:603"),
    ]).value()
    #expect(receipt.outcomes == [.saved, .deleted])
    let token = try #require(receipt.token)

    let read = try await store.fetch(id: "film:604").value()
    let answer = try await store.save(
      id: "film:604", body: Array(#"{"title":"Reloaded","seen":true}"#.utf8),
      if: read.map { .revision($0.revision) } ?? .absent
    ).value()
    if case .conflict(let found) = answer { print("revision \(found ?? 0) was faster") }
    #expect(answer == .replaced)

    let titles = store.observe(.ids(startingWith: "film:"))
      .map { list in list.records.map(\.id) }
    #expect(try await titles.take(1).values.first { _ in true } == ["film:604"])

    let byDate = Query.ids(startingWith: "film:").ordered(by: .field("release_date").descending)
    let newest = try await store.page(byDate, limit: 50).value()
    let older = try await store.page(byDate, after: newest.next, limit: 50, at: newest.token)
      .value()
    #expect(newest.records.map(\.id) == older.records.map(\.id))

    let changes = store.changes(since: .after(token))
    #expect(try await changes.take(1).values.first { _ in true }?.changes.map(\.kind) == [.changed])

    struct Film: Codable, Sendable {
      var id: String
      var title: String
    }

    let films = TypedStore(
      store, prefix: "film:",
      codec: ItemCodec<Film>(
        id: \.id,
        encode: { Array(try JSONEncoder().encode($0)) },
        decode: { try JSONDecoder().decode(Film.self, from: Data($0)) }))
    _ = try await films.save(Film(id: "605", title: "Revolutions")).value()
    let (items, faults) = try await films.page(limit: 50).value().rows.decoded()
    // The one that was saved as bytes has no id in its body.
    #expect(items.map(\.title) == ["Revolutions"])
    #expect(faults.map(\.id) == ["film:604"])

    let memory = MemoryStore()
    _ = try await memory.save(id: "film:1", body: Array("{}".utf8)).value()
    #expect(try await memory.latest().value().revision == 1)
  }

  @Test("every example of the guide is one of these")
  func completeness() throws {
    let here = URL(fileURLWithPath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appendingPathComponent("docs/store.md"), encoding: .utf8)
    let source = try String(contentsOf: here, encoding: .utf8)
    let tested = source.filter { !$0.isWhitespace }
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(blocks.count >= 8)
    for block in blocks {
      #expect(tested.contains(block.filter { !$0.isWhitespace }), "\(block)")
    }
  }
}
