/// Bytes that stay readable for as long as somebody holds this: a file mapped into memory, or a
/// copy of it where there is no mapping.
///
/// Only for files that are never written or shortened again: a mapping of a file that loses bytes
/// ends the process at the next look.
// @unchecked: the bytes are never written after `init`, and are given back by `deinit` alone, when
// nobody holds the mapping any more. `CompactionTests` reads through mappings of files that have lost
// their names, and the address sanitizer would notice a read after the release.
package final class FileMapping: @unchecked Sendable {
  package let bytes: UnsafeRawBufferPointer
  private let release: @Sendable (UnsafeRawBufferPointer) -> Void

  /// Takes over the bytes; `release` gives them back.
  package init(
    _ bytes: UnsafeRawBufferPointer,
    release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
  ) {
    self.bytes = bytes
    self.release = release
  }

  /// A copy in memory.
  package convenience init(copying bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
    copy.copyBytes(from: bytes)
    self.init(UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])) { $0.deallocate() }
  }

  deinit { release(bytes) }
}
