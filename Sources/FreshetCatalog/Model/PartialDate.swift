/// A day, a month or a year, as far as a catalogue knows it.
public struct PartialDate: Sendable, Hashable, CustomStringConvertible {
  /// The year.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int?
  /// The day of the month.
  public let day: Int?

  /// Reads `1999-03-31`, `1997-12`, `1808`, and the day of a longer time such as
  /// `2016-09-15T00:00:00+02:00`.
  ///
  /// Months and days may have one digit, as in `2007-07-2`. Nil for anything else, and for days
  /// that do not exist: nothing rolls over.
  public init?(_ text: String) {
    let day = text.prefix { $0 != "T" && $0 != " " }
    let parts = day.split(separator: "-", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), parts[0].utf8.count == 4,
      let year = Self.number(parts[0]), year > 0
    else { return nil }
    if day.endIndex < text.endIndex, parts.count < 3 { return nil }
    self.year = year
    guard parts.count > 1 else {
      (month, self.day) = (nil, nil)
      return
    }
    guard parts[1].utf8.count <= 2, let month = Self.number(parts[1]), (1...12).contains(month)
    else { return nil }
    self.month = month
    guard parts.count > 2 else {
      self.day = nil
      return
    }
    guard parts[2].utf8.count <= 2, let number = Self.number(parts[2]),
      (1...Self.days(in: month, of: year)).contains(number)
    else { return nil }
    self.day = number
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The date with two digits for month and day.
  public var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let digits = String(year)
    let start = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return start + (month.map { "-" + two($0) } ?? "") + (day.map { "-" + two($0) } ?? "")
  }
}

extension ContentItem {
  /// The day of release as far as its text says one; nil when it says none.
  public var releaseDay: PartialDate? { releaseDate.flatMap(PartialDate.init) }
}
