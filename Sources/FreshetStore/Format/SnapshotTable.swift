/// The index of a snapshot, as it lies on disk and is mapped into memory.
///
/// Little endian:
///
///      0  8  magic "FRESHIX1"
///      8  8  the second half of the store id
///     16  8  the snapshot's revision
///     24  8  the snapshot's size in bytes
///     32  8  n, the number of items
///     40  8  m, the number of slots: n × 3/2 + 1
///     48  4  CRC-32C of the entries
///     52  4  CRC-32C of the slots
///     56  4  0
///     60  4  CRC-32C of the 60 bytes before
///     64     n entries of 24 bytes, in the snapshot's order, which is the list order:
///              hash of the id, revision, place (bits 0–41 offset, 42–62 length, 63 deleted)
///            m slots of 4 bytes: 0 free, otherwise an entry's number + 1. An id is in the first of
///            its slots: (hash × m) >> 64, then the next ones, round the end, until a free one.
struct SnapshotTable: Sendable {
  /// One item: where its line is, and what is needed to know it by.
  struct Entry: Sendable, Hashable {
    var hash: UInt64
    var revision: Int64
    var offset: Int64
    var length: Int
    var isDeleted: Bool
  }

  static let headerBytes = 64
  static let entryBytes = 24
  static let slotBytes = 4
  private static let magic: UInt64 = 0x3158_4948_5345_5246  // "FRESHIX1" read little endian
  private static let offsetBits: UInt64 = 42
  private static let lengthBits: UInt64 = 21

  private let mapping: FileMapping
  let count: Int
  private let slotCount: Int
  private let slotsStart: Int

  static func slotCount(for items: Int) -> Int { items + items / 2 + 1 }

  static func fileBytes(for items: Int) -> Int {
    headerBytes + entryBytes * items + slotBytes * slotCount(for: items)
  }

  /// Checks everything: nil when any byte is not what it should be.
  ///
  /// - Complexity: O(items), at the speed of the checksum instruction.
  init?(_ mapping: FileMapping, snapshot revision: Int64, fileBytes: Int64, storeBits: UInt64) {
    let bytes = mapping.bytes
    guard bytes.count >= SnapshotTable.headerBytes else { return nil }
    func word(_ at: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }
    func half(_ at: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
    }
    func sum(_ range: Range<Int>) -> UInt32 {
      Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
    guard half(60) == sum(0..<60), word(0) == SnapshotTable.magic, word(8) == storeBits,
      word(16) == UInt64(revision), word(24) == UInt64(fileBytes),
      let count = Int(exactly: word(32)), count < Int(UInt32.max),
      word(40) == UInt64(SnapshotTable.slotCount(for: count)),
      bytes.count == SnapshotTable.fileBytes(for: count)
    else { return nil }
    let slotsStart = SnapshotTable.headerBytes + SnapshotTable.entryBytes * count
    guard half(48) == sum(SnapshotTable.headerBytes..<slotsStart),
      half(52) == sum(slotsStart..<bytes.count)
    else { return nil }
    self.mapping = mapping
    self.count = count
    self.slotsStart = slotsStart
    slotCount = SnapshotTable.slotCount(for: count)
  }

  @inline(__always)
  subscript(_ number: Int) -> Entry {
    let at = SnapshotTable.headerBytes + SnapshotTable.entryBytes * number
    let place = word(at + 16)
    return Entry(
      hash: word(at), revision: Int64(bitPattern: word(at + 8)),
      offset: Int64(place & (1 << SnapshotTable.offsetBits - 1)),
      length: Int(place >> SnapshotTable.offsetBits & (1 << SnapshotTable.lengthBits - 1)),
      isDeleted: place >> 63 == 1)
  }

  /// Calls back with the numbers of the items that may have the hash, until it says false.
  @inline(__always)
  func forEachCandidate(_ hash: UInt64, _ visit: (Int) -> Bool) {
    var slot = SnapshotTable.home(of: hash, among: slotCount)
    while true {
      let number = Int(
        UInt32(
          littleEndian: mapping.bytes.loadUnaligned(
            fromByteOffset: slotsStart + SnapshotTable.slotBytes * slot, as: UInt32.self)))
      if number == 0 { return }
      let at = SnapshotTable.headerBytes + SnapshotTable.entryBytes * (number - 1)
      if word(at) == hash && !visit(number - 1) { return }
      slot = slot + 1 == slotCount ? 0 : slot + 1
    }
  }

  @inline(__always)
  private func word(_ at: Int) -> UInt64 {
    UInt64(littleEndian: mapping.bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  @inline(__always)
  private static func home(of hash: UInt64, among slots: Int) -> Int {
    Int(hash.multipliedFullWidth(by: UInt64(slots)).high)
  }

  /// Puts the table of a snapshot together while that is written or read.
  struct Builder {
    private(set) var bytes: [UInt8]
    private(set) var count = 0

    init(expecting items: Int) {
      bytes = [UInt8](repeating: 0, count: SnapshotTable.headerBytes)
      bytes.reserveCapacity(SnapshotTable.fileBytes(for: items))
    }

    mutating func append(_ entry: Entry) {
      var place = UInt64(entry.offset) | UInt64(entry.length) << SnapshotTable.offsetBits
      if entry.isDeleted { place |= 1 << 63 }
      append(entry.hash)
      append(UInt64(bitPattern: entry.revision))
      append(place)
      count += 1
    }

    /// Adds slots and header.
    mutating func finish(snapshot revision: Int64, fileBytes: Int64, storeBits: UInt64) -> [UInt8] {
      let slotCount = SnapshotTable.slotCount(for: count)
      let entriesEnd = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: SnapshotTable.slotBytes * slotCount))
      let count = count
      bytes.withUnsafeMutableBytes { bytes in
        let slots = UnsafeMutableRawBufferPointer(rebasing: bytes[entriesEnd...])
        for number in 0..<count {
          let hash = UInt64(
            littleEndian: bytes.loadUnaligned(
              fromByteOffset: SnapshotTable.headerBytes + SnapshotTable.entryBytes * number,
              as: UInt64.self))
          var slot = SnapshotTable.home(of: hash, among: slotCount)
          while slots.loadUnaligned(fromByteOffset: slot * 4, as: UInt32.self) != 0 {
            slot = slot + 1 == slotCount ? 0 : slot + 1
          }
          slots.storeBytes(
            of: UInt32(number + 1).littleEndian, toByteOffset: slot * 4, as: UInt32.self)
        }
        func put(_ value: UInt64, at: Int) {
          bytes.storeBytes(of: value.littleEndian, toByteOffset: at, as: UInt64.self)
        }
        func sum(_ range: Range<Int>, at: Int) {
          let sum = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[range]))
          bytes.storeBytes(of: sum.littleEndian, toByteOffset: at, as: UInt32.self)
        }
        put(SnapshotTable.magic, at: 0)
        put(storeBits, at: 8)
        put(UInt64(revision), at: 16)
        put(UInt64(fileBytes), at: 24)
        put(UInt64(count), at: 32)
        put(UInt64(slotCount), at: 40)
        sum(SnapshotTable.headerBytes..<entriesEnd, at: 48)
        sum(entriesEnd..<bytes.count, at: 52)
        sum(0..<60, at: 60)
      }
      return bytes
    }

    private mutating func append(_ word: UInt64) {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }
}
