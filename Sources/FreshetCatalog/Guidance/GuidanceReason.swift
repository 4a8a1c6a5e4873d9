/// Why a student needs guidance.
public enum GuidanceReason: Sendable, Hashable, CaseIterable {
  /// Clothes against the rules.
  case wrongClothes
  /// No indoor shoes.
  case noShoes
  /// Crossing the street outside the crossing.
  case trespassing
  /// Anything else; the only reason that has a detail.
  case others(detail: String?)
  /// A reason that a newer server knows, shown as it is written.
  ///
  /// Nobody can register it.
  case unlisted(String)

  /// The reasons one can choose, `others` last.
  public static var allCases: [GuidanceReason] {
    [.wrongClothes, .noShoes, .trespassing, .others(detail: nil)]
  }

  /// How servers and screens write it.
  public var title: String {
    switch self {
    case .wrongClothes: "복장 불량"
    case .noShoes: "실내화 없음"
    case .trespassing: "무단횡단"
    case .others: "기타"
    case .unlisted(let title): title
    }
  }

  /// The detail, for `others` alone.
  public var detail: String? {
    if case .others(let detail) = self { detail } else { nil }
  }

  /// Title and detail, as a screen shows them: `기타(뛰어다님)`.
  public var line: String { detail.map { "\(title)(\($0))" } ?? title }

  /// The name by which the command line knows it; nil for an unlisted one.
  public var name: String? {
    switch self {
    case .wrongClothes: "clothes"
    case .noShoes: "shoes"
    case .trespassing: "crossing"
    case .others: "other"
    case .unlisted: nil
    }
  }

  /// Reads what a server sent.
  ///
  /// It is taken as it is: an empty detail is none, a detail of another reason is not shown, a
  /// reason nobody knows is `unlisted`.
  public init(sent title: String, detail: String?) {
    switch title {
    case "복장 불량": self = .wrongClothes
    case "실내화 없음": self = .noShoes
    case "무단횡단": self = .trespassing
    case "기타": self = .others(detail: detail.flatMap { $0.isBlank ? nil : $0 })
    default: self = .unlisted(title)
    }
  }

  /// Reads what somebody wants to register: a title or a name, and a detail for 기타 alone.
  ///
  /// - Throws: ``GuidanceError`` with code `invalid_reason`, `detail_required`,
  ///   `detail_too_long` or `detail_not_allowed`.
  public init(chosen text: String, detail: String?) throws(GuidanceError) {
    guard let reason = Self.allCases.first(where: { $0.title == text || $0.name == text }) else {
      let known = Self.allCases.map { "\($0.title) (\($0.name ?? ""))" }.joined(separator: ", ")
      throw GuidanceError(
        .invalidReason, "there is no reason “\(text.prefix(40))”; there are \(known)")
    }
    self = try reason.with(detail: detail)
  }

  /// How many bytes of UTF-8 a detail may have that is registered.
  public static let detailLimitBytes = 4096

  /// The reason with a detail, as far as it may have one.
  ///
  /// - Throws: ``GuidanceError`` with code `detail_required`, `detail_too_long` or
  ///   `detail_not_allowed`.
  public func with(detail: String?) throws(GuidanceError) -> GuidanceReason {
    guard case .others = self else {
      if let detail, !detail.isBlank {
        throw GuidanceError(
          .detailNotAllowed, "only 기타 has a detail, not \(title); leave the detail out")
      }
      return self
    }
    guard let detail, !detail.isBlank else {
      throw GuidanceError(.detailRequired, "기타 needs a detail: say what it is")
    }
    guard detail.utf8.count <= Self.detailLimitBytes else {
      throw GuidanceError(
        .detailTooLong,
        "the detail has \(detail.utf8.count) bytes, more than \(Self.detailLimitBytes); shorten it"
      )
    }
    return .others(detail: detail)
  }
}

extension String {
  /// Whether there is nothing but white space.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
