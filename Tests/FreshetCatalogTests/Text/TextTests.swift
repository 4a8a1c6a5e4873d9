import Testing

@testable import FreshetCatalog

@Suite("Text of catalogues")
struct TextTests {
  @Test("C-10 HTML in text")
  func html() {
    #expect(
      HTMLText.decodingReferences("&quot;It&#39;s a &lt;quiet&gt; book.&quot;")
        == "\"It's a <quiet> book.\"")
    // Once, and only what is a reference.
    #expect(
      HTMLText.decodingReferences("&amp;lt; R&D; &x; & &#x1F34E; &#0; &#xD800;")
        == "&lt; R&D; &x; & 🍎 &#0; &#xD800;")
    #expect(
      HTMLText.plain("<p>A <b>red</b> harbour &amp; its keepers.</p><br/>1 < 2")
        == "A red harbour & its keepers.\n1 < 2")
  }

  @Test(
    "C-09 Partial dates",
    arguments: [
      ("1997-12", "1997-12"), ("1808", "1808"), ("2016-09-15T00:00:00+02:00", "2016-09-15"),
      ("2024-03-05T00:00:00.000+09:00", "2024-03-05"), ("18??", nil), ("", nil),
      ("2007-07-2", "2007-07-02"), ("2025-13-45", nil), ("2025-02-29", nil),
      ("2024-02-29", "2024-02-29"), ("1900-02-29", nil), ("99", nil), ("2020-1-1-1", nil),
      ("1997T00", nil), ("+997-01-01", nil),
    ])
  func dates(_ example: (text: String, date: String?)) {
    #expect(PartialDate(example.text)?.description == example.date)
  }

  @Test(
    "SHA-256 of the standard's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000),
        "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
      ),
    ])
  func sha256(_ example: (text: String, hash: String)) {
    #expect(SHA256.hexadecimal(Array(example.text.utf8)) == example.hash)
  }

  @Test(
    "ISBNs are found among spaces and by their form",
    arguments: [
      ("1190000018 9791190000017", "1190000018", "9791190000017"),
      ("  9791190000024 ", nil, "9791190000024"), ("896000001x", "896000001X", nil),
      ("", nil, nil), ("12345 abcdefghij", nil, nil), ("89-600-0001-X", "896000001X", nil),
    ])
  func isbn(_ example: (text: String, ten: String?, thirteen: String?)) {
    let isbn = ISBN(example.text)
    #expect(isbn.ten == example.ten)
    #expect(isbn.thirteen == example.thirteen)
  }
}
