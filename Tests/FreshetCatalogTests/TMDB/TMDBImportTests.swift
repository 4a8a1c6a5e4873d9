import Foundation
import FreshetCatalog
import FreshetStore
import Testing

@Suite("TMDB import")
struct TMDBImportTests {
  private func fixture(_ name: String) throws -> JSONValue {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures"))
    return try JSONValue(parsing: Array(try Data(contentsOf: url)))
  }

  private func rows(_ text: String) throws -> [TMDBImport.Row] {
    try TMDBImport.rows(of: try JSONValue(parsing: text))
  }

  private func item(_ row: TMDBImport.Row) throws -> ContentItem {
    guard case .item(let item) = row else {
      Issue.record("no item: \(row)")
      throw CancellationError()
    }
    return item
  }

  private func written(_ row: TMDBImport.Row) throws -> String {
    String(decoding: try item(row).jsonBytes, as: UTF8.self)
  }

  @Test("a trending page: films and series in, persons and collections skipped with their reason")
  func trending() throws {
    let rows = try TMDBImport.rows(of: try fixture("tmdb-trending-all"))
    #expect(rows.count == 4)
    #expect(
      try written(rows[0])
        == #"{"id":"film:tmdb:movie:700001","kind":"film","source":"tmdb","media_type":"movie","#
        + #""title":"The Paper Lantern","original_title":"종이 등불","overview":"…","#
        + #""release_date":"2025-12-18","popularity":353.14,"vote_average":7.1,"vote_count":743,"#
        + #""adult":false,"poster":"/pl.jpg","extra":{"backdrop_path":"/bd1.jpg","#
        + #""original_language":"ko","genre_ids":[18,9648],"video":false}}"#)
    #expect(
      try written(rows[1])
        == #"{"id":"film:tmdb:tv:700001","kind":"film","source":"tmdb","media_type":"tv","#
        + #""title":"Harbour Watch","original_title":"Harbour Watch","overview":"","popularity":0,"#
        + #""vote_average":0,"vote_count":0,"adult":false,"extra":{"backdrop_path":null,"#
        + #""original_language":"en","genre_ids":[],"origin_country":["GB"]}}"#)
    #expect(rows[2] == .skipped(reason: "person"))
    #expect(rows[3] == .skipped(reason: "unknown media type collection"))
  }

  @Test("a plain search: the type is implied, ids beyond 2^53 survive, an empty date is none")
  func search() throws {
    let rows = try TMDBImport.rows(of: try fixture("tmdb-search-last-page"))
    let item = try item(rows[0])
    #expect(item.id.text == "film:tmdb:movie:9007199254740993")
    #expect(item.mediaType == "movie")
    #expect(item.releaseDate == nil)
    #expect(item.overview == "Line one\r\nLine two")
    #expect(item.voteAverage?.text == "10")
    #expect(item.popularity?.text == "2.6161")
  }

  @Test("a film's own page is one row")
  func detail() throws {
    let rows = try TMDBImport.rows(of: try fixture("tmdb-movie-detail"))
    let item = try item(rows[0])
    #expect(rows.count == 1)
    #expect(item.id.text == "film:tmdb:movie:700001")
    #expect(item.voteAverage?.text == "0.0")
    #expect(item.extra["status"] == "Planned")
    #expect(item.extra["genres"]?.arrayValue?.count == 1)
  }

  @Test(
    "rows without a type are told by their fields",
    arguments: [
      (#"{"id":1,"title":"t"}"#, "film:tmdb:movie:1"), (#"{"id":1,"name":"n"}"#, "film:tmdb:tv:1"),
      (#"{"id":1,"title":null,"release_date":""}"#, "film:tmdb:movie:1"),
      (#"{"id":1,"media_type":null,"name":"n"}"#, "film:tmdb:tv:1"),
    ])
  func implied(_ text: String, _ id: String) throws {
    #expect(try item(try rows(text)[0]).id.text == id)
  }

  @Test("a person's own page is skipped too")
  func personDetail() throws {
    #expect(
      try rows(#"{"id":1,"name":"n","known_for_department":"Acting"}"#)
        == [.skipped(reason: "person")])
  }

  @Test("what is not used of two spellings is kept under extra")
  func twoSpellings() throws {
    let item = try item(try rows(#"{"id":1,"media_type":"tv","name":"n","title":"t"}"#)[0])
    #expect(item.title == "n")
    #expect(item.extra["title"] == "t")
  }

  @Test(
    "error bodies are reported as such",
    arguments: [
      ("tmdb-401", "TMDB answered with error 7: Invalid API key: You must be granted a valid key."),
      ("tmdb-404", "TMDB answered with error 34: The resource you requested could not be found."),
      ("tmdb-422-validation", "TMDB answered with an error: query must be provided"),
    ])
  func errorBodies(_ name: String, _ description: String) throws {
    let document = try fixture(name)
    #expect {
      try TMDBImport.rows(of: document)
    } throws: { error in
      (error as? TMDBImport.APIError)?.description == description
    }
  }

  @Test(
    "a broken row is refused by itself",
    arguments: [
      ("7", ContentItemError.Code.notAnObject), (#"{"title":"t"}"#, .missingID),
      (#"{"id":"1","title":"t"}"#, .malformedID), (#"{"id":1.5,"title":"t"}"#, .malformedID),
      (#"{"id":1}"#, .wrongType), (#"{"id":1,"title":"t","vote_count":"many"}"#, .wrongType),
      (#"{"id":1,"title":{}}"#, .wrongType), (#"{"id":1,"media_type":7}"#, .wrongType),
    ])
  func brokenRows(_ text: String, _ code: ContentItemError.Code) throws {
    let rows = try rows("[\(text),{\"id\":2,\"title\":\"good\"}]")
    guard case .refused(let error) = rows[0] else {
      Issue.record("not refused: \(rows[0])")
      return
    }
    #expect(error.code == code)
    #expect(try item(rows[1]).title == "good")
  }

  @Test("an empty page has no rows")
  func emptyPage() throws {
    #expect(try rows(#"{"page":1,"results":[],"total_pages":1,"total_results":0}"#).isEmpty)
  }
}
