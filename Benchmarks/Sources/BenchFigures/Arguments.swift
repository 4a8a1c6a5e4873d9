/// The words of a command line.
package struct Arguments {
  private var words: ArraySlice<String>
  private let usage: String

  /// - Parameter usage: Told when a word cannot be understood.
  package init(_ words: [String], usage: String) {
    self.words = words.dropFirst()
    self.usage = usage
  }

  package mutating func next() -> String? { words.popFirst() }

  /// All that is left.
  package var rest: [String] { Array(words) }

  /// The value of an option.
  package mutating func value(of option: String) -> String {
    guard let word = words.popFirst() else { refuse("\(option) needs a value") }
    return word
  }

  /// The value of an option that is a number above 0.
  package mutating func number(of option: String) -> Int {
    let word = value(of: option)
    guard let number = Int(word), number > 0 else {
      refuse("\(option) needs a whole number above 0, not “\(word)”")
    }
    return number
  }

  /// A word that is no option: a part of the names of the cases that are wanted.
  package func part(_ word: String, after before: String?) -> String {
    if word.hasPrefix("-") { refuse("there is no option \(word)") }
    if let before { refuse("one part of a name is enough: \(before) or \(word)") }
    return word
  }

  private func refuse(_ why: String) -> Never { stop("\(why)\nusage: \(usage)") }
}
