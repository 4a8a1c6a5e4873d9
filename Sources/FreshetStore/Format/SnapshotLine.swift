/// One item of a snapshot, read in place.
///
/// Keys come in one fixed order, `c r a n d k v`; `a`, `n` and `d` are only there where they
/// say something:
///
///     {"c":"…","r":9,"a":2,"n":3,"d":1,"k":"book:1","v":{…}}
struct SnapshotLine: Sendable {
  /// `r`: the commit that last wrote, deleted or restored the item.
  var revision: Int64
  /// `a`: the commit that inserted it; `r` unless stated.
  var created: Int64
  /// `n`: its place in that commit; 1 unless stated.
  var createdIndex = 1
  /// `d`: it is deleted and can be restored.
  var isDeleted = false
  var id: Range<Int>
  var idHasEscapes: Bool
  var body: Range<Int>

  /// Reads a line, given without its newline.
  init(_ line: UnsafeRawBufferPointer) throws(LineFault) {
    try Frame.check(line)
    var scan = LineScanner(line: line, at: Frame.coverStart)
    try scan.expect(#","r":"#)
    revision = try scan.number()
    created = revision
    if scan.take(#","a":"#) { created = try scan.number() }
    if scan.take(#","n":"#) { createdIndex = Int(try scan.number()) }
    if scan.take(#","d":1"#) { isDeleted = true }
    try scan.expect(#","k":""#)
    (id, idHasEscapes) = try scan.string()
    try scan.expect(#","v":"#)
    guard scan.at < line.count - 1, line[scan.at] == UInt8(ascii: "{"),
      line[line.count - 1] == UInt8(ascii: "}"), revision > 0, created > 0, createdIndex > 0,
      created <= revision, !id.isEmpty
    else { throw .malformed(at: scan.at) }
    body = scan.at..<(line.count - 1)
  }

  /// Appends an item's line and returns its length, newline included.
  ///
  /// The id is given as it stands between quotes in the journal.
  static func append(
    to bytes: inout [UInt8], revision: Int64, created: Int64, createdIndex: Int, isDeleted: Bool,
    escapedID: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
  ) -> Int {
    let start = bytes.count
    withUnsafeTemporaryAllocation(
      byteCount: LineWriter.headBytes + escapedID.count, alignment: 1
    ) { space in
      var head = HeadCursor(space)
      head.append(#"{"c":"00000000","r":"#)
      head.append(revision)
      if created != revision {
        head.append(#","a":"#)
        head.append(created)
      }
      if createdIndex != 1 {
        head.append(#","n":"#)
        head.append(Int64(createdIndex))
      }
      if isDeleted { head.append(#","d":1"#) }
      head.append(#","k":""#)
      head.append(escapedID)
      head.append(#"","v":"#)
      bytes.append(contentsOf: head.written)
    }
    bytes.append(contentsOf: body)
    bytes.append(UInt8(ascii: "}"))
    Frame.close(&bytes, from: start)
    return bytes.count - start
  }
}
