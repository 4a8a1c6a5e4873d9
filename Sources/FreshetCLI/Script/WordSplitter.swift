/// Splits a line as a shell would: spaces part words, quotes and backslashes keep them together.
enum WordSplitter {
  /// Why a line cannot be split.
  enum Fault: String, Error {
    case openQuote = "a quote is not closed"
    case openEscape = "the line ends with a backslash"
  }

  static func words(of line: String) throws(Fault) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if isEscaped {
        // In double quotes a backslash keeps itself unless it hides something.
        if quote == "\"", !["\"", "\\", "$", "`"].contains(scalar) { word?.append("\\") }
        word = (word ?? .init()) + [scalar]
        isEscaped = false
      } else if scalar == "\\", quote != "'" {
        isEscaped = true
        word = word ?? .init()
      } else if let open = quote {
        if scalar == open { quote = nil } else { word?.append(scalar) }
      } else if scalar == "'" || scalar == "\"" {
        quote = scalar
        word = word ?? .init()
      } else if scalar == " " || scalar == "\t" {
        if let done = word { words.append(String(done)) }
        word = nil
      } else if scalar == "#", word == nil {
        break
      } else {
        word = (word ?? .init()) + [scalar]
      }
    }
    if quote != nil { throw .openQuote }
    if isEscaped { throw .openEscape }
    if let word { words.append(String(word)) }
    return words
  }
}
