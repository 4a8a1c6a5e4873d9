import FreshetCatalog
import FreshetStore

/// How much of a long text is shown.
public enum TextFold: String, Sendable, Hashable, CaseIterable, ScreenPhase {
  /// The text is short: it is shown whole, and there is no button.
  case short
  /// The beginning is shown, and a button for the rest.
  case folded
  /// The text is shown whole, and a button to fold it.
  case expanded

  /// From how many grapheme clusters on a text can be folded; also how many a folded text shows.
  ///
  /// At exactly this many the button is there.
  public static let limit = 450

  /// How a text is shown of which is stored whether it is folded.
  ///
  /// A stored fold never hides a part of a text that is short.
  public init(of text: String, isFolded: Bool) {
    let canFold = text.index(text.startIndex, offsetBy: Self.limit, limitedBy: text.endIndex) != nil
    self = canFold ? (isFolded ? .folded : .expanded) : .short
  }

  /// The phase's stable name.
  public var name: String { rawValue }

  /// The button's title, nil when there is no button.
  public var button: String? {
    switch self {
    case .short: nil
    case .folded: "더보기"
    case .expanded: "접기"
    }
  }

  /// What is shown of a text: all of it, or its first ``limit`` grapheme clusters and `...`.
  ///
  /// The cut may be in white space or within a word, and never within a cluster. O(limit).
  public func shown(of text: String) -> String {
    self == .folded ? text.prefix(Self.limit) + "..." : text
  }

  /// The text as it stands in events.
  public func summary(of text: String) -> JSONObject {
    [
      "fold": .string(name), "text": .string(shown(of: text)), "button": JSONValue(text: button),
      "characters": JSONValue(text.count),
    ]
  }
}
