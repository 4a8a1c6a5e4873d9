/// Moments as RFC 3339 text: UTC, `Z`, always six decimals.
enum Timestamp {
  /// How many characters it has.
  static let count = 27

  /// Appends a moment given in microseconds since 1970, for which there must be room; O(1).
  ///
  /// Of a year that has more than four digits, or is before the first, the last four are written.
  @inline(__always)
  static func append(_ microseconds: Int64, to room: inout OutputSpan<UInt8>) {
    let (second, fraction) = floorDivide(microseconds, 1_000_000)
    let (day, secondOfDay) = floorDivide(second, 86_400)
    let date = civil(day)
    append(date.year, width: 4, "-", to: &room)
    append(date.month, width: 2, "-", to: &room)
    append(date.day, width: 2, "T", to: &room)
    append(secondOfDay / 3600, width: 2, ":", to: &room)
    append(secondOfDay / 60 % 60, width: 2, ":", to: &room)
    append(secondOfDay % 60, width: 2, ".", to: &room)
    append(fraction, width: 6, "Z", to: &room)
  }

  @inline(__always)
  private static func append(
    _ value: Int64, width: Int, _ after: Unicode.Scalar, to room: inout OutputSpan<UInt8>
  ) {
    Digits.append(value.magnitude, width: width, to: &room)
    room.append(UInt8(truncatingIfNeeded: after.value))
  }

  /// A moment in microseconds since 1970 as text.
  static func text(_ microseconds: Int64) -> String {
    let bytes = [UInt8](capacity: count) { append(microseconds, to: &$0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @inline(__always)
  private static func floorDivide(_ value: Int64, _ by: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
    return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
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
