import FreshetStore
import Testing

@Suite("Writing JSON")
struct JSONWritingTests {
  @Test("text is compact and keeps the order of members")
  func compact() throws {
    let text = #"{"b":1,"a":[true,null,{"z":"x/y"}],"c":{}}"#
    let spaced = " { \"b\" : 1 , \"a\" : [ true , null , {\"z\":\"x\\/y\"} ] , \"c\" : { } } "
    #expect(try JSONValue(parsing: spaced).jsonText == text)
  }

  @Test("what could cut or confuse a line is escaped")
  func escapes() {
    let value = JSONValue.string(
      "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\"\\\u{7F}\u{85}\u{2028}\u{2029}")
    let expected =
      #""\u0000\u0001\b\t\n\u000b\f\r\u001f\"\\\u007f\u0085\u2028\u2029""#
    #expect(value.jsonText == expected)
  }

  @Test("all else stands for itself, next to what does not")
  func plain() {
    let text = "a/b é 한국어 😀👨‍👩‍👧 \u{84}\u{86}\u{2027}\u{202A}\u{FFFD}"
    #expect(JSONValue.string(text).jsonText == "\"\(text)\"")
    #expect(JSONValue.string("\u{2028}é\u{85}").jsonText == #""\u2028é\u0085""#)
  }

  @Test("every scalar survives the round trip")
  func everyScalar() throws {
    for start in stride(from: UInt32(0), to: 0x11_0000, by: 0x400) {
      var text = ""
      for code in start..<start + 0x400 {
        if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) }
      }
      let written = JSONValue.string(text).jsonBytes
      #expect(try JSONValue(parsing: written) == .string(text))
    }
  }

  @Test("what needs an escape is found wherever it stands in its word of eight bytes")
  func everyPlace() throws {
    let special = ["\u{1F}", "\"", "\\", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}"]
    // Neighbours that differ from them by one.
    let plain = [" ", "!", "#", "[", "]", "~", "\u{84}", "\u{86}", "\u{2027}", "\u{202A}", "ÿ"]
    for length in 0..<20 {
      for place in 0...length {
        for text in special + plain {
          let before = String(repeating: "x", count: place)
          let whole = before + text + String(repeating: "é", count: length - place)
          let written = JSONValue.string(whole).jsonText
          #expect(try JSONValue(parsing: written) == .string(whole))
          #expect((written == "\"\(whole)\"") == plain.contains(text), "\(written)")
          let isOneLine = Array("\"\(whole)\"".utf8).withUnsafeBufferPointer {
            JSONText.isOneLine($0)
          }
          #expect(isOneLine == (plain.contains(text) || ["\"", "\\"].contains(text)))
        }
      }
    }
  }

  @Test("text that can go into a line as it is is told from text that cannot")
  func oneLine() {
    func isOneLine(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBufferPointer { JSONText.isOneLine($0) }
    }
    #expect(isOneLine(#"{"a":"b\n\\ é"}"#))
    #expect(!isOneLine("{\n}"))
    #expect(!isOneLine("{\"a\":\"\u{2028}\"}"))
    #expect(!isOneLine("{\"a\":\"\u{85}\"}"))
  }
}
