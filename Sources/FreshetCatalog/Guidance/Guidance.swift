import FreshetStore

/// Where a guidance is in its life.
///
///     VALID ──delay──▶ DELAYED ──complete──▶ COMPLETE
///       └──complete──▶ COMPLETE
///     VALID, DELAYED ──delete──▶ DELETE ──restore──▶ what it was
public enum GuidanceStatus: Sendable, Hashable {
  /// To be held.
  case valid
  /// Put off to a date.
  case delayed
  /// Held.
  case complete
  /// Taken back.
  case deleted
  /// One that a newer server knows.
  case unlisted(String)

  /// How servers write it.
  public var name: String {
    switch self {
    case .valid: "VALID"
    case .delayed: "DELAYED"
    case .complete: "COMPLETE"
    case .deleted: "DELETE"
    case .unlisted(let name): name
    }
  }

  /// Reads what a server sent.
  public init(sent name: String) {
    switch name {
    case "VALID": self = .valid
    case "DELAYED": self = .delayed
    case "COMPLETE": self = .complete
    case "DELETE": self = .deleted
    default: self = .unlisted(name)
    }
  }

  /// Whether lists show it.
  public var isOpen: Bool { self == .valid || self == .delayed }
}

/// One guidance of a student.
public struct Guidance: Sendable, Hashable {
  /// Its number; never given twice.
  public let id: Int64
  /// Who is guided.
  public var student: Student
  /// Why.
  public var reason: GuidanceReason
  /// Where it is in its life.
  public var status: GuidanceStatus
  /// The day it was put off to.
  public var date: CalendarDay?
  /// What came with it that we do not know.
  public var extra: JSONObject

  /// Makes a guidance.
  public init(
    id: Int64, student: Student, reason: GuidanceReason, status: GuidanceStatus = .valid,
    date: CalendarDay? = nil, extra: JSONObject = JSONObject()
  ) {
    self.id = id
    self.student = student
    self.reason = reason
    self.status = status
    self.date = date
    self.extra = extra
  }

  /// Reads a joined record: the guidance's fields and its student's in one object.
  ///
  /// - Throws: ``GuidanceError`` with code `bad_response`, naming the field.
  public init(joined object: JSONObject) throws(GuidanceError) {
    var student = object
    student["id"] = object["studentID"]
    let detail = try object.optionalText("detail")
    let reason = GuidanceReason(sent: try object.requiredText("reason"), detail: detail)
    var extra = object.without(Self.keys + Student.keys)
    // A detail that its reason does not have is kept as it came, and not shown.
    if detail != nil, reason.detail == nil { extra["detail"] = object["detail"] }
    let date = try object.optionalText("date")
    let day = date.flatMap { CalendarDay($0) }
    if let date, day == nil { extra["date"] = .string(date) }
    self.init(
      id: try object.positive("guidanceID"),
      student: Student(
        id: try student.positive("id"), grade: Int(try object.positive("grade")),
        classNumber: Int(try object.positive("classNumber")),
        number: Int(try object.positive("number")), name: try object.requiredText("name"),
        profileImageURL: try object.imageAddress()),
      reason: reason,
      status: try object.optionalText("status").map { GuidanceStatus(sent: $0) } ?? .valid,
      date: day, extra: extra)
  }

  private static let keys = [
    "studentID", "guidanceID", "reason", "detail", "status", "date",
  ]

  /// The joined record, as a server tells it; a detail that is none is null.
  public var joined: JSONObject {
    var object: JSONObject = [
      "studentID": .number(JSONNumber(student.id)),
      "grade": .number(JSONNumber(Int64(student.grade))),
      "classNumber": .number(JSONNumber(Int64(student.classNumber))),
      "number": .number(JSONNumber(Int64(student.number))), "name": .string(student.name),
      "profileImageURL": student.profileImageURL.map { .string($0) } ?? .null,
      "guidanceID": .number(JSONNumber(id)), "reason": .string(reason.title),
      "detail": reason.detail.map { .string($0) } ?? .null, "status": .string(status.name),
    ]
    if let date { object["date"] = .string(date.text) }
    for member in extra.members { object[member.key] = member.value }
    return object
  }

  /// Student and reason, as a screen shows them, one below the other.
  public var message: String { student.line + "\n" + reason.line }

  /// Reads a guidance's number as it stands in an address: `^[1-9][0-9]*$` and nothing else.
  ///
  /// - Throws: ``GuidanceError`` with code `invalid_guidance_id`.
  public static func id(_ text: String) throws(GuidanceError) -> Int64 {
    guard let id = StrictNumber.positive(text) else {
      throw GuidanceError(
        .invalidGuidanceID,
        "a guidance's number is a whole number from 1, such as 3, not “\(text.prefix(40))”")
    }
    return id
  }
}

/// A day of the Gregorian calendar, written `YYYY-MM-DD`.
public struct CalendarDay: Sendable, Hashable, Comparable {
  /// The text.
  public let text: String

  /// Reads a day; nil for any other text, and for a day that is in no calendar.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
      let day = Self.number(bytes[8..<10]), (1...12).contains(month), day >= 1,
      day <= Self.days(month, year)
    else { return nil }
    self.text = text
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func days(_ month: Int, _ year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Earlier days come first.
  public static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.text < right.text }
}
