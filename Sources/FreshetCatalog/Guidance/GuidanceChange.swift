import Freshet

/// Something that is done to guidances, as a value.
public enum GuidanceChange: Sendable, Hashable {
  /// One is registered.
  case register(GuidanceDraft)
  /// An open one is deleted.
  case delete(id: Int64)
  /// A deleted one comes back.
  case restore(id: Int64)
  /// An open one was held.
  case complete(id: Int64)
  /// An open one is put off.
  case delay(id: Int64, CalendarDay)

  /// The guidance's number; nil for one that is not registered yet.
  public var id: Int64? {
    switch self {
    case .register: nil
    case .delete(let id), .restore(let id), .complete(let id), .delay(let id, _): id
    }
  }
}

extension LocalGuidance {
  /// Checks a change against the store as it is, and writes nothing.
  ///
  /// The single answers when the change would be made, and fails with what would be in its way.
  public func check(_ change: GuidanceChange) -> Single<Void, GuidanceError> {
    school().tryMap { school throws(GuidanceError) in
      switch change {
      case .register(let draft): _ = try school.register(draft)
      case .delete(let id): _ = try school.delete(id: id)
      case .restore(let id): _ = try school.restore(id: id)
      case .complete(let id): _ = try school.complete(id: id)
      case .delay(let id, let date): _ = try school.delay(id: id, to: date)
      }
    }.single
  }
}
