/// The hash that stands for an id in memory: 64 bits, seeded per process, never written to disk.
enum ItemHash {
  @inline(__always)
  static func of(_ id: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: id)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  static func of(_ id: [UInt8]) -> UInt64 { id.withUnsafeBytes { of($0) } }
}

/// An id with its hash, which is worked out once.
struct ItemKey: Sendable, Hashable {
  let id: [UInt8]
  let itemHash: UInt64

  init(_ id: [UInt8]) {
    self.id = id
    itemHash = ItemHash.of(id)
  }

  static func == (a: ItemKey, b: ItemKey) -> Bool { a.itemHash == b.itemHash && a.id == b.id }

  func hash(into hasher: inout Hasher) { hasher.combine(itemHash) }
}
