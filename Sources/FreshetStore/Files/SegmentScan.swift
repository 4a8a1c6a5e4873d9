/// Reads all lines of a segment, good and bad, and never stops at damage.
///
/// After a bad line it goes on behind the next newline.
struct SegmentScan {
  enum Step {
    /// `line` and `text` hold it.
    case record
    case bad(reason: String)
    /// The bytes up to the end have no newline.
    case torn
    case end
  }

  private var reader: LineReader
  /// Where the last step began.
  private(set) var offset: Int64 = 0
  /// The last record.
  private(set) var line: RecordLine?
  /// The last line's bytes, without the newline.
  private(set) var text: [UInt8] = []

  init(file: any File, size: Int64) {
    reader = LineReader(file: file, offset: 0, limit: size)
  }

  /// Where the next line begins.
  var place: Int64 { reader.offset }

  var id: [UInt8] { text.withUnsafeBytes { line?.idBytes(in: $0) ?? [] } }

  var body: [UInt8] { line.map { Array(text[$0.body]) } ?? [] }

  mutating func next() throws(SystemError) -> Step {
    offset = reader.offset
    line = nil
    switch try reader.next() {
    case .end: return .end
    case .torn:
      text = []
      let before = reader.offset
      let isTooLong = try reader.skipTornLine()
      if isTooLong { return .bad(reason: "\(reader.offset - before) bytes without a newline") }
      return .torn
    case .line(let range):
      text = Array(reader.buffer[range])
      let parsed = text.withUnsafeBytes { bytes in
        Result { () throws(LineFault) in try RecordLine(bytes) }
      }
      switch parsed {
      case .success(let record):
        line = record
        return .record
      case .failure(let fault):
        return .bad(reason: fault.description)
      }
    }
  }
}
