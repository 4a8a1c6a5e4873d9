/// Which bytes are taken for pictures, whatever a server calls them.
enum PictureType: String {
  case jpeg, png, gif, webp, avif, bmp

  /// Looks at the first bytes; nil when they are no picture's.
  init?(_ bytes: some Collection<UInt8>) {
    let start = Array(bytes.prefix(16))
    func has(_ text: String, at offset: Int) -> Bool {
      start.count >= offset + text.utf8.count
        && start[offset...].starts(with: Array(text.utf8))
    }
    if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has("GIF87a", at: 0) || has("GIF89a", at: 0) {
      self = .gif
    } else if has("RIFF", at: 0), has("WEBP", at: 8) {
      self = .webp
    } else if has("ftypavif", at: 4) || has("ftypavis", at: 4) {
      self = .avif
    } else if has("BM", at: 0) {
      self = .bmp
    } else {
      return nil
    }
  }

  /// Whether a `Content-Type` may stand before a picture; some servers name none, or any bytes.
  static func mayBe(_ contentType: String?) -> Bool {
    guard let type = contentType?.prefix(while: { $0 != ";" }).lowercased() else { return true }
    return type.hasPrefix("image/") || type == "application/octet-stream"
      || type == "binary/octet-stream" || type.allSatisfy(\.isWhitespace)
  }
}
