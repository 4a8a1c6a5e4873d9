import FreshetStore

/// A student of a school.
public struct Student: Sendable, Hashable {
  /// The student's number: year, grade, class and number, as in 202131101.
  public let id: Int64
  /// The grade.
  public var grade: Int
  /// The class within the grade.
  public var classNumber: Int
  /// The number within the class.
  public var number: Int
  /// The name.
  public var name: String
  /// Where the picture is.
  public var profileImageURL: String?
  /// What came with the student that we do not know.
  public var extra: JSONObject

  /// Makes a student.
  public init(
    id: Int64, grade: Int, classNumber: Int, number: Int, name: String,
    profileImageURL: String? = nil, extra: JSONObject = JSONObject()
  ) {
    self.id = id
    self.grade = grade
    self.classNumber = classNumber
    self.number = number
    self.name = name
    self.profileImageURL = profileImageURL
    self.extra = extra
  }

  /// Reads a student from a document; the picture's address in either spelling of its key.
  ///
  /// - Throws: ``GuidanceError`` with code `bad_response`, naming the field.
  public init(_ object: JSONObject) throws(GuidanceError) {
    self.init(
      id: try object.positive("id"), grade: Int(try object.positive("grade")),
      classNumber: Int(try object.positive("classNumber")),
      number: Int(try object.positive("number")), name: try object.requiredText("name"),
      profileImageURL: try object.imageAddress(), extra: object.without(Self.keys))
  }

  static let keys = [
    "id", "grade", "classNumber", "number", "name", "profileImageURL", "profileURLImage",
  ]

  /// The student as a document, with what we do not know behind what we do.
  public var object: JSONObject {
    var object: JSONObject = [
      "id": .number(JSONNumber(id)), "grade": .number(JSONNumber(Int64(grade))),
      "classNumber": .number(JSONNumber(Int64(classNumber))),
      "number": .number(JSONNumber(Int64(number))), "name": .string(name),
    ]
    if let profileImageURL { object["profileImageURL"] = .string(profileImageURL) }
    for member in extra.members { object[member.key] = member.value }
    return object
  }

  /// Grade, class, number and name, as a screen shows them.
  public var line: String { "\(grade)학년 \(classNumber)반 \(number)번 \(name)" }

  /// Reads a student's number as people and servers write it: decimal digits without sign or
  /// leading zero.
  ///
  /// - Throws: ``GuidanceError`` with code `invalid_student_id`.
  public static func id(_ text: String) throws(GuidanceError) -> Int64 {
    guard let id = StrictNumber.positive(text) else {
      throw GuidanceError(
        .invalidStudentID,
        "a student's number is a whole number from 1, such as 202131101, not “\(text.prefix(40))”")
    }
    return id
  }
}

/// Numbers as ids are written: digits, no sign, no leading zero, nothing before or after.
enum StrictNumber {
  static func positive(_ text: String) -> Int64? {
    guard let first = text.utf8.first, first != UInt8(ascii: "0"),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
  }
}

extension JSONObject {
  /// A positive whole number, also written as a text of digits.
  func positive(_ key: String) throws(GuidanceError) -> Int64 {
    guard let value = self[key], !value.isNull else {
      throw .badResponse("field \(key) is missing")
    }
    let number = value.numberValue?.int64 ?? value.stringValue.flatMap(StrictNumber.positive)
    guard let number, number > 0 else {
      throw .badResponse("field \(key) must be a positive whole number, found \(value.kindName)")
    }
    return number
  }

  func requiredText(_ key: String) throws(GuidanceError) -> String {
    guard let text = try optionalText(key) else { throw .badResponse("field \(key) is missing") }
    return text
  }

  /// A text, nil when it is absent or null.
  func optionalText(_ key: String) throws(GuidanceError) -> String? {
    guard let value = self[key], !value.isNull else { return nil }
    guard let text = value.stringValue else {
      throw .badResponse("field \(key) must be a string, found \(value.kindName)")
    }
    return text
  }

  /// The picture's address: servers write `profileImageURL`, the first client read
  /// `profileURLImage`.
  func imageAddress() throws(GuidanceError) -> String? {
    let newer = try optionalText("profileImageURL")
    let older = try optionalText("profileURLImage")
    return (newer ?? older).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The members whose keys are not among these.
  func without(_ keys: [String]) -> JSONObject {
    var rest = JSONObject()
    for member in members where !keys.contains(member.key) { rest[member.key] = member.value }
    return rest
  }
}
