/// Moments as RFC 3339 text: UTC, `Z`, always six decimals.
enum Timestamp {
  /// Appends a moment given in microseconds since 1970.
  ///
  /// O(1).
  static func append(_ microseconds: Int64, to bytes: inout [UInt8]) {
    let (second, fraction) = floorDivide(microseconds, 1_000_000)
    let (day, secondOfDay) = floorDivide(second, 86_400)
    let date = civil(day)
    Digits.append(date.year, width: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Digits.append(date.month, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Digits.append(date.day, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    Digits.append(secondOfDay / 3600, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Digits.append(secondOfDay / 60 % 60, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Digits.append(secondOfDay % 60, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    Digits.append(fraction, width: 6, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// A moment in microseconds since 1970 as text.
  static func text(_ microseconds: Int64) -> String {
    var bytes: [UInt8] = []
    append(microseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func floorDivide(_ value: Int64, _ by: Int64) -> (Int64, Int64) {
    let remainder = (value % by + by) % by
    return ((value - remainder) / by, remainder)
  }

  /// The Gregorian date of a day counted from 1970-01-01, by counting in eras of 400 years that
  /// begin on the first of March, so that the leap day comes last.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let (era, dayOfEra) = floorDivide(shifted, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }
}
