/// Reads HEAD by `docs/file-format.md` alone, with nothing of the store's own code.
package enum HeadReader {
  package struct Watermark: Sendable, Hashable {
    package var sequence: UInt64
    package var epoch: Int64
    package var segment: Int64
    package var offset: Int64
    package var revision: Int64
    package var flags: UInt32
  }

  package static func watermark(in bytes: [UInt8]) -> Watermark? {
    var newest: Watermark?
    for start in [0, 512] where bytes.count >= start + 64 {
      let slot = bytes[start..<(start + 64)]
      guard slot.starts(with: Array("FRESHET1".utf8)),
        crc32c(slot.dropLast(4)) == UInt32(truncatingIfNeeded: number(slot, 60, 4))
      else { continue }
      let found = Watermark(
        sequence: number(slot, 16, 8), epoch: Int64(bitPattern: number(slot, 24, 8)),
        segment: Int64(bitPattern: number(slot, 32, 8)),
        offset: Int64(bitPattern: number(slot, 40, 8)),
        revision: Int64(bitPattern: number(slot, 48, 8)),
        flags: UInt32(truncatingIfNeeded: number(slot, 56, 4)))
      if newest.map({ found.sequence >= $0.sequence }) ?? true { newest = found }
    }
    return newest
  }

  private static func number(_ slot: ArraySlice<UInt8>, _ offset: Int, _ count: Int) -> UInt64 {
    slot[(slot.startIndex + offset)..<(slot.startIndex + offset + count)].reversed()
      .reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    var crc = UInt32(byte)
    for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    return crc
  }

  package static func crc32c(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes { crc = crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 0xFF)] }
    return crc ^ 0xFFFF_FFFF
  }
}
