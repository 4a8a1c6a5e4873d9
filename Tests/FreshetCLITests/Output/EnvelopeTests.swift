import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("Pieces of the envelope")
struct EnvelopeTests {
  @Test(
    "moments are UTC with six decimals",
    arguments: [
      (0, "1970-01-01T00:00:00.000000Z"), (1, "1970-01-01T00:00:00.000001Z"),
      (-1, "1969-12-31T23:59:59.999999Z"), (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
      (951_868_800_000_000, "2000-03-01T00:00:00.000000Z"),
      (1_709_164_800_123_456, "2024-02-29T00:00:00.123456Z"),
      (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
      (1_798_761_599_000_000, "2026-12-31T23:59:59.000000Z"),
    ] as [(Int64, String)])
  func timestamps(_ microseconds: Int64, _ expected: String) {
    #expect(Timestamp.text(microseconds) == expected)
  }

  @Test("integers of every size are written")
  func integers() {
    for value in [0, 7, -7, 10, 99, 100, 1_234_567, Int64.max, Int64.min] {
      let bytes = [UInt8](capacity: Digits.most) { Digits.append(value, to: &$0) }
      #expect(String(decoding: bytes, as: UTF8.self) == String(value))
    }
  }

  @Test("a year that four digits do not hold is cut, and no time ends the process")
  func farTimes() {
    #expect(Timestamp.text(253_402_300_800_000_000) == "0000-01-01T00:00:00.000000Z")
    for time in [Int64.min, -62_200_000_000_000_000, Int64.max] {
      #expect(Timestamp.text(time).utf8.count == Timestamp.count)
    }
  }

  @Test("members are written in their order, whatever stands in them")
  func members() {
    var writer = ObjectWriter()
    writer.nested { object in
      object.string("plain", "eight bytes and more, é 한 😀")
      object.string("escaped", "eight by\u{85}\"\\\n\u{2028}")
      object.string("none", nil)
      object.string("empty", "")
      object.name("name", "item.added")
      object.int("least", Int64.min)
      object.bool("yes", true)
      object.object("inner") { inner in inner.objects("list", [1, 2]) { $0.int("n", $1) } }
      object.object("hollow") { _ in }
      object.strings("words", ["a", "\t"])
      object.time("at", 0)
      object.null("end")
    }
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"plain":"eight bytes and more, é 한 😀","escaped":"eight by\u0085\"\\\n\u2028","#
        + #""none":null,"empty":"","name":"item.added","least":-9223372036854775808,"yes":true,"#
        + #""inner":{"list":[{"n":1},{"n":2}]},"hollow":{},"words":["a","\t"],"#
        + #""at":"1970-01-01T00:00:00.000000Z","end":null}"#)
  }

  private let token = Token(storeID: "0123456789abcdef0123456789abcdef", epoch: 3, revision: 88)

  @Test("a cursor reads back as it was")
  func cursor() throws {
    let cursor = Cursor(token: token, filter: Cursor.Filter())
    #expect(cursor.text.hasPrefix("c1.0123456789abcdef0123456789abcdef-3.88."))
    #expect(try Cursor(parsing: cursor.text) == cursor)
  }

  @Test("another filter is another hash")
  func filterHash() {
    let all = Cursor(token: token, filter: Cursor.Filter())
    let films = Cursor(token: token, filter: Cursor.Filter(kind: "film"))
    #expect(all.filterHash != films.filterHash)
  }

  @Test("any one changed character of a cursor is noticed")
  func cursorDamage() throws {
    let text = Array(Cursor(token: token, filter: Cursor.Filter()).text)
    for index in text.indices {
      var damaged = text
      damaged[index] = damaged[index] == "7" ? "8" : "7"
      #expect(throws: Cursor.Fault.self) { try Cursor(parsing: String(damaged)) }
    }
  }

  @Test(
    "what is no cursor is refused",
    arguments: ["", "c1", "c2.x.1.00000000", "c1...", "c1.a-1.-5.00000000", "now"])
  func notCursors(_ text: String) {
    #expect(throws: Cursor.Fault.self) { try Cursor(parsing: text) }
  }

  @Test("nearest match is by typing mistakes, and only when near")
  func nearest() {
    #expect(NearestMatch.of("sav", among: ["save", "show"]) == "save")
    #expect(NearestMatch.of("wathc", among: ["watch", "save"]) == "watch")
    #expect(NearestMatch.of("elephant", among: ["watch", "save"]) == nil)
    #expect(NearestMatch.of("down", among: ["downloads"]) == "downloads")
    #expect(NearestMatch.distance("ab", "ba") == 1)
  }

  @Test("text for terminals holds nothing that drives one")
  func clean() {
    #expect(TextLine.clean("a\u{1B}[31mb\nc\u{202E}d한") == "a [31mb c d한")
  }
}
