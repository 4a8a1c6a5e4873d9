import FreshetStore

/// The students and guidances of a store at one commit, and what may be done to them.
///
/// A value: it plans what is to be written and never writes. Records that cannot be read are left
/// out, named, and stay in the store.
public struct School: Sendable {
  /// Where students are kept.
  static let studentPrefix = "student:"
  /// Where guidances are kept.
  static let guidancePrefix = "guidance:"
  /// The records a school is made of.
  public static let query = Query.ids(startingWithAny: [studentPrefix, guidancePrefix])

  /// All students, by number.
  public let students: [Student]
  /// The open guidances whose student is known, by number.
  public let open: [Guidance]
  /// The ids of records that could not be read.
  public let unreadable: [String]
  private let byNumber: [Int64: Student]
  private let stored: [Int64: StoredGuidance]
  private let lastID: Int64

  /// Reads a school from the records of a list.
  ///
  /// - Complexity: O(n log n).
  public init(_ records: some Collection<Record>) {
    var students: [Int64: Student] = [:]
    var stored: [Int64: StoredGuidance] = [:]
    var unreadable: [String] = []
    for record in records {
      do {
        guard let object = try JSONValue(parsing: record.body).objectValue else { continue }
        if record.id.hasPrefix(Self.studentPrefix) {
          let student = try Student(object)
          students[student.id] = student
        } else {
          let guidance = try StoredGuidance(object, record)
          stored[guidance.id] = guidance
        }
      } catch {
        unreadable.append(record.id)
      }
    }
    // A number that was given once is never given again, whatever became of its guidance.
    let numbers = records.compactMap { record in
      record.id.hasPrefix(Self.guidancePrefix)
        ? Int64(record.id.dropFirst(Self.guidancePrefix.count)) : nil
    }
    self.init(students, stored, unreadable, lastID: max(numbers.max() ?? 0, stored.keys.max() ?? 0))
  }

  private init(
    _ students: [Int64: Student], _ stored: [Int64: StoredGuidance], _ unreadable: [String],
    lastID: Int64
  ) {
    byNumber = students
    self.students = students.values.sorted { $0.id < $1.id }
    self.stored = stored
    self.unreadable = unreadable
    self.lastID = lastID
    open = stored.values.sorted { $0.id < $1.id }.compactMap { guidance in
      guidance.status.isOpen ? students[guidance.studentID].map(guidance.joined) : nil
    }
  }

  /// One student, nil when there is none of this number; O(1).
  public func student(id: Int64) -> Student? { byNumber[id] }

  /// How many students each class has, by grade and class.
  public var classes: [ClassCount] {
    let groups = Dictionary(grouping: students) { [$0.grade, $0.classNumber] }
    return groups.map { ClassCount(grade: $0[0], classNumber: $0[1], students: $1.count) }
      .sorted { ($0.grade, $0.classNumber) < ($1.grade, $1.classNumber) }
  }

  /// One guidance whatever became of it, nil when there is none or its student is gone.
  public func guidance(id: Int64) -> Guidance? {
    guard let guidance = stored[id] else { return nil }
    return byNumber[guidance.studentID].map(guidance.joined)
  }

  // MARK: Planning

  /// What is to be written, and on what condition.
  struct Plan: Sendable {
    let id: Int64
    let guidance: StoredGuidance
    let recordID: String
    let body: [UInt8]
    /// The commit that must have been the last to write the record; nil when there must be none.
    let replaces: Int64?
  }

  func register(_ draft: GuidanceDraft) throws(GuidanceError) -> Plan {
    guard byNumber[draft.studentID] != nil else { throw .noStudent(draft.studentID) }
    if case .unlisted(let title) = draft.reason {
      _ = try GuidanceReason(chosen: title, detail: nil)
    }
    let reason = try draft.reason.with(detail: draft.reason.detail)
    let guidance = StoredGuidance(id: lastID + 1, studentID: draft.studentID, reason: reason)
    return plan(guidance, replaces: nil)
  }

  func delete(id: Int64) throws(GuidanceError) -> Plan {
    var guidance = try openOne(id)
    guidance.statusBefore = guidance.status
    guidance.status = .deleted
    return plan(guidance, replaces: guidance.revision)
  }

  func restore(id: Int64) throws(GuidanceError) -> Plan {
    guard var guidance = stored[id] else {
      throw GuidanceError(
        .notFound, "there is no guidance \(id), open or deleted, to restore; look at its number")
    }
    guard guidance.status == .deleted else {
      throw GuidanceError(
        .wrongStatus,
        "guidance \(id) is \(guidance.status.name) and not deleted: there is nothing to restore")
    }
    guidance.status = guidance.statusBefore ?? .valid
    guidance.statusBefore = nil
    return plan(guidance, replaces: guidance.revision)
  }

  func complete(id: Int64) throws(GuidanceError) -> Plan {
    var guidance = try openOne(id)
    guidance.status = .complete
    return plan(guidance, replaces: guidance.revision)
  }

  func delay(id: Int64, to date: CalendarDay) throws(GuidanceError) -> Plan {
    var guidance = try openOne(id)
    guidance.status = .delayed
    guidance.date = date
    return plan(guidance, replaces: guidance.revision)
  }

  /// The school when a plan was carried out; O(n log n).
  func after(_ plan: Plan) -> School {
    var stored = stored
    stored[plan.id] = plan.guidance
    return School(byNumber, stored, unreadable, lastID: max(lastID, plan.id))
  }

  private func openOne(_ id: Int64) throws(GuidanceError) -> StoredGuidance {
    guard let guidance = stored[id], guidance.status.isOpen else { throw .noGuidance(id) }
    return guidance
  }

  private func plan(_ guidance: StoredGuidance, replaces: Int64?) -> Plan {
    Plan(
      id: guidance.id, guidance: guidance, recordID: "\(Self.guidancePrefix)\(guidance.id)",
      body: JSONValue.object(guidance.object).jsonBytes, replaces: replaces)
  }
}

extension GuidanceError {
  static func noStudent(_ id: Int64) -> GuidanceError {
    GuidanceError(.unknownStudent, "there is no student \(id)")
  }

  static func noGuidance(_ id: Int64) -> GuidanceError {
    GuidanceError(.notFound, "there is no open guidance \(id); the list says which there are")
  }
}

/// A guidance as it is kept: with its student's number in place of the student.
struct StoredGuidance: Sendable {
  let id: Int64
  let studentID: Int64
  var reason: GuidanceReason
  var status = GuidanceStatus.valid
  /// What a deleted one was before.
  var statusBefore: GuidanceStatus?
  var date: CalendarDay?
  /// What came with it that we do not know.
  var extra = JSONObject()
  /// The commit that last wrote it.
  var revision: Int64?

  init(id: Int64, studentID: Int64, reason: GuidanceReason) {
    self.id = id
    self.studentID = studentID
    self.reason = reason
  }

  private static let keys = [
    "guidanceID", "studentID", "reason", "detail", "status", "statusBefore", "date",
  ]

  init(_ object: JSONObject, _ record: Record) throws(GuidanceError) {
    id = try object.positive("guidanceID")
    studentID = try object.positive("studentID")
    let detail = try object.optionalText("detail")
    reason = GuidanceReason(sent: try object.requiredText("reason"), detail: detail)
    status = try object.optionalText("status").map { GuidanceStatus(sent: $0) } ?? .valid
    statusBefore = try object.optionalText("statusBefore").map { GuidanceStatus(sent: $0) }
    let dateText = try object.optionalText("date")
    date = dateText.flatMap { CalendarDay($0) }
    extra = object.without(Self.keys)
    if detail != nil, reason.detail == nil { extra["detail"] = object["detail"] }
    if let dateText, date == nil { extra["date"] = .string(dateText) }
    revision = record.revision
  }

  var object: JSONObject {
    var object: JSONObject = [
      "guidanceID": .number(JSONNumber(id)), "studentID": .number(JSONNumber(studentID)),
      "reason": .string(reason.title), "status": .string(status.name),
    ]
    if let detail = reason.detail { object["detail"] = .string(detail) }
    if let statusBefore { object["statusBefore"] = .string(statusBefore.name) }
    if let date { object["date"] = .string(date.text) }
    for member in extra.members { object[member.key] = member.value }
    return object
  }

  func joined(with student: Student) -> Guidance {
    Guidance(
      id: id, student: student, reason: reason, status: status, date: date, extra: extra)
  }
}
