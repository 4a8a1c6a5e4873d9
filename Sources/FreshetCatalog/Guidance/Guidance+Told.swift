import FreshetStore

extension Guidance {
  /// How many bytes of UTF-8 a text has at most where a guidance is told.
  static let toldTextBytes = 4096
  /// How many bytes of members that we do not know are told of a guidance.
  static let toldExtraBytes = 65_536

  /// The joined record for a line of events, which has an end: ``joined`` with each text that has
  /// more than 4 KiB cut there, `…` behind it, and without the members that we do not know where
  /// those have more than 64 KiB.
  ///
  /// What is kept, in a store or on a server, stays whole; O(bytes of the record).
  public var told: JSONObject {
    var known = self
    if JSONValue.object(extra).jsonBytes.count > Self.toldExtraBytes { known.extra = JSONObject() }
    var object = JSONObject()
    for member in known.joined.members {
      let text = extra[member.key] == nil ? member.value.stringValue : nil
      object[member.key] = text.map { .string(Self.bounded($0)) } ?? member.value
    }
    return object
  }

  /// ``message`` for a line of events, its texts cut as ``told`` cuts them.
  public var toldMessage: String {
    message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.bounded(String($0)) }.joined(separator: "\n")
  }

  /// A text as ``told`` cuts it; nothing of a character is left behind.
  static func bounded(_ text: String) -> String {
    if text.utf8.count <= toldTextBytes { return text }
    let end = text.utf8.index(text.startIndex, offsetBy: toldTextBytes)
    return text[..<(String.Index(end, within: text) ?? text.index(before: end))] + "…"
  }
}
