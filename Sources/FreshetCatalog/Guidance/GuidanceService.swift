import Freshet
import FreshetStore

/// Who is guided and why: a guidance that is not registered yet.
public struct GuidanceDraft: Sendable, Hashable {
  /// The student's number.
  public let studentID: Int64
  /// The reason, complete with its detail.
  public let reason: GuidanceReason

  /// Makes a draft.
  public init(studentID: Int64, reason: GuidanceReason) {
    self.studentID = studentID
    self.reason = reason
  }
}

/// The school's guidances, on a server or in a store.
///
/// Everything is lazy: each subscription asks once and is answered once. Failures are
/// ``GuidanceError``; after one nothing was written. Lists hold the open guidances, VALID or
/// DELAYED, whose student is known, by ascending number.
public protocol GuidanceService: Sendable {
  /// One student.
  ///
  /// Fails with `unknown_student`.
  func student(id: Int64) -> Single<Student, GuidanceError>

  /// How many students each class has: grade, class, number of students.
  func classes() -> Single<[ClassCount], GuidanceError>

  /// The open guidances.
  func guidances() -> Single<[Guidance], GuidanceError>

  /// Registers a guidance and answers with the record as it was kept.
  ///
  /// Fails with `unknown_student`, `invalid_reason`, `detail_required`, `detail_too_long`,
  /// `detail_not_allowed`.
  func register(_ draft: GuidanceDraft) -> Single<Guidance, GuidanceError>

  /// Deletes an open guidance and answers with the open ones.
  ///
  /// Fails with `not_found`, also for one that is deleted or complete.
  func delete(id: Int64) -> Single<[Guidance], GuidanceError>

  /// Brings a deleted guidance back as it was and answers with the open ones.
  ///
  /// Fails with `not_found`, `wrong_status` for one that is not deleted, and with `not_supported`
  /// where there is no way to do it.
  func restore(id: Int64) -> Single<[Guidance], GuidanceError>

  /// Marks an open guidance as held and answers with the open ones.
  ///
  /// Fails with `not_found`.
  func complete(id: Int64) -> Single<[Guidance], GuidanceError>

  /// Puts an open guidance off to a day and answers with the open ones.
  ///
  /// Fails with `not_found`.
  func delay(id: Int64, to date: CalendarDay) -> Single<[Guidance], GuidanceError>
}

/// How many students a class has.
public struct ClassCount: Sendable, Hashable {
  /// The grade.
  public let grade: Int
  /// The class within the grade.
  public let classNumber: Int
  /// How many students.
  public let students: Int

  /// Makes a count.
  public init(grade: Int, classNumber: Int, students: Int) {
    self.grade = grade
    self.classNumber = classNumber
    self.students = students
  }
}
