import FreshetStore

/// How deep a record may nest.
///
/// Readers give up somewhere: jq 1.6 at 256 arrays or 128 objects in each other. An event wraps
/// the record in two more levels.
enum RecordDepth {
  /// The deepest record that is taken: the record itself is the first level.
  static let limit = 200

  static let problem = Problem(
    code: "too_deep",
    message: "the record nests deeper than \(limit) levels, counted as it would be kept; nest it "
      + "less deep")

  /// Whether a record nests deeper than is taken.
  static func exceeds(_ json: [UInt8]) -> Bool { of(json) > limit }

  /// How deep arrays and objects nest in JSON of ours.
  ///
  /// - Complexity: O(n).
  static func of(_ json: [UInt8]) -> Int {
    var depth = 0
    var deepest = 0
    var isInString = false
    var isEscaped = false
    for byte in json {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }
}

extension Problem {
  /// A document that is no JSON, or none that we take.
  init(_ error: JSONError) {
    switch error.reason {
    case .tooDeep: self = RecordDepth.problem
    case .invalidUTF8: self.init(code: "invalid_utf8", message: ItemImporter.words(error))
    default: self.init(code: "invalid_json", message: ItemImporter.words(error))
    }
  }
}
