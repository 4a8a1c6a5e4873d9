import Freshet
import FreshetStore
import Testing

@testable import FreshetCatalog

@Suite("TMDB")
struct TMDBTests {
  private static let token = "token.of-more_than.32-characters-in-all"

  private func client(_ rig: Rig, key: String? = token, language: String? = nil) -> TMDB {
    TMDB(http: rig.client, key: key, base: .of("https://tmdb.test/3"), language: language)
  }

  private func reply(_ fixture: String, status: Int = 200) throws -> ScriptedTransport.Reply {
    .answer(status, [], try Fixture.bytes(fixture))
  }

  @Test("a token goes into a header, an old key into the query")
  func keys() throws {
    let rig = Rig(try reply("tmdb-trending-all"))
    _ = try rig.value(of: client(rig, language: "ko-KR").page(SearchRequest(query: "R&D")))
    let sent = rig.transport.requests[0]
    #expect(
      sent.address.text
        == "https://tmdb.test/3/search/multi?query=R%26D&include_adult=false&page=1&language=ko-KR")
    #expect(sent.headers.contains(.init("Authorization", "Bearer \(Self.token)")))
    let old = "0123456789abcdef0123456789ABCDEF"
    _ = try rig.value(of: client(rig, key: old).page(SearchRequest(query: "x")))
    #expect(rig.transport.requests[1].address.query?.hasSuffix("&api_key=\(old)") == true)
    #expect(!rig.transport.requests[1].headers.contains { $0.name == "Authorization" })
  }

  @Test("a mixed list: films and series; persons and collections are dropped, and counted")
  func mixed() throws {
    let rig = Rig(try reply("tmdb-trending-all"))
    let page = try rig.value(of: client(rig).page(of: .trending(.all, .week)))
    #expect(rig.transport.requests[0].address.path == "/3/trending/all/week")
    #expect(page.items.map(\.id.text) == ["film:tmdb:movie:700001", "film:tmdb:tv:700001"])
    #expect(page.droppedRows.map(\.code) == ["skipped", "skipped"])
    #expect(page.next == .next(2))
    #expect(page.total == 10000)
  }

  @Test("C-07 Unknown media type")
  func mediaType() throws {
    // A page of nothing that is kept is not the end; a row without the type is a fault of its own.
    let rig = Rig(
      .json(
        """
        {"page":1,"total_pages":3,"results":[{"id":1,"media_type":"collection","title":"c"},
        {"id":2,"title":"no type"},{"id":3,"media_type":null,"title":"n"},
        {"id":4,"media_type":7,"title":"s"}]}
        """))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x")))
    #expect(page.items.isEmpty)
    #expect(page.next == .next(2))
    #expect(page.rawCount == 4)
    #expect(
      page.droppedRows.map(\.code) == ["skipped", "wrong_type", "wrong_type", "wrong_type"])
  }

  @Test("C-06 Movie-shaped model fed a series")
  func seriesShape() throws {
    let rig = Rig(
      .json(
        """
        {"page":1,"total_pages":1,"results":[
        {"id":1,"name":"Series","original_name":"S","first_air_date":"2020-01-02"},
        {"id":2,"title":"Film row","original_title":"F","release_date":"","poster_path":null},
        {"id":3,"media_type":"movie","title":"Says so","release_date":"2021-03-04"}]}
        """))
    let page = try rig.value(
      of: client(rig).page(of: .discover(.series, parameters: ["with_type": "2", "sort_by": "1&"])))
    #expect(
      rig.transport.requests[0].address.text
        == "https://tmdb.test/3/discover/tv?sort_by=1%26&with_type=2&page=1")
    #expect(page.items.map(\.id.text) == ["film:tmdb:tv:1", "film:tmdb:tv:2", "film:tmdb:movie:3"])
    #expect(page.items.map(\.title) == ["Series", "Film row", "Says so"])
    #expect(page.items.map(\.releaseDate) == ["2020-01-02", nil, "2021-03-04"])
  }

  @Test("a list is read as a search is, to the last page that may be asked for")
  func listing() throws {
    let rig = Rig(try reply("tmdb-trending-all"))
    let catalog = client(rig).searching(.trending(.movie, .day))
    let page = try rig.value(of: catalog.page(SearchRequest(query: "whatever")))
    #expect(page.next == .next(2))
    _ = try rig.value(of: catalog.page(SearchRequest(query: "", cursor: .next(500))))
    #expect(
      rig.transport.requests.map(\.address.text)
        == [1, 500].map { "https://tmdb.test/3/trending/movie/day?page=\($0)" })
    let end = try rig.value(of: catalog.page(SearchRequest(query: "", cursor: .next(501))))
    #expect(end.next == nil && end.items.isEmpty)
    #expect(rig.transport.requests.count == 2)
    #expect(catalog.refusal == nil)
    #expect(client(rig, key: nil).searching(.trending(.all, .day)).refusal?.code == .missingKey)
  }

  @Test("what TMDB would pass over is refused without a request")
  func objections() throws {
    let rig = Rig(.json("{}"))
    for (kind, parameters) in [
      (TMDB.List.Kind.all, [:]), (.movie, ["with_genre": "18"]), (.movie, ["with_networks": "1"]),
      (.series, ["year": "2020"]), (.movie, ["page": "2"]), (.movie, ["api_key": "x"]),
    ] as [(TMDB.List.Kind, [String: String])] {
      let flow = client(rig).page(of: .discover(kind, parameters: parameters))
      #expect(try rig.failure(of: flow).code == .invalidRequest, "\(kind) \(parameters)")
    }
    #expect(rig.transport.requests.isEmpty)
    for kind in [TMDB.List.Kind.movie, .series] {
      let parameters = Dictionary(
        uniqueKeysWithValues: TMDB.List.parameterNames(of: kind).map { ($0, "1") })
      #expect(TMDB.List.discover(kind, parameters: parameters).objection == nil)
    }
    #expect(
      TMDB.List.discover(.movie, parameters: ["year": "2020", "sort_by": "title.asc"]).name
        == "discover/movie?sort_by=title.asc&year=2020")
  }

  @Test("C-05 Empty string is not null")
  func emptyDate() throws {
    for date in ["\"release_date\":\"\",", "\"release_date\":null,", ""] {
      let rows = try TMDBImport.rows(
        of: try JSONValue(parsing: "{\(date)\"id\":1,\"title\":\"t\",\"media_type\":\"movie\"}"))
      guard case .item(let item) = rows[0] else { throw Rig.Missing(what: "\(rows)") }
      #expect(item.releaseDate == nil)
      #expect(item.releaseDay == nil)
    }
  }

  @Test("C-15 total_pages is a lie beyond 500")
  func pageLimit() throws {
    let lie = """
      {"page":500,"total_pages":42471,"results":[{"id":1,"media_type":"movie","title":"t"}]}
      """
    let rig = Rig(.json(lie))
    let page = try rig.value(of: client(rig).page(SearchRequest(query: "x", cursor: .next(500))))
    #expect(page.items.count == 1)
    #expect(page.next == nil && page.isCapped)
    #expect(
      try rig.value(of: client(rig).page(SearchRequest(query: "x", cursor: .next(501)))) == .end)
    #expect(rig.transport.requests.count == 1)
    // If code 22 comes anyway, it is the end.
    let over = Rig(try reply("tmdb-400-page", status: 400))
    #expect(
      try over.value(of: client(over).page(SearchRequest(query: "x", cursor: .next(9)))) == .end)
  }

  @Test("a film at length, without a media type of its own")
  func detail() throws {
    let rig = Rig(try reply("tmdb-movie-detail"))
    let item = try rig.value(of: client(rig).detail(id: try ItemID("film:tmdb:movie:700001")))
    #expect(rig.transport.requests[0].address.text == "https://tmdb.test/3/movie/700001")
    #expect(item.id.text == "film:tmdb:movie:700001")
    #expect(item.voteAverage?.text == "0.0")
    #expect(item.extra["genres"]?.arrayValue?.count == 1)
    for other in [
      "book:google:1", "film:tmdb:person:1", "film:tmdb:movie:..%2Fx", "film:x:movie:1",
    ] {
      let error = try rig.failure(of: client(rig).detail(id: try ItemID(other)))
      #expect(error.code == .invalidRequest, "\(other)")
    }
    #expect(rig.transport.requests.count == 1)
  }

  @Test(
    "refusals are told apart",
    arguments: [
      ("tmdb-401", 401, "refused_key", 1), ("tmdb-404", 404, "not_found", 1),
      ("tmdb-422-validation", 422, "invalid_query", 1), ("tmdb-429", 429, "rate_limited", 4),
      ("tmdb-404", 503, "server_error", 4), ("tmdb-404", 400, "invalid_request", 1),
    ])
  func refusals(_ example: (fixture: String, status: Int, code: String, requests: Int)) throws {
    let rig = Rig(try reply(example.fixture, status: example.status))
    let error = try rig.failure(of: client(rig).page(SearchRequest(query: "x")))
    #expect(error.code.name == example.code)
    #expect(rig.transport.requests.count == example.requests)
  }

  @Test("pictures: the base and sizes TMDB says, the size that fits, no address for no poster")
  func images() throws {
    let rig = Rig(
      .json(
        """
        {"images":{"secure_base_url":"https://img.test/t/p/","base_url":"http://img.test/t/p/",
        "poster_sizes":["w92","w154","original"]}}
        """))
    let images = try rig.value(of: client(rig).imageConfiguration())
    #expect(
      images.posterAddress(path: "/a.jpg", width: 100)?.text == "https://img.test/t/p/w154/a.jpg")
    #expect(
      images.posterAddress(path: "/a.jpg", width: 900)?.text
        == "https://img.test/t/p/original/a.jpg")
    #expect(images.posterAddress(path: nil) == nil)
    #expect(images.posterAddress(path: "") == nil)
    let standard = TMDBImages(base: .of(TMDBImages.standardBase))
    let item = try ContentItem(
      parsing: Array("{\"id\":\"film:tmdb:movie:1\",\"poster\":\"/p.jpg\"}".utf8))
    #expect(standard.pictureAddress(of: item) == "https://image.tmdb.org/t/p/w342/p.jpg")
    let book = try ContentItem(
      parsing: Array("{\"id\":\"book:kakao:1\",\"thumbnail\":\"http://x/t\"}".utf8))
    #expect(standard.pictureAddress(of: book) == "http://x/t")
  }
}
