import FreshetCatalog
import FreshetStore
import Testing

@Suite("The content item")
struct ContentItemTests {
  private func item(_ text: String) throws(ContentItemError) -> ContentItem {
    try ContentItem(parsing: Array(text.utf8))
  }

  private func written(_ text: String) throws -> String {
    String(decoding: try item(text).jsonBytes, as: UTF8.self)
  }

  private func failure(_ text: String) -> ContentItemError? {
    do {
      _ = try item(text)
      return nil
    } catch {
      return error
    }
  }

  private static let full =
    #"{"id":"book:kakao:9788966262281","kind":"book","source":"kakao","media_type":"m","title":"제목","#
    + #""original_title":"t","authors":["가","b, c"],"overview":"o","release_date":"1997-12","#
    + #""popularity":83.10,"vote_average":7,"vote_count":9007199254740993,"adult":false,"poster":"/p","#
    + #""thumbnail":"https://t","publisher":"출판","isbn":{"isbn10":"896626228X","isbn13":"9788966262281"},"#
    + #""price":18000,"sale_price":16200.0,"link":"https://l","extra":{"a":null,"b":[1,{"c":7.0}]}}"#

  @Test("every field comes back as it was, numbers in their kind")
  func roundTrip() throws {
    #expect(try written(Self.full) == Self.full)
    let item = try item(Self.full)
    #expect(item.title == "제목")
    #expect(item.authors == ["가", "b, c"])
    #expect(item.voteCount?.int64 == 9_007_199_254_740_993)
    #expect(item.salePrice?.text == "16200.0")
    #expect(item.isbn10 == "896626228X")
    #expect(item.isAdult == false)
  }

  @Test("fields are written in the documented order, kind and source from the id")
  func order() throws {
    #expect(
      try written(#"{"title":"t","link":"l","id":"film:local:1","adult":true}"#)
        == #"{"id":"film:local:1","kind":"film","source":"local","title":"t","adult":true,"link":"l"}"#
    )
  }

  @Test("null is absent, a missing title is no error")
  func nulls() throws {
    #expect(
      try written(
        #"{"id":"book:local:1","title":null,"isbn":{"isbn10":null},"extra":null,"kind":null}"#)
        == #"{"id":"book:local:1","kind":"book","source":"local"}"#)
    #expect(try item(#"{"id":"book:local:1"}"#).title == nil)
  }

  @Test("unknown fields go to extra and come back unchanged, null included")
  func extra() throws {
    let text =
      #"{"id":"book:local:1","mood":null,"tags":["a",7.0],"extra":{"x":1,"title":"other"}}"#
    let expected =
      #"{"id":"book:local:1","kind":"book","source":"local","#
      + #""extra":{"x":1,"title":"other","mood":null,"tags":["a",7.0]}}"#
    #expect(try written(text) == expected)
    #expect(try written(expected) == expected)
  }

  @Test(
    "what would lose something is refused with code, field and reason",
    arguments: [
      ("[]", ContentItemError.Code.notAnObject, nil), ("7", .notAnObject, nil),
      ("{\"id\":", .invalidJSON, nil), ("{}", .missingID, "id"),
      (#"{"id":null}"#, .missingID, "id"),
      (#"{"id":7}"#, .wrongType, "id"), (#"{"id":"x"}"#, .malformedID, "id"),
      (#"{"id":"book:local:1","kind":"film"}"#, .conflict, "kind"),
      (#"{"id":"book:local:1","source":"kakao"}"#, .conflict, "source"),
      (#"{"id":"book:local:1","title":5}"#, .wrongType, "title"),
      (#"{"id":"book:local:1","vote_count":"5"}"#, .wrongType, "vote_count"),
      (#"{"id":"book:local:1","authors":"x"}"#, .wrongType, "authors"),
      (#"{"id":"book:local:1","authors":[1]}"#, .wrongType, "authors"),
      (#"{"id":"book:local:1","adult":0}"#, .wrongType, "adult"),
      (#"{"id":"book:local:1","isbn":"9788966262281"}"#, .wrongType, "isbn"),
      (#"{"id":"book:local:1","isbn":{"isbn13":9788966262281}}"#, .wrongType, "isbn"),
      (#"{"id":"book:local:1","extra":[]}"#, .wrongType, "extra"),
      (#"{"id":"book:local:1","mood":1,"extra":{"mood":2}}"#, .conflict, "mood"),
    ])
  func refusals(_ text: String, _ code: ContentItemError.Code, _ field: String?) {
    let error = failure(text)
    #expect(error?.code == code)
    #expect(error?.field == field)
    #expect(error?.message.isEmpty == false)
  }

  @Test("reasons are sentences a person can act on")
  func reasons() {
    #expect(
      failure(#"{"id":"book:local:1","title":5}"#)?.message
        == "field title must be a string, found number")
    #expect(
      failure(#"{"id":"book:local:1","isbn":{"isbn13":9}}"#)?.message
        == "field isbn must be an object of strings, found another object")
    #expect(
      failure(#"{"id":"nonsense"}"#)?.message
        == #"malformed id "nonsense": expected kind:source:native, as in film:tmdb:movie:603"#)
  }

  @Test("a record is too large when its event would be")
  func size() throws {
    let frame = #"{"id":"book:local:1","kind":"book","source":"local","overview":""}"#
    let room = ContentItem.sizeLimitBytes - frame.utf8.count
    func record(_ count: Int) -> String {
      #"{"id":"book:local:1","overview":""# + String(repeating: "x", count: count) + #""}"#
    }
    #expect(try item(record(room)).jsonBytes.count == ContentItem.sizeLimitBytes)
    #expect(failure(record(room + 1))?.code == .tooLarge)
  }
}
