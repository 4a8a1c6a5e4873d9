import Freshet
import FreshetStore
import Testing

@testable import FreshetCatalog

@Suite("Google Books")
struct GoogleBooksTests {
  private func client(
    _ rig: Rig, key: String? = "KEY12345", _ options: GoogleBooks.Options = .init()
  ) -> GoogleBooks {
    GoogleBooks(http: rig.client, key: key, base: .of("https://google.test/b"), options: options)
  }

  private func reply(_ fixture: String, status: Int = 200) throws -> ScriptedTransport.Reply {
    .answer(status, [], try Fixture.bytes(fixture))
  }

  @Test("a page: the request, the items, where it goes on")
  func page() throws {
    let rig = Rig(try reply("google-page1"))
    let page = try rig.value(
      of: client(rig, .init(country: "KR", language: "ko")).page(
        SearchRequest(query: "C++", cursor: .next(40), size: 99)))
    let sent = try #require(rig.transport.requests.first)
    #expect(
      sent.address.text
        == "https://google.test/b/volumes?q=C%2B%2B&startIndex=40&maxResults=40&country=KR"
        + "&langRestrict=ko")
    #expect(sent.headers.contains(.init("X-Goog-Api-Key", "KEY12345")))
    // Ids that differ by case are different books.
    #expect(
      page.items.map(\.id.text)
        == ["book:google:AbCdEFghIJAC", "book:google:abCdEFghIJAC", "book:google:ZZZZAAAAcAAJ"])
    #expect(page.next == .next(43))
    #expect(page.total == 878)
    let first = page.items[0]
    #expect(first.title == "Red Harbour")
    #expect(first.authors == ["Mina Alder", "H. Okoye"])
    #expect(first.isbn10 == "000000001X")
    #expect(first.isbn13 == "9780000000019")
    #expect(first.overview == "<p>A <b>red</b> harbour &amp; its keepers.</p>")
    #expect(first.thumbnail?.hasPrefix("http://books.google.com/") == true)
    #expect(first.extra["volumeInfo"]?.objectValue?["subtitle"] == "A Novel")
    #expect(first.extra["searchInfo"]?.objectValue?["textSnippet"]?.stringValue?.first == "&")
    #expect(page.items[1].releaseDay?.description == "1997-12")
    #expect(page.items[1].isbn13 == nil)
    #expect(page.items[2].authors == [])
    // What is saved reads back as it was.
    for item in page.items { #expect(try ContentItem(parsing: item.jsonBytes) == item) }
  }

  @Test("the first page asks from 0, and without options for no more than it must")
  func firstPage() throws {
    let rig = Rig(try reply("google-no-items"))
    _ = try rig.value(of: client(rig).page(SearchRequest(query: "x", size: 10)))
    #expect(rig.transport.requests[0].address.query == "q=x&startIndex=0&maxResults=10")
  }

  @Test("C-01 Key absent when there is no result")
  func noItems() throws {
    let rig = Rig(try reply("google-no-items"))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x")))
    #expect(page == SearchPage(items: [], next: nil, total: 0))
  }

  @Test("C-02 Same body on page 2 is the end")
  func pastEnd() throws {
    let rig = Rig(try reply("google-past-end"))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x", cursor: .next(10))))
    #expect(page == SearchPage(items: [], next: nil, total: 431))
  }

  @Test("C-03 One bad row loses the page")
  func badRow() throws {
    let rig = Rig(try reply("google-page2-dup"))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x", cursor: .next(3))))
    #expect(
      page.items.map(\.id.text)
        == ["book:google:abCdEFghIJAC", "book:google:NoTitleAAAAJ", "book:google:QQqqAAAAMAAJ"])
    #expect(page.items[1].title == nil)
    #expect(page.items[1].thumbnail?.hasSuffix("zoom=5") == true)
    #expect(page.items.map(\.releaseDate) == ["1997-12", "2016-09-15T00:00:00+02:00", "18??"])
    let without = Rig(
      .json(
        "{\"totalItems\":9,\"items\":[{\"volumeInfo\":{\"title\":\"t\"}},{\"id\":\"a\"},7,"
          + "{\"id\":\"b\",\"volumeInfo\":[]}]}"))
    let rest = try without.value(of: client(without).page(SearchRequest(query: "x")))
    #expect(rest.items.map(\.id.text) == ["book:google:a"])
    #expect(rest.droppedRows.map(\.code) == ["missing_id", "not_an_object", "wrong_type"])
    // The cursor counts what came, not what was kept.
    #expect(rest.next == .next(4))
  }

  @Test("C-04 A failure shown as \"no result\"")
  func failureIsNoResult() throws {
    let rig = Rig(try reply("google-429-daily", status: 429))
    let error = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(error.code == .quotaPerDay)
    #expect(error.status == 429)
    #expect(!error.isRetryable)
    #expect(rig.transport.requests.count == 1)
  }

  @Test("C-12 Same id, other links")
  func sameID() throws {
    let rig = Rig(
      .json(
        """
        {"totalItems":2,"items":[{"id":"X","volumeInfo":{"previewLink":"a"}},
        {"id":"X","volumeInfo":{"previewLink":"b"}}]}
        """))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x")))
    #expect(page.items.map(\.id.text) == ["book:google:X"])
    #expect(page.items[0].extra["volumeInfo"]?.objectValue?["previewLink"] == "a")
    #expect(page.dropped == 1)
  }

  @Test("C-21 403 is not one thing")
  func forbidden() throws {
    func code(_ body: String) throws -> CatalogError {
      let rig = Rig(.json(body, status: 403))
      return try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    }
    let rig = Rig(try reply("google-403-location", status: 403))
    let location = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(location.code == .countryNeeded)
    #expect(location.message.contains("--country"))
    #expect(
      try code("{\"error\":{\"code\":403,\"message\":\"Daily Limit Exceeded\"}}").code
        == .quotaPerDay)
    #expect(
      try code("{\"error\":{\"errors\":[{\"reason\":\"accessNotConfigured\"}]}}").code
        == .refusedKey)
    let unknown = try code("{\"error\":{\"errors\":[{\"reason\":\"somethingNew\"}]}}")
    #expect(unknown.code == .forbidden)
    #expect(unknown.reason == "somethingNew")
  }

  @Test(
    "other refusals are told apart",
    arguments: [
      ("google-400-missing-q", 400, "invalid_query", 1),
      ("google-400-range", 400, "invalid_request", 1),
      ("google-503", 503, "server_error", 4), ("google-no-items", 404, "not_found", 1),
      ("google-no-items", 429, "rate_limited", 4), ("google-no-items", 401, "refused_key", 1),
    ])
  func refusals(_ example: (fixture: String, status: Int, code: String, requests: Int)) throws {
    let rig = Rig(try reply(example.fixture, status: example.status))
    let error = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(error.code.name == example.code)
    #expect(rig.transport.requests.count == example.requests)
  }

  @Test("one volume at length; ids of others are refused without asking")
  func detail() throws {
    let rig = Rig(.json("{\"id\":\"A-b_1\",\"volumeInfo\":{\"title\":\"T\"}}"))
    let item = try rig.value(of: client(rig).detail(id: try ItemID("book:google:A-b_1")))
    #expect(item.title == "T")
    #expect(rig.transport.requests[0].address.text == "https://google.test/b/volumes/A-b_1")
    for dots in ["book:google:.", "book:google:.."] {
      let refused = try rig.failure(of: client(rig).detail(id: try ItemID(dots)))
      #expect(refused.code == .invalidRequest)
    }
    let other = try rig.failure(of: client(rig).detail(id: try ItemID("film:tmdb:movie:1")))
    #expect(other.code == .invalidRequest)
    #expect(rig.transport.requests.count == 1)
  }

  @Test("503: of a search it says nothing about volumes; of a volume that there may be none")
  func unavailable() throws {
    let rig = Rig(try reply("google-503", status: 503))
    let search = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(search.message.contains("try again") && !search.message.contains("volume"))
    let other = Rig(try reply("google-503", status: 503))
    let volume = try other.failure(of: client(other).detail(id: try ItemID("book:google:x")))
    #expect(volume.message.contains("no such volume") && volume.isRetryable)
    #expect(volume.status == 503)
  }

  @Test("without a key nothing is asked")
  func missingKey() throws {
    let rig = Rig(.json("{}"))
    #expect(
      try rig.failure(of: client(rig, key: nil).page(SearchRequest(query: "x"))).code == .missingKey
    )
    #expect(rig.transport.requests.isEmpty)
  }
}
