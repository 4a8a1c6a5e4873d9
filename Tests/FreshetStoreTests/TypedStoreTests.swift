import Freshet
import Synchronization
import Testing

@testable import FreshetStore

@Suite("Typed collections")
struct TypedStoreTests {
  private struct Film: Sendable, Equatable {
    var id: String
    var title: String
  }

  private struct Broken: Error, Equatable { let what: String }

  /// Counts how often a body is decoded.
  private let decodings = Counter()

  private var codec: ItemCodec<Film> {
    ItemCodec(
      id: \.id,
      encode: { film in
        if film.title.isEmpty { throw Broken(what: "no title") }
        return Array(#"{"id":"\#(film.id)","title":"\#(film.title)"}"#.utf8)
      },
      decode: { [decodings] body in
        _ = decodings.next()
        let object = try JSONValue(parsing: body).objectValue
        guard let id = object?["id"]?.stringValue, let title = object?["title"]?.stringValue else {
          throw Broken(what: "no film")
        }
        return Film(id: id, title: title)
      })
  }

  @Test("items go in and out; nothing is decoded before it is asked for")
  func lazy() async throws {
    let memory = MemoryStore()
    let films = TypedStore(memory, prefix: "film:", codec: codec)
    for number in 1...5 {
      let outcome = try await films.save(Film(id: "\(number)", title: "F\(number)")).value()
      #expect(outcome == .saved)
    }
    _ = try await memory.save(id: "book:1", body: body(1)).value()
    let (rows, next) = try await films.page(ordered: .id.descending, limit: 3).value()
    #expect(decodings.value == 0)
    #expect(rows.rows.map(\.record.id) == ["film:5", "film:4", "film:3"])
    #expect(try rows.rows[1].item() == Film(id: "4", title: "F4"))
    #expect(decodings.value == 1)
    let rest = try await films.page(ordered: .id.descending, after: next, limit: 9).value()
    #expect(rest.rows.decoded().items.map(\.id) == ["2", "1"])
    #expect(rest.next == nil)
    #expect(try await films.fetch(id: "3").value() == Film(id: "3", title: "F3"))
    #expect(try await films.fetch(id: "9").value() == nil)
    let outcome = try await films.save(Film(id: "3", title: "new"), if: .absent).value()
    #expect(outcome == .conflict(3))
    #expect(try await films.delete(id: "3").value() == .deleted)
  }

  @Test("a row that does not decode is told by itself and ends nothing")
  func faults() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    let films = TypedStore(store, prefix: "film:", codec: codec)
    _ = try await films.save(Film(id: "1", title: "One")).value()
    _ = try await store.save(id: "film:2", body: body(2)).value()
    _ = try await films.save(Film(id: "3", title: "Three")).value()
    let (items, faults) = try await films.page(limit: 9).value().rows.decoded()
    #expect(items.map(\.id) == ["1", "3"])
    #expect(faults.map(\.id) == ["film:2"])
    #expect(faults.first?.revision == 2)
    #expect(faults.first?.cause as? Broken == Broken(what: "no film"))
    await #expect { try await films.fetch(id: "2").value() } throws: { error in
      if case TypedStoreError.decoding(let fault) = error { fault.id == "film:2" } else { false }
    }
  }

  @Test("what cannot be encoded is refused, and nothing is written")
  func encoding() async throws {
    let memory = MemoryStore()
    let films = TypedStore(memory, prefix: "film:", codec: codec)
    await #expect { try await films.save(Film(id: "1", title: "")).value() } throws: { error in
      if case TypedStoreError.encoding(id: "film:1", _) = error { true } else { false }
    }
    #expect(try await memory.latest().value().revision == 0)
    memory.close()
    await #expect { try await films.save(Film(id: "1", title: "a")).value() } throws: { error in
      if case TypedStoreError.store(let error) = error { error.code == .closed } else { false }
    }
  }

  @Test("the live list has the collection's rows only, in its order, undecoded")
  func observe() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    let films = TypedStore(store, prefix: "film:", codec: codec)
    _ = try await films.save(Film(id: "1", title: "b")).value()
    let lists = Collector(films.observe(ordered: .field("title")))
    _ = await lists.values(1)
    _ = try await store.save(id: "book:1", body: body(1)).value()
    _ = try await films.save(Film(id: "2", title: "a")).value()
    let list = try #require(await lists.values(2).last)
    #expect(decodings.value == 0)
    #expect(list.count == 2)
    #expect(try list[0].item().id == "2")
    #expect(list.rows.decoded().items.map(\.title) == ["a", "b"])
  }
}
