/// Takes secrets out of everything that is shown.
public struct Redactor: Sendable {
  /// What stands in a secret's place.
  public static let mark = "•••"
  /// Shorter words are left alone: they would be found everywhere.
  static let shortestSecret = 4

  private let secrets: [String]

  /// Makes a redactor.
  ///
  /// - Parameter secrets: Keys and the like; those of fewer than four characters are not looked for.
  public init(_ secrets: [String] = []) {
    let all = secrets.filter { $0.count >= Self.shortestSecret }
    // Longest first, so that a secret within another does not leave the rest of it.
    self.secrets = Set(all + all.map(PercentEncoding.encode)).sorted {
      $0.utf8.count > $1.utf8.count
    }
  }

  /// The text without secrets, and without the network numbers of machines; O(n).
  ///
  /// Servers put the caller's number into their refusals.
  public func redact(_ text: String) -> String {
    var text = text
    for secret in secrets where text.contains(secret) {
      text = text.replacing(secret, with: Self.mark)
    }
    return text
  }

  /// A server's own words, as far as they may be shown: no secrets, no network numbers, no more than
  /// one short line.
  public func redact(serverText text: String) -> String {
    let line = text.unicodeScalars.map { scalar -> Character in
      scalar.value < 0x20 || scalar.value == 0x7F ? " " : Character(scalar)
    }
    let words = redact(String(line)).split(separator: " ").map { word in
      let bare = word.drop { !$0.isHexDigit }
      let number = bare.prefix { $0.isHexDigit || $0 == "." || $0 == ":" }
      let parts = word.split { $0 == "=" || $0 == "(" || $0 == ")" || $0 == "," }
      let isNumber =
        NetworkAddress(number[...]) != nil || parts.contains { NetworkAddress($0) != nil }
      return isNumber ? Self.mark : String(word)
    }
    let joined = words.joined(separator: " ")
    return joined.count > 200 ? joined.prefix(200) + "…" : joined
  }

  func redact(_ error: CatalogError) -> CatalogError {
    error.with(
      message: redact(error.message), reason: error.reason.map { redact(serverText: $0) },
      retryAfter: nil)
  }
}
