import FreshetStore

/// Checks the indexes of snapshots by `docs/file-format.md` alone: one that has its name is whole.
enum SnapshotIndexCheck {
  static func violations(of image: DiskImage) -> [Violation] {
    image.names(in: ScriptRun.path).filter { $0.hasSuffix(".idx") }.compactMap { name in
      let bytes = image.bytes(at: ScriptRun.path + "/" + name) ?? []
      return isWhole(bytes) ? nil : Violation(7, "\(name) has its name, and is not whole")
    }
  }

  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    func number(_ at: Int, _ count: Int) -> Int {
      bytes[at..<(at + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard bytes.count >= 64, bytes.starts(with: Array("FRESHIX1".utf8)),
      Int(HeadReader.crc32c(bytes[..<60])) == number(60, 4)
    else { return false }
    let entries = 64 + 24 * number(32, 8)
    let end = entries + 4 * number(40, 8)
    return bytes.count == end && Int(HeadReader.crc32c(bytes[64..<entries])) == number(48, 4)
      && Int(HeadReader.crc32c(bytes[entries..<end])) == number(52, 4)
  }
}
