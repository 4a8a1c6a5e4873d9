/// A line that drives the search screen.
struct SearchLine {
  /// What it asks for.
  enum Intent {
    case submit(String)
    case more
    case retry
    case cancel
    case clear
    case select(String)
    case blank
    /// Nothing that is understood; the line's text.
    case bad(String)
  }

  let number: Int
  let intent: Intent

  var correlation: String { "s1:L\(number)" }

  init(_ line: LineSplitter.Line) {
    number = line.number
    let text = line.bytes.map { String(decoding: $0, as: UTF8.self).trimmingSpaces } ?? ""
    let word = String(text.prefix { $0 != " " })
    let rest = String(text.dropFirst(word.count)).trimmingSpaces
    intent =
      switch (word, rest) {
      case ("submit", _): .submit(rest)
      case ("more", ""): .more
      case ("retry", ""): .retry
      case ("cancel", ""): .cancel
      case ("clear", ""): .clear
      case ("select", _) where !rest.isEmpty: .select(rest)
      case ("", ""): .blank
      default: .bad(text)
      }
  }

  /// Its word, where it calls off all that waits and goes before it.
  var stop: String? {
    switch intent {
    case .cancel: "cancel"
    case .clear: "clear"
    case .submit, .more, .retry, .select, .blank, .bad: nil
    }
  }

  /// Whether it waits while a page is on its way.
  ///
  /// - Parameter shows: Whether an id is in the list.
  func waitsForPage(_ shows: (String) -> Bool) -> Bool {
    switch intent {
    case .more, .retry: true
    // A row that is not there may come with the page.
    case .select(let id): !shows(id)
    case .submit, .cancel, .clear, .blank, .bad: false
    }
  }
}
