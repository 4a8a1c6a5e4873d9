import CFreshet

/// CRC-32C over bytes, and its eight lower-case hexadecimal digits.
enum Checksum {
  @inline(__always)
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    freshet_crc32c(0, bytes.baseAddress, bytes.count)
  }

  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { of($0) }
  }

  /// Reads exactly eight lower-case digits.
  @inline(__always)
  static func parse(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
    var value: UInt32 = 0
    for at in start..<(start + 8) {
      // Ranges in a `switch` are not taken apart by the compiler here.
      let decimal = bytes[at] &- 0x30
      let letter = bytes[at] &- 0x61
      guard decimal < 10 || letter < 6 else { return nil }
      value = value << 4 | UInt32(decimal < 10 ? decimal : letter + 10)
    }
    return value
  }

  static func write(_ value: UInt32, into bytes: inout [UInt8], at start: Int) {
    bytes.withUnsafeMutableBufferPointer { bytes in
      for place in 0..<8 {
        let digit = UInt8(truncatingIfNeeded: value >> UInt32(28 - 4 * place)) & 15
        bytes[start + place] = digit < 10 ? 0x30 + digit : 0x57 + digit
      }
    }
  }
}

/// The frame of every line: `{"c":"xxxxxxxx"`, then what the checksum covers, then a newline.
enum Frame {
  static let opening: StaticString = #"{"c":""#
  static let digitsStart = 6
  /// The checksum covers the bytes from here up to the newline.
  static let coverStart = 15

  /// Appends the fixed first bytes with room for the checksum.
  static func open(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: #"{"c":"00000000""#.utf8)
  }

  /// Tells whether a line begins as all lines do, whatever its checksum.
  static func isOpened(_ line: [UInt8]) -> Bool {
    line.count > coverStart && opening.withUTF8Buffer { line.starts(with: $0) }
      && line[coverStart - 1] == UInt8(ascii: "\"")
  }

  /// Fills in the checksum of the frame that began at `start`, and ends the line.
  static func close(_ bytes: inout [UInt8], from start: Int) {
    let sum = Checksum.of(bytes[(start + coverStart)...])
    Checksum.write(sum, into: &bytes, at: start + digitsStart)
    bytes.append(0x0A)
  }

  /// What is wrong with a line, given without its newline; nil when it checks.
  static func fault(in line: ArraySlice<UInt8>) -> LineFault? {
    line.withUnsafeBytes { bytes in
      do throws(LineFault) {
        try check(bytes)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Checks a line without its newline.
  @inline(__always)
  static func check(_ line: UnsafeRawBufferPointer) throws(LineFault) {
    guard line.count > coverStart else { throw .short }
    let isFramed = opening.withUTF8Buffer { $0.elementsEqual(line[0..<digitsStart]) }
    guard isFramed, line[coverStart - 1] == UInt8(ascii: "\""),
      let stated = Checksum.parse(line, at: digitsStart)
    else { throw .noChecksum }
    let found = Checksum.of(UnsafeRawBufferPointer(rebasing: line[coverStart...]))
    guard stated == found else { throw .checksum(stated: stated, found: found) }
  }
}

/// Why a line is no record.
enum LineFault: Error, Sendable, Hashable, CustomStringConvertible {
  case short
  case noChecksum
  case checksum(stated: UInt32, found: UInt32)
  case malformed(at: Int)

  var description: String {
    switch self {
    case .short: "the line is too short for a record"
    case .noChecksum: "the line does not begin with a checksum"
    case .checksum(let stated, let found):
      "its checksum says \(hex(stated)), its bytes give \(hex(found))"
    case .malformed(let at): "it checks, but is no record of this format (at its byte \(at))"
    }
  }

  private func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
