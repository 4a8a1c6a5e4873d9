/// Text of a catalogue that holds HTML, made plain for people.
///
/// What is stored stays as it came; this is for showing it.
public enum HTMLText {
  private static let names: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    "hellip": "…", "mdash": "—", "ndash": "–", "lsquo": "‘", "rsquo": "’", "ldquo": "“",
    "rdquo": "”", "middot": "·", "copy": "©", "reg": "®", "trade": "™",
  ]

  /// The text with its character references undone, once; O(n).
  ///
  /// `&amp;lt;` becomes `&lt;`. What is no reference stays.
  public static func decodingReferences(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "&") {
      result += rest[..<mark]
      let after = rest[rest.index(after: mark)...]
      // No name is longer than that, and a long text without `;` is not walked again and again.
      if let end = after.prefix(12).firstIndex(of: ";"), let decoded = decoded(after[..<end]) {
        result += decoded
        rest = after[after.index(after: end)...]
      } else {
        result += "&"
        rest = after
      }
    }
    return result + rest
  }

  /// The text without tags and references; `<br>` and paragraphs become line breaks; O(n).
  public static func plain(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "<") {
      result += rest[..<open]
      let after = rest[rest.index(after: open)...]
      let isTag = after.first.map { $0.isLetter || $0 == "/" || $0 == "!" } ?? false
      guard isTag, let close = after.firstIndex(of: ">") else {
        result += "<"
        rest = after
        continue
      }
      let name = after.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
      if ["br", "p", "div", "li"].contains(name), !result.isEmpty, !result.hasSuffix("\n") {
        result += "\n"
      }
      rest = after[after.index(after: close)...]
    }
    result += rest
    while result.last?.isNewline == true { result.removeLast() }
    return decodingReferences(result)
  }

  private static func decoded(_ name: Substring) -> String? {
    guard name.hasPrefix("#") else { return names[String(name)] }
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    guard let number = UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10),
      number != 0, let scalar = Unicode.Scalar(number)
    else { return nil }
    return String(scalar)
  }
}
