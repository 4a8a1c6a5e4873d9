/// One record, read in place: where its parts are within the line, nothing copied or decoded.
///
/// Keys come in one fixed order, so no JSON parser is needed:
/// `c r b o must k n p e t v`, each but the first four only where it has a meaning.
struct RecordLine: Sendable {
  enum Kind: Sendable, Hashable {
    case put, soft, restore, clear, erase, epoch
    /// Written by a newer version; it counts as a line of its commit and changes nothing.
    case unknown
  }

  var kind: Kind
  var revision: Int64
  /// `b`: the offset of this segment known to be durable when the line was written.
  var durableBefore: Int64
  /// A reader that does not know the kind must stop.
  var isMandatory = false
  /// The id's bytes as written, between the quotes.
  var id: Range<Int> = 0..<0
  var idHasEscapes = false
  /// The line's number within its commit, from 1, and their count.
  var index = 1
  var count = 1
  /// `p`: the revision of the record that this one replaces, 0 for none; for `erase` the last
  /// revision whose deletes become final.
  var replaces: Int64 = 0
  /// `e`: the epoch that begins here.
  var epoch: Int64 = 0
  /// `t`: microseconds since 1970.
  var time: Int64 = 0
  /// The item's JSON object.
  var body: Range<Int> = 0..<0

  /// Reads a line, given without its newline.
  init(_ line: UnsafeRawBufferPointer) throws(LineFault) {
    try Frame.check(line)
    var scan = LineScanner(line: line, at: Frame.coverStart)
    try scan.expect(#","r":"#)
    revision = try scan.number()
    try scan.expect(#","b":"#)
    durableBefore = try scan.number()
    try scan.expect(#","o":""#)
    kind = try scan.kind()
    if scan.take(#","must":1"#) { isMandatory = true }
    if scan.take(#","k":""#) { (id, idHasEscapes) = try scan.string() }
    if scan.take(#","n":""#) {
      index = Int(try scan.number())
      try scan.expect("/")
      count = Int(try scan.number())
      try scan.expect(#"""#)
      guard count > 1, index >= 1, index <= count else { throw .malformed(at: scan.at) }
    }
    if kind == .unknown { return }
    if scan.take(#","p":"#) { replaces = try scan.number() }
    if scan.take(#","e":"#) { epoch = try scan.number() }
    try scan.expect(#","t":"#)
    time = try scan.number()
    if scan.take(#","v":"#) {
      guard scan.at < line.count - 1, line[scan.at] == UInt8(ascii: "{") else {
        throw .malformed(at: scan.at)
      }
      body = scan.at..<(line.count - 1)
      scan.at = line.count - 1
    }
    try scan.expect("}")
    guard scan.at == line.count, revision > 0, isComplete else { throw .malformed(at: scan.at) }
  }

  /// Each kind has exactly the keys it needs.
  private var isComplete: Bool {
    switch kind {
    case .put: !id.isEmpty && !body.isEmpty && epoch == 0
    case .soft: !id.isEmpty && epoch == 0 && replaces > 0
    case .restore: !id.isEmpty && !body.isEmpty && epoch == 0 && replaces > 0
    case .clear: id.isEmpty && body.isEmpty && epoch == 0 && replaces == 0
    case .erase: id.isEmpty && body.isEmpty && epoch == 0 && replaces > 0 && isMandatory
    case .epoch: id.isEmpty && body.isEmpty && epoch > 1 && replaces == 0 && count == 1
    case .unknown: true
    }
  }

  /// The id's own bytes.
  func idBytes(in line: UnsafeRawBufferPointer) -> [UInt8] {
    let raw = UnsafeRawBufferPointer(rebasing: line[id])
    return idHasEscapes ? EscapedID.bytes(raw) : [UInt8](raw)
  }

  /// The id's hash.
  @inline(__always)
  func hash(in line: UnsafeRawBufferPointer, _ hash: ItemHash) -> UInt64 {
    let raw = UnsafeRawBufferPointer(rebasing: line[id])
    return idHasEscapes ? hash.of(EscapedID.bytes(raw)) : hash.of(raw)
  }
}

/// An id as it stands between quotes: `"` and `\` are escaped by a backslash, nothing else is.
enum EscapedID {
  static func bytes(_ raw: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count)
    var isEscaped = false
    for byte in raw {
      if byte == UInt8(ascii: "\\") && !isEscaped {
        isEscaped = true
      } else {
        isEscaped = false
        bytes.append(byte)
      }
    }
    return bytes
  }
}

extension LineScanner {
  fileprivate mutating func kind() throws(LineFault) -> RecordLine.Kind {
    if take(#"put""#) { return .put }
    if take(#"soft""#) { return .soft }
    if take(#"restore""#) { return .restore }
    if take(#"clear""#) { return .clear }
    if take(#"erase""#) { return .erase }
    if take(#"epoch""#) { return .epoch }
    let (name, hasEscapes) = try string()
    guard !name.isEmpty, !hasEscapes else { throw .malformed(at: name.lowerBound) }
    return .unknown
  }
}
