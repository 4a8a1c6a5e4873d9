/// The numbers of a book as catalogues write them.
struct ISBN: Equatable {
  private(set) var ten: String?
  private(set) var thirteen: String?

  /// Reads numbers that are separated by spaces, however many; what is neither is passed over.
  init(_ text: String) {
    for word in text.split(separator: " ") { add(word) }
  }

  init() {}

  mutating func add(_ word: some StringProtocol) {
    let word = word.uppercased().replacing("-", with: "")
    if word.utf8.count == 13, word.utf8.allSatisfy(Self.isDigit) {
      thirteen = thirteen ?? word
    } else if word.utf8.count == 10, word.dropLast().utf8.allSatisfy(Self.isDigit),
      let last = word.utf8.last, Self.isDigit(last) || last == UInt8(ascii: "X")
    {
      ten = ten ?? word
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
