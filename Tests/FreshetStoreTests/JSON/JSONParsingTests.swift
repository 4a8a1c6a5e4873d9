import FreshetStore
import Testing

@Suite("Reading JSON")
struct JSONParsingTests {
  private func parse(_ text: String) throws(JSONError) -> JSONValue {
    try JSONValue(parsing: text)
  }

  private func failure(_ bytes: [UInt8]) -> JSONError? {
    do {
      _ = try JSONValue(parsing: bytes)
      return nil
    } catch {
      return error
    }
  }

  private func failure(_ text: String) -> JSONError? { failure(Array(text.utf8)) }

  @Test("documents of every kind are read")
  func everyKind() throws {
    let value = try parse(" {\"a\":[1,-2.5e+3,true,false,null,\"x\"],\"b\":{}} \r\n\t")
    let object = try #require(value.objectValue)
    #expect(object.keys == ["a", "b"])
    let a = try #require(object["a"]?.arrayValue)
    #expect(a.map(\.kindName) == ["number", "number", "boolean", "boolean", "null", "string"])
    #expect(a[1].numberValue?.text == "-2.5e+3")
    #expect(a[1].numberValue?.double == -2500)
    #expect(object["b"]?.objectValue?.isEmpty == true)
  }

  @Test(
    "numbers keep their text",
    arguments: [
      "7", "7.0", "0", "-0", "9007199254740993", "1499816949527975237", "1e400", "0.10", "1E-7",
      "123456789012345678901234567890",
    ])
  func numbersKeepTheirText(_ text: String) throws {
    let value = try parse(text)
    #expect(value.numberValue?.text == text)
    #expect(value.jsonText == text)
  }

  @Test("numbers say what they fit in")
  func numbersFit() throws {
    #expect(try parse("9223372036854775807").numberValue?.int64 == .max)
    #expect(try parse("9223372036854775808").numberValue?.int64 == nil)
    #expect(try parse("7.0").numberValue?.int64 == nil)
    #expect(try parse("7.0").numberValue?.isInteger == false)
    #expect(try parse("1e400").numberValue?.double == nil)
    #expect(JSONNumber(Double.nan) == nil)
    #expect(JSONNumber(-Double.infinity) == nil)
    #expect(JSONNumber(7.25)?.text == "7.25")
  }

  @Test(
    "malformed numbers are refused",
    arguments: ["01", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "--1", "NaN", "Infinity"])
  func malformedNumbers(_ text: String) {
    #expect(failure(text) != nil)
  }

  @Test("escapes are undone, pairs joined")
  func escapes() throws {
    let value = try parse(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000""#)
    #expect(value == .string("\"\\/\u{8}\u{C}\n\r\té😀\0"))
  }

  @Test(
    "a lone surrogate is replaced, not the document lost",
    arguments: [
      (#""\uD800""#, "\u{FFFD}"), (#""\uDC00x""#, "\u{FFFD}x"),
      (#""\uD800\uD800""#, "\u{FFFD}\u{FFFD}"),
      (#""\uD83Dx""#, "\u{FFFD}x"), (#""\uD800\u0041""#, "\u{FFFD}A"),
      (#""\uD800\uD83D\uDE00""#, "\u{FFFD}😀"),
    ])
  func loneSurrogates(_ text: String, _ expected: String) throws {
    #expect(try parse(text) == .string(expected))
  }

  @Test("of a key that comes twice the last value counts, at the first place")
  func duplicateKeys() throws {
    let object = try #require(try parse(#"{"a":1,"b":2,"a":3}"#).objectValue)
    #expect(object.keys == ["a", "b"])
    #expect(object["a"] == 3)
  }

  @Test("keys are told apart by their bytes")
  func keysByBytes() throws {
    let object = try #require(try parse("{\"\u{E9}\":1,\"e\u{301}\":2}").objectValue)
    #expect(object.count == 2)
    #expect(try parse("\"\u{E9}\"") != parse("\"e\u{301}\""))
  }

  @Test("objects of many keys find and lose them")
  func manyKeys() throws {
    var object = JSONObject()
    for index in 0..<1_000 { object["key\(index)"] = .number(JSONNumber(Int64(index))) }
    #expect(object["key999"] == 999)
    object["key0"] = nil
    object["key500"] = "changed"
    #expect(object.count == 999)
    #expect(object["key0"] == nil)
    #expect(object["key1"] == 1)
    #expect(object["key500"] == "changed")
    #expect(object.members[0].key == "key1")
  }

  @Test("nesting is limited, not a crash")
  func depth() throws {
    let limit = JSONValue.depthLimit
    let deepest = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
    #expect(try parse(deepest).jsonText == deepest)
    let tooDeep = failure(String(repeating: "[", count: 10_000))
    #expect(tooDeep?.reason == .tooDeep)
    #expect(tooDeep?.offset == limit)
    let objects = failure(String(repeating: "{\"a\":", count: 10_000))
    #expect(objects?.reason == .tooDeep)
  }

  @Test(
    "what is wrong is named with its place",
    arguments: [
      ("", JSONError.Reason.empty, 0), (" \n ", .empty, 3), ("{\"a\":", .unexpectedEnd, 5),
      ("\"abc", .unexpectedEnd, 4), ("[1 2]", .unexpectedByte, 3), ("[1,]", .unexpectedByte, 3),
      ("{\"a\" 1}", .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1), ("1 2", .trailingBytes, 2),
      ("\"\\x\"", .invalidEscape, 1), ("\"\\u12g4\"", .invalidEscape, 1),
      ("tru", .unexpectedEnd, 3),
      ("\"a\nb\"", .controlCharacter, 2), ("[01]", .invalidNumber, 1),
      ("\u{FEFF}1", .unexpectedByte, 0),
    ])
  func faults(_ text: String, _ reason: JSONError.Reason, _ offset: Int) {
    let error = failure(text)
    #expect(error?.reason == reason)
    #expect(error?.offset == offset)
  }

  @Test("places are lines and columns of characters")
  func places() throws {
    let error = try #require(failure("{\n \"é\": x}"))
    #expect(error.line == 2)
    #expect(error.column == 7)
    #expect(error.offset == 9)
    #expect(error.description == "unexpected character at line 2, column 7 (byte 9)")
  }

  @Test(
    "bytes that are no UTF-8 are an error with their offset",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xFF],
    ] as [[UInt8]])
  func invalidUTF8(_ bad: [UInt8]) {
    let error = failure([0x22, 0x61] + bad + [0x22])
    #expect(error?.reason == .invalidUTF8)
    #expect(error?.offset == 2)
  }

  @Test("every cut of a document is an error, never a trap")
  func cuts() {
    let text = #"{"a":[1.5e3,"\uD83D\uDE00é",{"b":null}],"c":true}"#
    let bytes = Array(text.utf8)
    for length in 0..<bytes.count {
      #expect(failure(Array(bytes[..<length])) != nil)
    }
  }

  @Test("random damage is an error or a document that survives a round trip")
  func damage() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(state: seed)
    let base = Array(#"{"a":[1.5e3,"\uD83D\uDE00é",{"b":null}],"c":true,"d":-0.0}"#.utf8)
    for _ in 0..<20_000 {
      var bytes = base
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      let again = try JSONValue(parsing: value.jsonBytes)
      #expect(again == value, "seed \(seed)")
    }
  }
}

/// A small generator that replays from one number.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
