import FreshetStore

/// Says things to people, on stderr.
struct Diagnostics: Sendable {
  /// How stderr speaks.
  enum Format: String, Sendable, CaseIterable {
    case text
    /// One object a line: `ts`, `level` (`error`, `warning`, `note`, `step`), `message`.
    case ndjson
  }

  /// How much is said: −1 only errors and warnings, 0 errors and results, 1 and more also steps.
  let verbosity: Int
  let usesColor: Bool
  var format = Format.text

  /// Something went wrong.
  func error(_ message: String) { write("error", color: "31", message) }

  /// What is told may not be all there is.
  func warning(_ message: String) {
    write("warning", color: "33", format == .text ? "warning: " + message : message)
  }

  /// A result or a hint; silent under `-q`.
  func note(_ message: String) {
    if verbosity >= 0 { write("note", color: nil, message) }
  }

  /// A question, line by line; also under `-q`, as somebody is to answer it.
  func ask(_ lines: [String]) {
    for line in lines { write("", color: nil, line) }
  }

  /// A step; only under `-v`.
  func step(_ message: String) {
    if verbosity >= 1 { write("step", color: "2", message) }
  }

  private func write(_ level: StaticString, color: String?, _ message: String) {
    var bytes: [UInt8] = []
    switch format {
    case .text:
      let clean = TextLine.clean(message)
      let body = color.map { usesColor ? "\u{1B}[\($0)m\(clean)\u{1B}[0m" : clean } ?? clean
      bytes.append(contentsOf: "freshet: \(body)\n".utf8)
    case .ndjson:
      var writer = ObjectWriter()
      writer.nested { line in
        line.time("ts", System.wallMicroseconds)
        line.name("level", level)
        line.string("message", message)
      }
      bytes = writer.bytes + [UInt8(ascii: "\n")]
    }
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
