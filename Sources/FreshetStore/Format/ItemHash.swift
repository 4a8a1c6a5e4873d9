/// The hash that stands for an id in the index: SipHash-2-4, keyed with the store's id.
///
/// The key keeps people who choose ids from choosing collisions; that it is the store's id lets an
/// index be written to disk. A hash says where to look, never whose a record is.
struct ItemHash: Sendable, Hashable {
  private let key0: UInt64
  private let key1: UInt64

  /// The key is the store id's 16 bytes, read as two little-endian numbers.
  init(storeID: String) {
    func half(_ digits: Substring) -> UInt64 { (UInt64(digits, radix: 16) ?? 0).byteSwapped }
    key0 = half(storeID.prefix(16))
    key1 = half(storeID.suffix(16))
  }

  func of(_ id: [UInt8]) -> UInt64 { id.withUnsafeBytes { of($0) } }

  @inline(__always)
  func of(_ id: UnsafeRawBufferPointer) -> UInt64 {
    var state = Sip(
      v0: key0 ^ 0x736f_6d65_7073_6575, v1: key1 ^ 0x646f_7261_6e64_6f6d,
      v2: key0 ^ 0x6c79_6765_6e65_7261, v3: key1 ^ 0x7465_6462_7974_6573)
    var at = 0
    while at + 8 <= id.count {
      state.take(UInt64(littleEndian: id.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
      at += 8
    }
    var last = UInt64(id.count) << 56
    var shift: UInt64 = 0
    while at < id.count {
      last |= UInt64(id[at]) << shift
      shift += 8
      at += 1
    }
    state.take(last)
    return state.finish()
  }

  private struct Sip {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    @inline(__always)
    mutating func take(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    @inline(__always)
    mutating func finish() -> UInt64 {
      v2 ^= 0xFF
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func round() {
      v0 &+= v1
      v1 = (v1 << 13 | v1 >> 51) ^ v0
      v0 = v0 << 32 | v0 >> 32
      v2 &+= v3
      v3 = (v3 << 16 | v3 >> 48) ^ v2
      v0 &+= v3
      v3 = (v3 << 21 | v3 >> 43) ^ v0
      v2 &+= v1
      v1 = (v1 << 17 | v1 >> 47) ^ v2
      v2 = v2 << 32 | v2 >> 32
    }
  }
}

/// An id with a hash for tables of one process, which is worked out once.
struct ItemKey: Sendable, Hashable {
  let id: [UInt8]
  private let tableHash: Int

  init(_ id: [UInt8]) {
    self.id = id
    var hasher = Hasher()
    id.withUnsafeBytes { hasher.combine(bytes: $0) }
    tableHash = hasher.finalize()
  }

  static func == (a: ItemKey, b: ItemKey) -> Bool {
    a.tableHash == b.tableHash && a.id == b.id
  }

  func hash(into hasher: inout Hasher) { hasher.combine(tableHash) }
}
