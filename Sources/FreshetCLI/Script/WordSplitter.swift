/// Splits a line as a shell would: spaces part words, quotes and backslashes keep them together.
enum WordSplitter {
  /// Why a line cannot be split.
  enum Fault: String, Error {
    case openQuote = "a quote is not closed"
    case openEscape = "the line ends with a backslash"
  }

  /// The words; O(n).
  static func words(of line: String) throws(Fault) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    // A word may be empty, between quotes.
    var isInWord = false
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if isEscaped {
        // In double quotes a backslash keeps itself unless it hides something.
        if quote == "\"", !["\"", "\\", "$", "`"].contains(scalar) { word.append("\\") }
        word.append(scalar)
        isEscaped = false
      } else if scalar == "\\", quote != "'" {
        isEscaped = true
        isInWord = true
      } else if let open = quote {
        if scalar == open { quote = nil } else { word.append(scalar) }
      } else if scalar == "'" || scalar == "\"" {
        quote = scalar
        isInWord = true
      } else if scalar == " " || scalar == "\t" {
        if isInWord { words.append(String(word)) }
        word = .init()
        isInWord = false
      } else if scalar == "#", !isInWord {
        break
      } else {
        word.append(scalar)
        isInWord = true
      }
    }
    if quote != nil { throw .openQuote }
    if isEscaped { throw .openEscape }
    if isInWord { words.append(String(word)) }
    return words
  }
}
