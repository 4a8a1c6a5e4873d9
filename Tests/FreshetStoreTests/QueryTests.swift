import Freshet
import Testing

@testable import FreshetStore

@Suite("Orders and keys")
struct QueryTests {
  private func key(_ name: String, _ body: String) -> SortKey {
    FieldScan.key(of: name, in: Array(body.utf8))
  }

  @Test("a member is found wherever it stands, and nothing else is taken for it")
  func fieldScan() {
    #expect(key("a", #"{"a":1}"#) == .number(1))
    #expect(key("a", #"{ "b" : {"a":[1,{"a":2}]} , "a" : -1.5e2 }"#) == .number(-150))
    #expect(key("a", #"{"x":"\"a\":9","a":"z"}"#) == .text(Array("z".utf8)))
    #expect(key("a", #"{"b":"a","c":["a"],"d":{"a":7}}"#) == .missing)
    #expect(key("ü\"", #"{"\u00fc\"":"\u00e9"}"#) == .text(Array("é".utf8)))
    #expect(key("a", #"{"a":true}"#) == .truth(true))
    #expect(key("a", #"{"a":null}"#) == .missing)
    #expect(key("a", #"{"a":{"a":1}}"#) == .missing)
    #expect(key("a", #"{"a":1,"a":2}"#) == .number(2))
    #expect(key("a", "{}") == .missing)
    #expect(key("", #"{"":3}"#) == .number(3))
  }

  @Test("whatever it is given, it stays within the bytes")
  func fieldScanFuzz() {
    let good = Array(#"{"x":[1,"\"a\":"],"a":"\u00e9","b":{"a":3},"c":-1.5e3}"#.utf8)
    for cut in 0...good.count { _ = FieldScan.key(of: "a", in: Array(good.prefix(cut))) }
    for at in good.indices {
      for byte in [UInt8(0), 0x22, 0x5C, 0x7B, 0x7D, 0xFF] {
        var bad = good
        bad[at] = byte
        _ = FieldScan.key(of: "a", in: bad)
        _ = FieldScan.key(of: "c", in: bad)
      }
    }
  }

  @Test("kinds are ordered, and items without the member come last, both ways")
  func order() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    let bodies = [
      "s": #"{"t":"b"}"#, "n": #"{"t":2}"#, "m": "{}", "t": #"{"t":true}"#, "r": #"{"t":"a"}"#,
      "o": #"{"t":10}"#, "l": #"{"t":[1]}"#,
    ]
    for id in ["s", "n", "m", "t", "r", "o", "l"] {
      _ = try await store.save(id: id, body: Array((bodies[id] ?? "").utf8)).value()
    }
    func ids(_ order: Order) async throws -> String {
      try await store.page(.all.ordered(by: order), limit: 99).value().records.map(\.id).joined()
    }
    #expect(try await ids(.field("t")) == "tnorsml")
    #expect(try await ids(.field("t").descending) == "srontml")
    #expect(try await ids(.id) == "lmnorst")
    #expect(try await ids(.insertion.descending) == "lortmns")
    _ = try await store.save(id: "s", body: Array("{}".utf8)).value()
    #expect(try await ids(.revision) == "nmtrols")
  }

  @Test("a key of another order, or one that is no key, is refused")
  func keys() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for number in 1...3 { _ = try await store.save(id: "i\(number)", body: body(number)).value() }
    let page = try await store.page(.all, limit: 1).value()
    let error = await #expect(throws: StoreError.self) {
      try await store.page(.all.ordered(by: .id), after: page.next, limit: 1).value()
    }
    #expect(error?.code == .invalidQuery)
    for text in [
      "", "p1", "p1.+i.1.1", "p2.+i.1.1.n", "p1.i.1.1.n", "p1.+x.1.1.n", "p1.+i.a.1.n",
      "p1.+i.1.1.s0", "p1.+i.1.1.sgg", "p1.+fff.1.1.m", "p1.+i.1.1.d7ff8000000000000",
    ] {
      #expect(PageKey(text) == nil, "\(text)")
    }
  }

  @Test("pages by insertion read only their own items")
  func paging() async throws {
    let directory = try TemporaryDirectory()
    let disk = FaultyFileSystem()
    let store = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.fileSystem = disk })
    for batch in 0..<4 {
      _ = try await store.apply(
        (0..<500).map { .save(id: "i\(batch * 500 + $0)", body: body($0)) }
      ).value()
    }
    let first = try await store.page(.all, limit: 1500).value()
    disk.forget()
    let page = try await store.page(.all, after: first.next, limit: 2).value()
    #expect(page.records.map(\.id) == ["i1500", "i1501"])
    let reads = disk.calls.filter { if case .read(let name) = $0 { name != "HEAD" } else { false } }
    #expect(reads.count <= 3)
  }

  @Test("queries with a prefix, and items deleted between pages")
  func prefix() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(at: directory.store, options: .fixed())
    for number in 0..<20 {
      _ = try await store.save(id: "\(number % 2 == 0 ? "a" : "b")\(number)", body: body(1)).value()
    }
    let query = Query.ids(startingWith: "a")
    let first = try await store.page(query, limit: 4).value()
    #expect(first.records.map(\.id) == ["a0", "a2", "a4", "a6"])
    _ = try await store.apply([.delete(id: "a0"), .delete(id: "a6"), .delete(id: "a8")]).value()
    let second = try await store.page(query, after: first.next, limit: 4).value()
    #expect(second.records.map(\.id) == ["a10", "a12", "a14", "a16"])
    let last = try await store.page(query, after: second.next, limit: 4).value()
    #expect(last.records.map(\.id) == ["a18"])
    #expect(last.next == nil)
  }
}
