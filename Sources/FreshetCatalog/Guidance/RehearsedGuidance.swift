import Freshet
import Synchronization

/// The guidances of a store as changes would leave them that are never made.
///
/// Each change is checked against what those before it would have left, and kept in memory alone. The
/// store is read when the first one comes; what others commit after that is not seen.
package final class RehearsedGuidance: GuidanceService {
  private let local: LocalGuidance
  private let kept = Mutex<School?>(nil)

  /// Makes the service over the guidances of a store; nothing is read yet.
  package init(_ local: LocalGuidance) { self.local = local }

  package func student(id: Int64) -> Single<Student, GuidanceError> {
    with { school throws(GuidanceError) in
      guard let student = school.student(id: id) else { throw .noStudent(id) }
      return student
    }
  }

  package func classes() -> Single<[ClassCount], GuidanceError> {
    with { school throws(GuidanceError) in school.classes }
  }

  package func guidances() -> Single<[Guidance], GuidanceError> {
    with { school throws(GuidanceError) in school.open }
  }

  package func register(_ draft: GuidanceDraft) -> Single<Guidance, GuidanceError> {
    with { school throws(GuidanceError) in
      let plan = try school.register(draft)
      school = school.after(plan)
      guard let guidance = school.guidance(id: plan.id) else { throw .noGuidance(plan.id) }
      return guidance
    }
  }

  package func delete(id: Int64) -> Single<[Guidance], GuidanceError> {
    list { school throws(GuidanceError) in try school.delete(id: id) }
  }

  package func restore(id: Int64) -> Single<[Guidance], GuidanceError> {
    list { school throws(GuidanceError) in try school.restore(id: id) }
  }

  package func complete(id: Int64) -> Single<[Guidance], GuidanceError> {
    list { school throws(GuidanceError) in try school.complete(id: id) }
  }

  package func delay(id: Int64, to date: CalendarDay) -> Single<[Guidance], GuidanceError> {
    list { school throws(GuidanceError) in try school.delay(id: id, to: date) }
  }

  // MARK: Pieces

  private func list(
    after plan: @escaping @Sendable (School) throws(GuidanceError) -> School.Plan
  ) -> Single<[Guidance], GuidanceError> {
    with { school throws(GuidanceError) in
      school = school.after(try plan(school))
      return school.open
    }
  }

  private func with<Value: Sendable>(
    _ work: @escaping @Sendable (inout School) throws(GuidanceError) -> Value
  ) -> Single<Value, GuidanceError> {
    present().tryMap { [self] read throws(GuidanceError) in
      try kept.withLock { kept throws(GuidanceError) -> Value in
        var school = kept ?? read
        let value = try work(&school)
        kept = school
        return value
      }
    }.single
  }

  private func present() -> Single<School, GuidanceError> {
    Single { [self] resolver in
      if let school = kept.withLock({ $0 }) {
        resolver.succeed(school)
        return nil
      }
      return local.school().subscribe(
        onValue: { resolver.succeed($0) },
        onEnd: { end in if case .failed(let error) = end { resolver.fail(error) } })
    }
  }
}
