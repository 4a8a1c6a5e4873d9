import Freshet
import FreshetStore
import Testing

@testable import FreshetCatalog

@Suite("Kakao books")
struct KakaoBooksTests {
  private func client(_ rig: Rig, key: String? = "KEY12345") -> KakaoBooks {
    KakaoBooks(http: rig.client, key: key, base: .of("https://kakao.test"))
  }

  private func reply(_ fixture: String, status: Int = 200) throws -> ScriptedTransport.Reply {
    .answer(status, [], try Fixture.bytes(fixture))
  }

  @Test("a page: the request, the items, the counts, where it goes on")
  func page() throws {
    let rig = Rig(try reply("kakao-page1"))
    let page = try rig.value(
      of: client(rig).page(SearchRequest(query: "해리 포터", size: 99)))
    let sent = try #require(rig.transport.requests.first)
    #expect(
      sent.address.text
        == "https://kakao.test/v3/search/book?query=%ED%95%B4%EB%A6%AC%20%ED%8F%AC%ED%84%B0"
        + "&page=1&size=50")
    #expect(sent.headers.contains(.init("Authorization", "KakaoAK KEY12345")))
    #expect(
      page.items.map(\.id.text)
        == ["book:kakao:9791190000017", "book:kakao:9791190000024", "book:kakao:9788960000017"])
    #expect(page.next == .next(2))
    #expect(page.total == 3750)
    #expect(page.pageable == 1000)
    #expect(page.rawCount == 3)
    #expect(page.dropped == 0)
    let second = page.items[1]
    #expect(second.title == "C++ & 알고리즘: \"두 번째\" 이야기")
    #expect(second.authors == ["이도윤", "Jean-Luc O'Neil, Jr."])
    #expect(second.salePrice == nil)
    #expect(second.thumbnail == nil)
    #expect(second.isbn10 == nil)
    #expect(page.items[2].isbn10 == "896000001X")
    #expect(page.items[2].authors == [])
    #expect(page.items[0].releaseDay?.description == "2024-03-05")
    #expect(page.items[0].extra["status"] == "정상판매")
    #expect(page.items[0].link?.hasPrefix("https://search.daum.net/") == true)
  }

  @Test("the last page: empty texts, a price of nothing, and the end")
  func lastPage() throws {
    let rig = Rig(try reply("kakao-last-page"))
    let page = try rig.value(
      of: client(rig).page(SearchRequest(query: "x", cursor: .next(2), size: 2)))
    #expect(rig.transport.requests[0].address.query == "query=x&page=2&size=2")
    #expect(page.next == nil && !page.isCapped)
    #expect(page.items[0].price?.int64 == 0)
    #expect(page.items[0].overview == "")
    #expect(page.total == 14)
  }

  @Test("no match is an empty last page")
  func empty() throws {
    let rig = Rig(try reply("kakao-empty"))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x")))
    #expect(page == SearchPage(items: [], next: nil, total: 0, pageable: 0))
  }

  @Test("page 50 is the last, whatever the server says; 51 is not asked for")
  func ceiling() throws {
    let rig = Rig(try reply("kakao-page1"))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x", cursor: .next(50))))
    #expect(page.next == nil && page.isCapped)
    #expect(
      try rig.value(of: client(rig).page(SearchRequest(query: "x", cursor: .next(51)))) == .end)
    #expect(rig.transport.requests.count == 1)
  }

  @Test("a page beyond the last is an end; the same refusal of page 1 is an error")
  func pageOver() throws {
    let rig = Rig(try reply("kakao-400-page-over", status: 400))
    #expect(
      try rig.value(of: client(rig).page(SearchRequest(query: "x", cursor: .next(7)))) == .end)
    let first = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(first.code == .invalidRequest)
  }

  @Test("a book without an ISBN is known by title, publisher and day, in whatever form they come")
  func withoutISBN() throws {
    func id(_ title: String, _ rest: String = "") throws -> String {
      let rows = try KakaoImport.rows(
        of: try JSONValue(parsing: "[{\"title\":\"\(title)\"\(rest)}]"))
      guard case .item(let item) = rows[0] else { throw Rig.Missing(what: "\(rows)") }
      return item.id.text
    }
    let one = try id("한", ",\"isbn\":\"\",\"publisher\":\"P\"")
    #expect(one.hasPrefix("book:kakao:x-"))
    #expect(try id("\u{1112}\u{1161}\u{11AB}", ",\"isbn\":\" \",\"publisher\":\"P\"") == one)
    #expect(try id("한") != one)
    #expect(try id("t", ",\"isbn\":\"896000001x\"") == "book:kakao:896000001X")
  }

  @Test("a bad row is dropped with its reason; the others stay; a repeated one is counted")
  func badRows() throws {
    let rig = Rig(
      .json(
        """
        {"documents":[7,{"contents":"no name"},{"title":"a","isbn":"9791190000017","authors":"x"},
        {"title":"b","isbn":"9791190000024"},{"title":"b","isbn":"9791190000024","url":"u"}],
        "meta":{"is_end":false}}
        """))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x")))
    #expect(page.items.map(\.id.text) == ["book:kakao:9791190000024"])
    #expect(page.rawCount == 5)
    #expect(page.droppedRows.map(\.index) == [0, 1, 2, 4])
    #expect(
      page.droppedRows.map(\.code) == ["not_an_object", "missing_id", "wrong_type", "duplicate"])
    #expect(page.total == nil)
  }

  @Test(
    "an answer that is not the expected one is told so",
    arguments: [
      "", "[]", "{}", "{\"documents\":[]}", "{\"documents\":7,\"meta\":{\"is_end\":true}}",
      "<html>", "{\"documents\":[],\"meta\":{\"is_end\":\"yes\"}}",
    ])
  func badResponse(_ body: String) throws {
    let rig = Rig(.json(body))
    let error = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(error.code == .badResponse)
    #expect(rig.transport.requests.count == 1)
  }

  @Test(
    "refusals are told apart",
    arguments: [
      ("kakao-400-missing-query", 400, "invalid_query", 1),
      ("kakao-400-quota", 400, "quota_per_day", 1),
      ("kakao-401-bad-key", 401, "refused_key", 1),
      ("kakao-empty", 403, "forbidden", 1), ("kakao-empty", 429, "rate_limited", 4),
      ("kakao-empty", 503, "server_error", 4), ("kakao-empty", 418, "unexpected_status", 1),
    ])
  func refusals(_ example: (fixture: String, status: Int, code: String, requests: Int)) throws {
    let rig = Rig(try reply(example.fixture, status: example.status))
    let error = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(error.code.name == example.code)
    #expect(error.status == example.status)
    #expect(rig.transport.requests.count == example.requests)
  }

  @Test("a caller's number in a refusal is not told")
  func callersNumber() throws {
    let rig = Rig(
      .json(
        "{\"errorType\":\"AccessDeniedError\",\"message\":\"ip mismatched! callerIp=203.0.113.9\"}",
        status: 401))
    let error = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(!error.message.contains("203.0.113.9"))
    #expect(error.message.contains("ip mismatched!"))
  }

  @Test("C-20 Blank query", arguments: ["", "   ", "\u{3000}\n"])
  func blankQuery(_ query: String) throws {
    let rig = Rig(.json("{}"))
    let error = try rig.failure(of: client(rig).page(SearchRequest(query: query)))
    #expect(error.code == .invalidQuery)
    #expect(rig.transport.requests.isEmpty)
    // If it is sent all the same, the refusal means the same.
    let sent = Rig(try reply("kakao-400-missing-query", status: 400))
    let refused = try sent.failure(of: client(sent).page(SearchRequest(query: "x")))
    #expect(refused.code == .invalidQuery)
    #expect(!refused.isRetryable)
  }

  @Test("without a key nothing is asked")
  func missingKey() throws {
    let rig = Rig(.json("{}"))
    let error = try rig.failure(of: client(rig, key: nil).page(SearchRequest(query: "x")))
    #expect(error.code == .missingKey)
    #expect(error.message.contains("--kakao-key-file"))
    #expect(rig.transport.requests.isEmpty)
  }

  @Test("an error body where rows should be is told as the catalogue's own word")
  func importOfAnError() throws {
    for (fixture, code) in [("kakao-401-bad-key", "AccessDeniedError"), ("kakao-400-quota", "-10")]
    {
      let error = #expect(throws: CatalogRefusal.self) {
        try KakaoImport.rows(of: try Fixture.json(fixture))
      }
      #expect(error?.code == code)
    }
    #expect(try KakaoImport.rows(of: try Fixture.json("kakao-page1")).count == 3)
  }
}
