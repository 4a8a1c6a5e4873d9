import FreshetCatalog
import FreshetStore

/// Why a screen could not do what was asked, whatever part of the program said so.
public struct ScreenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, by the stable name that stands in events.
  public let code: String
  /// What happened and what to do next, for people.
  public let message: String
  /// Whether trying again may help.
  public let isRetryable: Bool

  /// Makes an error.
  public init(code: String, message: String, isRetryable: Bool = false) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
  }

  /// A store's error as a screen shows it.
  public init(_ error: StoreError) {
    self.init(
      code: error.code.name, message: error.message,
      isRetryable: [.locked, .diskFull].contains(error.code))
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }

  /// The error as it stands in events.
  public var summary: JSONObject {
    [
      "code": .string(code), "message": .string(message), "retryable": .bool(isRetryable),
    ]
  }
}
