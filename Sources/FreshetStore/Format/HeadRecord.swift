/// What HEAD says: how far the journal is known to be durable.
///
/// Two slots of 64 bytes, at 0 and 512, so that one torn sector cannot take both; the valid one
/// with the higher sequence counts. Little endian.
///
///      0  8  magic "FRESHET1"
///      8  8  the low half of the store id
///     16  8  sequence, one more with each publication
///     24  8  epoch
///     32  8  segment, by its first revision
///     40  8  durable offset in that segment
///     48  8  durable revision
///     56  4  flags: 1 poisoned, 2 relaxed; the other 30 bits are the boot, see `boot`
///     60  4  CRC-32C of the 60 bytes before
struct HeadRecord: Sendable, Hashable {
  var sequence: UInt64 = 0
  var epoch: Int64 = 1
  var segment: Int64
  var offset: Int64 = 0
  var revision: Int64
  /// A sync failed: bytes after `offset` may look right and be lost.
  var isPoisoned = false
  /// Commits beyond `offset` may have been acknowledged, by a writer that does not sync each.
  var isRelaxed = false
  /// With `isRelaxed`: during which run of the system, as 30 bits of a hash; 0 when unknown.
  ///
  /// Such commits are lost only when the system goes down, which cannot be told from what is left.
  var boot: UInt32 = 0

  static let slotBytes = 64
  static let slotOffsets: [Int64] = [0, 512]
  static let fileBytes = 512 + 64
  private static let magic: UInt64 = 0x3154_4548_5345_5246  // "FRESHET1" read little endian

  init(
    sequence: UInt64 = 0, epoch: Int64 = 1, segment: Int64, offset: Int64 = 0, revision: Int64,
    isPoisoned: Bool = false, isRelaxed: Bool = false, boot: UInt32 = 0
  ) {
    self.sequence = sequence
    self.epoch = epoch
    self.segment = segment
    self.offset = offset
    self.revision = revision
    self.isPoisoned = isPoisoned
    self.isRelaxed = isRelaxed
    self.boot = isRelaxed ? boot & 0x3FFF_FFFF : 0
  }

  func encoded(storeBits: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(HeadRecord.slotBytes)
    let flags: UInt32 = (isPoisoned ? 1 : 0) | (isRelaxed ? 2 | boot << 2 : 0)
    let words: [UInt64] = [
      HeadRecord.magic, storeBits, sequence, UInt64(epoch), UInt64(segment), UInt64(offset),
      UInt64(revision),
    ]
    for word in words { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
    withUnsafeBytes(of: flags.littleEndian) { bytes.append(contentsOf: $0) }
    let sum = Checksum.of(bytes[...])
    withUnsafeBytes(of: sum.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Reads one slot; nil when it does not check or belongs to another store.
  init?(slot: UnsafeRawBufferPointer, storeBits: UInt64) {
    guard slot.count == HeadRecord.slotBytes else { return nil }
    func word(_ at: Int) -> UInt64 {
      UInt64(littleEndian: slot.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }
    let flags = UInt32(littleEndian: slot.loadUnaligned(fromByteOffset: 56, as: UInt32.self))
    let sum = UInt32(littleEndian: slot.loadUnaligned(fromByteOffset: 60, as: UInt32.self))
    let covered = UnsafeRawBufferPointer(rebasing: slot[0..<60])
    guard word(0) == HeadRecord.magic, word(8) == storeBits, sum == Checksum.of(covered),
      let epoch = Int64(exactly: word(24)), let segment = Int64(exactly: word(32)),
      let offset = Int64(exactly: word(40)), let revision = Int64(exactly: word(48))
    else { return nil }
    self.init(
      sequence: word(16), epoch: epoch, segment: segment, offset: offset, revision: revision,
      isPoisoned: flags & 1 != 0, isRelaxed: flags & 2 != 0,
      boot: flags >> 2)
  }

  /// The slot that counts among the bytes of a file; nil when none does.
  static func newest(in file: UnsafeRawBufferPointer, storeBits: UInt64) -> HeadRecord? {
    var newest: HeadRecord?
    for start in slotOffsets {
      let end = Int(start) + slotBytes
      guard end <= file.count else { continue }
      let slot = UnsafeRawBufferPointer(rebasing: file[Int(start)..<end])
      if let record = HeadRecord(slot: slot, storeBits: storeBits),
        record.sequence >= newest?.sequence ?? 0
      {
        newest = record
      }
    }
    return newest
  }

  /// A slot that does not check, beside one that does.
  struct BadSlot: Sendable, Hashable {
    /// Where it is in the file.
    let offset: Int64
    let bytes: [UInt8]
    /// What the other one says.
    let other: HeadRecord
  }

  /// The slot that does not check, when the other one does; nil also for one that was never written.
  static func badSlot(in file: UnsafeRawBufferPointer, storeBits: UInt64) -> BadSlot? {
    guard let other = newest(in: file, storeBits: storeBits) else { return nil }
    let start = Int(slotOffsets[1 - Int(other.sequence & 1)])
    let slot = UnsafeRawBufferPointer(
      rebasing: file[min(start, file.count)..<min(start + slotBytes, file.count)])
    if HeadRecord(slot: slot, storeBits: storeBits) != nil { return nil }
    // The first record of all goes into one slot, the second into the other.
    if other.sequence < 2, slot.allSatisfy({ $0 == 0 }) { return nil }
    return BadSlot(offset: Int64(start), bytes: Array(slot), other: other)
  }

  /// Whether this is what a slot said whose bytes no longer check.
  ///
  /// Either its checksum is whole and is that of this record, or all but its checksum is. One is as
  /// good a proof as the other: so many bits do not agree by chance.
  func isRecord(of bad: BadSlot, storeBits: UInt64) -> Bool {
    let mine = encoded(storeBits: storeBits)
    return bad.bytes.count == mine.count
      && (bad.bytes[60...] == mine[60...] || bad.bytes[..<60] == mine[..<60])
  }

  /// True when this watermark is further along than the other.
  func isAhead(of other: HeadRecord) -> Bool {
    (revision, segment, offset) > (other.revision, other.segment, other.offset)
  }
}
