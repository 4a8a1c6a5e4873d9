/// The value of a `Retry-After` header: seconds, or a date.
enum RetryAfter {
  /// How long to wait; nil when the value says nothing.
  ///
  /// - Parameter now: Seconds since 1970, for dates. One that has passed means no wait.
  static func parse(_ text: String, now: Int64) -> Duration? {
    let text = text.drop { $0 == " " }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Int64(text).map { .seconds(min($0, 100_000_000)) }
    }
    return secondsSince1970(ofDate: text).map { .seconds(max(0, $0 - now)) }
  }

  /// A date in any of the three forms of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
  static func secondsSince1970(ofDate text: Substring) -> Int64? {
    let words = text.split { $0 == " " || $0 == "-" || $0 == "," }
    guard words.count >= 5 else { return nil }
    let isOld = Int(words[1]) == nil  // The form of C's asctime.
    guard let day = Int64(words[isOld ? 2 : 1]), let month = month(words[isOld ? 1 : 2]),
      var year = Int64(words[isOld ? 4 : 3]),
      let time = timeOfDay(words[isOld ? 3 : 4]), (1...31).contains(day)
    else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    guard (1970...9999).contains(year) else { return nil }
    return days(year, month, day) * 86_400 + time
  }

  private static func month(_ name: Substring) -> Int64? {
    let names = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return names.firstIndex(of: String(name)).map { Int64($0) + 1 }
  }

  private static func timeOfDay(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ":").compactMap { Int64($0) }
    guard parts.count == 3, (0...23).contains(parts[0]), (0...59).contains(parts[1]),
      (0...60).contains(parts[2])
    else { return nil }
    return parts[0] * 3600 + parts[1] * 60 + parts[2]
  }

  /// Days from 1970-01-01, counted in eras of 400 years that begin in March.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let yearOfEra = shifted - era * 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
