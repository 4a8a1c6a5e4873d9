import FreshetStore

/// A place to resume at, as text: `c1.<store>-<epoch>.<revision>.<filter hash><check>`.
///
/// It means "after this". Readers treat it as opaque. The check tells a typing mistake or a
/// damaged file from a cursor of another store.
struct Cursor: Equatable {
  /// Why a text is no cursor.
  enum Fault: Error, Equatable {
    case malformed
    case unknownVersion
    /// It looks like a cursor of ours, and its check does not match.
    case damaged
  }

  let token: Token
  /// What the stream shows; a cursor taken under one filter would skip events under another.
  let filterHash: UInt16

  init(token: Token, filter: Filter) {
    self.token = token
    filterHash = filter.hash
  }

  init(parsing text: String) throws(Fault) {
    if text.hasPrefix("c"), !text.hasPrefix("c1."), text.dropFirst().first?.isNumber == true {
      throw .unknownVersion
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 512, parts.count == 4, parts[0] == "c1", parts[3].utf8.count == 8,
      let store = parts[1].lastIndex(of: "-"),
      let epoch = Int(parts[1][parts[1].index(after: store)...]), epoch >= 0,
      let revision = Int64(parts[2]), revision >= 0,
      let filterHash = UInt16(parts[3].prefix(4), radix: 16),
      let check = UInt16(parts[3].suffix(4), radix: 16)
    else {
      throw text.hasPrefix("c1.") ? .damaged : .malformed
    }
    guard check == Self.check(text.dropLast(4)) else { throw .damaged }
    token = Token(storeID: String(parts[1][..<store]), epoch: epoch, revision: revision)
    self.filterHash = filterHash
  }

  var text: String {
    let body = "c1.\(token.storeID)-\(token.epoch).\(token.revision).\(Self.hex(filterHash))"
    return body + Self.hex(Self.check(body[...]))
  }

  /// What a stream shows.
  struct Filter: Equatable, Sendable {
    /// The views, in the order of the table of views.
    var views: [String] = ["downloads"]
    /// The kind of item, nil for all.
    var kind: String?
    /// Other fields and their values, in order.
    var terms: [String] = []
    /// The types of events, in order; empty for all.
    var types: [String] = []

    fileprivate var hash: UInt16 {
      var text = "views=\(views.joined(separator: ","));kind=\(kind ?? "*")"
      if !terms.isEmpty { text += ";filter=" + terms.joined(separator: "\u{1E}") }
      if !types.isEmpty { text += ";type=" + types.joined(separator: ",") }
      return fold(fnv1a(text))
    }
  }

  private static func check(_ text: Substring) -> UInt16 { fold(fnv1a("check:\(text)")) }

  private static func hex(_ value: UInt16) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 4 - text.count) + text
  }
}

private func fnv1a(_ text: String) -> UInt32 {
  var hash: UInt32 = 2_166_136_261
  for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
  return hash
}

private func fold(_ hash: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: hash >> 16 ^ hash) }
