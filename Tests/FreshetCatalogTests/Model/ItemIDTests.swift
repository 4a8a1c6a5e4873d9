import FreshetCatalog
import Testing

@Suite("Item ids")
struct ItemIDTests {
  @Test(
    "well-formed ids are taken apart and never rewritten",
    arguments: [
      ("film:tmdb:movie:603", ItemID.Kind.film, "tmdb", "movie:603"),
      ("book:kakao:9788966262281", .book, "kakao", "9788966262281"),
      ("book:google:zyTCAlFPjgYC", .book, "google", "zyTCAlFPjgYC"),
      ("book:local:%EB%B0%A4%20x", .book, "local", "%EB%B0%A4%20x"),
      ("book:my-shelf_2:a.b~c:-", .book, "my-shelf_2", "a.b~c:-"),
    ])
  func wellFormed(_ text: String, _ kind: ItemID.Kind, _ source: String, _ native: String) throws {
    let id = try ItemID(text)
    #expect(id.text == text)
    #expect(id.kind == kind)
    #expect(id.source == source)
    #expect(id.native == native)
  }

  @Test(
    "malformed ids are refused",
    arguments: [
      "", "film", "film:tmdb", "film:tmdb:", "film::1", ":tmdb:1", "song:tmdb:1", "Film:tmdb:1",
      "film:TMDB:1", "film:tmdb:a b", "film:tmdb:a/b", "film:tmdb:밤", "film:tmdb:%4",
      "film:tmdb:%zz",
      "film:tmdb:1\n", "film:tmdb:" + String(repeating: "1", count: 600),
    ])
  func malformed(_ text: String) {
    #expect {
      try ItemID(text)
    } throws: { error in
      (error as? ContentItemError)?.code == .malformedID
    }
  }

  @Test("a catalogue's own name is encoded")
  func encoding() throws {
    let id = try ItemID(kind: .book, source: "local", native: "밤 a/b:c~")
    #expect(id.text == "book:local:%EB%B0%A4%20a%2Fb:c~")
  }
}
