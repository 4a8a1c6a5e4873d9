import Testing

@testable import FreshetCLI

@Suite("Cutting lines")
struct LineSplitterTests {
  private func lines(_ bytes: [UInt8], chunk: Int) -> [LineSplitter.Line] {
    var splitter = LineSplitter()
    var lines: [LineSplitter.Line] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      lines += splitter.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
    }
    if let last = splitter.finish() { lines.append(last) }
    return lines
  }

  @Test("at U+000A and nowhere else, however the bytes arrive", arguments: [1, 2, 3, 1000])
  func newlines(_ chunk: Int) {
    let text = "\u{FEFF}a\u{2028}b\u{85}c\r\nd\u{B}\u{C}\r\r\n\nlast\r"
    let found = lines(Array(text.utf8), chunk: chunk).map {
      String(decoding: $0.bytes ?? [], as: UTF8.self)
    }
    #expect(found == ["a\u{2028}b\u{85}c", "d\u{B}\u{C}\r", "", "last"])
  }

  @Test("a line over 1 MiB is told, and the next is read")
  func tooLong() {
    let limit = LineSplitter.limitBytes
    let bytes =
      [UInt8](repeating: 0x61, count: limit) + [0x0A] + [UInt8](repeating: 0x62, count: limit + 1)
      + [0x0A, 0x63]
    for chunk in [4096, 3_000_000] {
      let found = lines(bytes, chunk: chunk)
      #expect(found.map { $0.bytes?.count } == [limit, nil, 1])
      #expect(found.map(\.number) == [1, 2, 3])
    }
  }
}

@Suite("Cutting documents")
struct DocumentSplitterTests {
  private func pieces(_ text: String, chunk: Int = 1_000_000) -> [String] {
    let bytes = Array(text.utf8)
    var splitter = DocumentSplitter()
    var pieces: [DocumentSplitter.Piece] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      pieces += splitter.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
    }
    pieces += splitter.finish()
    return pieces.map { piece in
      switch piece {
      case .document(let line, _, _, let bytes): "\(line) \(String(decoding: bytes, as: UTF8.self))"
      case .tooLarge(let line): "\(line) too large"
      case .broken(let line, _, let isFatal): "\(line) broken\(isFatal ? " fatal" : "")"
      }
    }
  }

  private func check(
    _ text: String, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for chunk in [1, 2, 7, 1_000_000] {
      #expect(
        pieces(text, chunk: chunk) == expected, "chunk \(chunk)", sourceLocation: sourceLocation)
    }
  }

  @Test("one a line, blank lines passed over, the last without newline")
  func lines() {
    check(
      "{\"a\":1}\n\n  {\"b\":[1,2]} \r\n7\n{\"c\":\"\\\"}\"}",
      [
        "1 {\"a\":1}", "3 {\"b\":[1,2]}", "4 7", "5 {\"c\":\"\\\"}\"}",
      ])
    check("\u{FEFF}{\"a\":1}\n", ["1 {\"a\":1}"])
    check("", [])
    check("\n \n", [])
  }

  @Test("a broken line is handed on by itself, the others are read")
  func brokenLines() {
    check("{\"a\":1}\n{bad\n{\"c\":1}\n", ["1 {\"a\":1}", "2 {bad", "3 {\"c\":1}"])
    check("{\"a\":1}\n{\"b\":\n{\"c\":1}\n", ["1 {\"a\":1}", "2 {\"b\":", "3 {\"c\":1}"])
    check("{\"a\":\n{\"c\":1}\n{\"d\":1}\n", ["1 {\"a\":", "2 {\"c\":1}", "3 {\"d\":1}"])
    check("{\"a\":\n{\"c\":1}\n", ["1 {\"a\":", "2 {\"c\":1}"])
    check("{\"a\":\"x\n{\"c\":1}\n", ["1 {\"a\":\"x", "2 {\"c\":1}"])
    check("]\n{\"c\":1}\n", ["1 ]", "2 {\"c\":1}"])
  }

  @Test("a document over several lines is one")
  func spread() {
    check("{\n  \"a\": [\n    1\n  ]\n}\n{\n}\n", ["1 {\n  \"a\": [\n    1\n  ]\n}", "6 {\n}"])
    check(
      "{\"page\": 1,\n \"results\": [{\"id\": 1,\n  \"b\": {}}]}",
      [
        "1 {\"page\": 1,\n \"results\": [{\"id\": 1,\n  \"b\": {}}]}"
      ])
  }

  @Test("a spread document that is cut off or broken inside is one bad document")
  func brokenSpread() {
    check("{\n  \"a\": [\n    1\n", ["1 {\n  \"a\": [\n    1"])
    check("{\n  \"a\": ]\n}\n{\"c\":1}\n", ["1 {\n  \"a\": ]", "3 broken fatal"])
  }

  @Test("the elements of an array are documents, on one line or many")
  func arrays() {
    check("[{\"a\":1},{\"b\":[]} , 7,\"x\"]", ["1 {\"a\":1}", "1 {\"b\":[]}", "1 7", "1 \"x\""])
    check(
      "[\n  {\"a\":1},\n  {\n \"b\":2}\n]\n{\"c\":1}\n",
      [
        "2 {\"a\":1}", "3 {\n \"b\":2}", "6 {\"c\":1}",
      ])
    check("[]\n[[1],[2]]\n", ["2 [1]", "2 [2]"])
  }

  @Test("elements of an array are counted, through arrays that share a line")
  func rows() {
    var splitter = DocumentSplitter()
    let text = "[1,2] [3]\n7\n[4,\n5]\n"
    let rows = (splitter.feed(Array(text.utf8)) + splitter.finish()).map { piece -> String in
      guard case .document(let line, let row, _, _) = piece else { return "broken" }
      return "\(line).\(row ?? 0)"
    }
    #expect(rows == ["1.1", "1.2", "1.3", "2.0", "3.1", "4.2"])
  }

  @Test("a broken array on one line costs that line, a longer one the rest")
  func brokenArrays() {
    check("[{\"a\":1},{b}]\n{\"c\":1}\n", ["1 {\"a\":1}", "1 broken", "2 {\"c\":1}"])
    check("[{\"a\":1} {\"b\":1}]\n{\"c\":1}\n", ["1 {\"a\":1}", "1 broken", "2 {\"c\":1}"])
    check("[\n{\"a\":1},\n{b}\n]\n{\"c\":1}\n", ["2 {\"a\":1}", "3 broken fatal"])
    check("[{\"a\":1},", ["1 {\"a\":1}", "1 broken"])
  }

  @Test("a text that is cut off is told with its own lines, and once")
  func cutOff() {
    check("\n{\"b\":\n\"c", ["2 {\"b\":\n\"c"])
    check("{\"b\":\n\n\n", ["1 {\"b\":"])
    check("{\"b\":\"c", ["1 {\"b\":\"c"])
    check("[\n{\"a\":1},\n{\"b\":\"c", ["2 {\"a\":1}", "3 broken"])
    check("[\n{\"a\":1},\n\n\n", ["2 {\"a\":1}", "2 broken"])
    // Only what follows is lost, and only when something does.
    check("{\"a\":\n[}\n", ["1 {\"a\":\n[}"])
    check("{\"a\":\n[}\n\n{\"b\":1}\n", ["1 {\"a\":\n[}", "4 broken fatal"])
  }

  @Test("lines without an end cost only themselves, however many and however deep")
  func unfinishedLines() {
    func mixed(_ text: String, chunk: Int) -> [String] {
      var splitter = DocumentSplitter(mixesForms: true)
      let bytes = Array(text.utf8)
      var pieces: [DocumentSplitter.Piece] = []
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        pieces += splitter.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
      }
      return (pieces + splitter.finish()).map { piece in
        guard case .document(let line, _, let column, let bytes) = piece else { return "\(piece)" }
        return "\(line):\(column ?? 0) \(String(decoding: bytes, as: UTF8.self))"
      }
    }
    for chunk in [1, 5, 1000] {
      // What follows them is found at the text's end too.
      #expect(
        mixed("{\"a\":[\n  {\"b\":\n{\"c\":[\n{\"d\":1}\n{\"e\":[\n{\"f\":1}", chunk: chunk)
          == [
            "1:1 {\"a\":[", "2:3 {\"b\":", "3:1 {\"c\":[", "4:1 {\"d\":1}", "5:1 {\"e\":[",
            "6:1 {\"f\":1}",
          ])
      #expect(
        mixed("{\"a\":[\n{\"b\":[\n\"x\"\n]}\n{\"c\":1}\n", chunk: chunk)
          == ["1:1 {\"a\":[", "2:1 {\"b\":[\n\"x\"\n]}", "5:1 {\"c\":1}"])
    }
    // Each is read once: read again for each of the lines before it, this would take minutes.
    let count = 20_000
    let text = String(repeating: "{\"a\":\n", count: count) + "{\"b\":1}\n"
    let found = mixed(text, chunk: 65_536)
    #expect(found.count == count + 1 && found.last == "\(count + 1):1 {\"b\":1}")
  }

  @Test("what is too large is told and passed over")
  func tooLarge() {
    let long = String(repeating: "x", count: DocumentSplitter.limitBytes + 10)
    #expect(
      pieces("{\"a\":\"\(long)\"}\n{\"c\":1}\n", chunk: 65_536) == ["1 too large", "2 {\"c\":1}"])
    #expect(
      pieces("[{\"a\":\"\(long)\"}]\n{\"c\":1}\n", chunk: 65_536) == ["1 broken", "2 {\"c\":1}"])
  }

  @Test("an array far beyond the limit streams through")
  func bigArray() {
    let element = "{\"a\":\"\(String(repeating: "y", count: 1000))\"}"
    let text = "[" + Array(repeating: element, count: 3000).joined(separator: ",") + "]"
    #expect(pieces(text, chunk: 65_536).count == 3000)
  }
}

@Suite("Splitting words")
struct WordSplitterTests {
  @Test("as a shell would")
  func words() throws {
    #expect(try WordSplitter.words(of: "delete  a\tb") == ["delete", "a", "b"])
    #expect(try WordSplitter.words(of: #"save '{"id":"x y"}' # c"#) == ["save", #"{"id":"x y"}"#])
    #expect(
      try WordSplitter.words(of: #"a "b \"c\" \n" d\ e ''"#) == ["a", #"b "c" \n"#, "d e", ""])
    #expect(try WordSplitter.words(of: "a#b") == ["a#b"])
  }

  @Test("what is not closed is refused")
  func faults() {
    #expect(throws: WordSplitter.Fault.openQuote) { try WordSplitter.words(of: "a 'b") }
    #expect(throws: WordSplitter.Fault.openEscape) { try WordSplitter.words(of: "a \\") }
  }
}
