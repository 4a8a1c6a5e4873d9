/// A text with `*` for any run of characters.
enum Wildcard {
  /// Whether a pattern covers the whole of a text, compared byte by byte.
  ///
  /// O(pattern × text) at worst.
  static func matches(_ pattern: String, _ text: String) -> Bool {
    let pattern = Array(pattern.utf8)
    let text = Array(text.utf8)
    var (place, at) = (0, 0)
    // Where the last star stands, and where the text went on behind it.
    var retry: (place: Int, at: Int)?
    while at < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        retry = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] == text[at] {
        place += 1
        at += 1
      } else if let last = retry {
        retry = (last.place, last.at + 1)
        place = last.place + 1
        at = last.at + 1
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
