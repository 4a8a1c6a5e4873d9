/// Says things to people, on stderr.
struct Diagnostics: Sendable {
  /// How much is said: −1 only errors, 0 errors and results, 1 and more also steps.
  let verbosity: Int
  let usesColor: Bool

  /// Something went wrong.
  func error(_ message: String) { write("freshet: ", color: "31", message) }

  /// A result or a hint; silent under `-q`.
  func note(_ message: String) {
    if verbosity >= 0 { write("freshet: ", color: nil, message) }
  }

  /// A step; only under `-v`.
  func step(_ message: String) {
    if verbosity >= 1 { write("freshet: ", color: "2", message) }
  }

  private func write(_ prefix: String, color: String?, _ message: String) {
    let clean = TextLine.clean(message)
    let body = color.map { usesColor ? "\u{1B}[\($0)m\(clean)\u{1B}[0m" : clean } ?? clean
    let bytes = Array("\(prefix)\(body)\n".utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        try? System.write(UnsafeRawBufferPointer(rebasing: buffer[written...]), to: 2)
      }
      // stderr that cannot be written leaves nobody to tell.
      guard let count else { return }
      written += count
    }
  }
}

/// Text that goes to a terminal.
enum TextLine {
  /// Control characters and line separators shown as spaces, so that no title can drive a terminal.
  static func clean(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069:
        scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
