import Freshet
import FreshetStore

/// The guidances of a store on this machine.
///
/// Students and guidances are records of their own, joined when they are read. Every write is
/// checked against the state it was planned on, so that two processes never give one number twice
/// and never overwrite each other.
public struct LocalGuidance: GuidanceService {
  private let manager: DatabaseManager

  /// Makes the service over a store; nothing is read or written yet.
  public init(manager: DatabaseManager) {
    self.manager = manager
  }

  /// The school at the moment of subscription.
  public func school() -> Single<School, GuidanceError> {
    manager.observe(School.query, from: .snapshot)
      .map { School($0.rows) }
      .mapFailure { GuidanceError($0) }
      .single
  }

  /// All students, by number.
  public func students() -> Single<[Student], GuidanceError> {
    school().map { $0.students }.single
  }

  /// Adds students, or replaces what is known of them, as one commit.
  ///
  /// The single answers one outcome per student.
  public func save(_ students: [Student]) -> Single<[Outcome], GuidanceError> {
    manager.apply(
      students.map { student in
        .save(
          id: "\(School.studentPrefix)\(student.id)",
          body: JSONValue.object(student.object).jsonBytes)
      }
    ).map { $0.outcomes }.mapFailure { GuidanceError($0) }.single
  }

  /// See ``GuidanceService``.
  public func student(id: Int64) -> Single<Student, GuidanceError> {
    answer { school throws(GuidanceError) in
      guard let student = school.student(id: id) else { throw .noStudent(id) }
      return student
    }
  }

  /// See ``GuidanceService``.
  public func classes() -> Single<[ClassCount], GuidanceError> {
    school().map { $0.classes }.single
  }

  /// See ``GuidanceService``.
  public func guidances() -> Single<[Guidance], GuidanceError> {
    school().map { $0.open }.single
  }

  /// See ``GuidanceService``.
  public func register(_ draft: GuidanceDraft) -> Single<Guidance, GuidanceError> {
    write { school throws(GuidanceError) in try school.register(draft) }
      .flatMap { id in
        answer { school throws(GuidanceError) in
          guard let guidance = school.guidance(id: id) else { throw .noGuidance(id) }
          return guidance
        }
      }.single
  }

  /// See ``GuidanceService``.
  public func delete(id: Int64) -> Single<[Guidance], GuidanceError> {
    listAfter { school throws(GuidanceError) in try school.delete(id: id) }
  }

  /// See ``GuidanceService``.
  public func restore(id: Int64) -> Single<[Guidance], GuidanceError> {
    listAfter { school throws(GuidanceError) in try school.restore(id: id) }
  }

  /// See ``GuidanceService``.
  public func complete(id: Int64) -> Single<[Guidance], GuidanceError> {
    listAfter { school throws(GuidanceError) in try school.complete(id: id) }
  }

  /// See ``GuidanceService``.
  public func delay(id: Int64, to date: CalendarDay) -> Single<[Guidance], GuidanceError> {
    listAfter { school throws(GuidanceError) in try school.delay(id: id, to: date) }
  }

  // MARK: Pieces

  private func answer<Value: Sendable>(
    _ read: @escaping @Sendable (School) throws(GuidanceError) -> Value
  ) -> Single<Value, GuidanceError> {
    school().tryMap { school throws(GuidanceError) in try read(school) }.single
  }

  private func listAfter(
    _ plan: @escaping @Sendable (School) throws(GuidanceError) -> School.Plan
  ) -> Single<[Guidance], GuidanceError> {
    write(plan).flatMap { _ in guidances() }.single
  }

  /// How often a write is planned again because somebody else was faster each time.
  private static let attempts = 16

  /// Writes what is planned, and plans again when somebody else was faster.
  private func write(
    attempt: Int = 1,
    _ plan: @escaping @Sendable (School) throws(GuidanceError) -> School.Plan
  ) -> Single<Int64, GuidanceError> {
    answer(plan).flatMap { planned in
      manager.apply([
        .expect(id: planned.recordID, planned.replaces.map { .revision($0) } ?? .absent),
        .save(id: planned.recordID, body: planned.body),
      ])
      .mapFailure { GuidanceError($0) }
      .flatMap { receipt -> Single<Int64, GuidanceError> in
        if !receipt.isConflict { return .just(planned.id) }
        if attempt < Self.attempts { return write(attempt: attempt + 1, plan) }
        return .fail(
          GuidanceError(
            .conflict, "others changed guidance \(planned.id) again and again; try once more",
            isRetryable: true))
      }
    }.single
  }
}
