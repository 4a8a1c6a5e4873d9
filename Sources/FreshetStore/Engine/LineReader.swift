/// Reads one segment line by line.
///
/// It never goes beyond its limit: the size of a file that others append to says nothing about
/// what is complete, so the caller says how far to trust it.
struct LineReader: Sendable {
  enum Step: Sendable {
    /// A line without its newline, as a range of `buffer`, good until the next call.
    case line(Range<Int>)
    /// Exactly at the limit.
    case end
    /// The bytes up to the limit have no newline, or are too long for a record.
    case torn
  }

  let file: any File
  /// Where the next line begins.
  private(set) var offset: Int64
  var limit: Int64
  private(set) var buffer: [UInt8] = []
  /// The part of `buffer` that holds the bytes from `offset` on.
  private var window: Range<Int> = 0..<0
  private let chunkBytes: Int

  init(file: any File, offset: Int64, limit: Int64, chunkBytes: Int = 256 << 10) {
    self.file = file
    self.offset = offset
    self.limit = limit
    self.chunkBytes = chunkBytes
  }

  mutating func next() throws(SystemError) -> Step {
    var searched = 0
    while true {
      let found = buffer.withUnsafeBytes { bytes in
        let rest = bytes[(window.lowerBound + searched)..<window.upperBound]
        return Platform.firstIndex(of: 0x0A, in: UnsafeRawBufferPointer(rebasing: rest))
      }
      if let found {
        let line = window.lowerBound..<(window.lowerBound + searched + found)
        window = (line.upperBound + 1)..<window.upperBound
        offset += Int64(line.count + 1)
        return .line(line)
      }
      searched = window.count
      if offset + Int64(searched) >= limit { return searched == 0 ? .end : .torn }
      if searched > Limits.lineBytes { return .torn }
      // Fewer bytes than the limit promised: as good as torn.
      if try fill() == 0 { return searched == 0 && offset >= limit ? .end : .torn }
    }
  }

  /// Passes over a line that is torn or too long; false at the limit.
  mutating func skipTornLine() throws(SystemError) -> Bool {
    while true {
      offset += Int64(window.count)
      window = 0..<0
      if offset >= limit { return false }
      if try fill() == 0 { return false }
      let found = buffer.withUnsafeBytes { bytes in
        Platform.firstIndex(of: 0x0A, in: UnsafeRawBufferPointer(rebasing: bytes[window]))
      }
      if let found {
        window = (window.lowerBound + found + 1)..<window.upperBound
        offset += Int64(found + 1)
        return true
      }
    }
  }

  private mutating func fill() throws(SystemError) -> Int {
    if window.lowerBound > 0 {
      buffer.removeSubrange(0..<window.lowerBound)
      window = 0..<window.count
    }
    let old = window.upperBound
    let wanted = min(chunkBytes, Int(limit - offset) - window.count)
    if buffer.count < old + wanted {
      buffer.append(contentsOf: repeatElement(0, count: old + wanted - buffer.count))
    }
    let start = offset + Int64(window.count)
    var result = Result<Int, SystemError>.success(0)
    buffer.withUnsafeMutableBytes { bytes in
      let free = UnsafeMutableRawBufferPointer(rebasing: bytes[old..<(old + wanted)])
      result = Result { () throws(SystemError) in try file.readFully(free, at: start) }
    }
    let count = try result.get()
    window = window.lowerBound..<(old + count)
    return count
  }
}
