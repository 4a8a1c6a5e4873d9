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
