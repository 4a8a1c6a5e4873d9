import CFreshetThreads

/// A place that lines of text are written to.
public protocol LogOutput: Sendable {
  /// Writes one line.
  ///
  /// Called on whatever thread the stream runs on; two streams that share an
  /// output may call it at the same time.
  ///
  /// - Parameter line: The text, without a line break at its end.
  func write(_ line: String)
}

/// Writes lines to standard output, or to another open file.
///
/// Each line is written at once and whole, past the buffers of the C library: lines that two
/// threads write at the same time do not mix as long as they have at most 4096 bytes, which is
/// what a pipe takes in one piece. It waits for a reader that is slow. A line that cannot be
/// written, because the reader has gone or the disk is full, is dropped: a log ends
/// neither the program nor the stream that it looks at.
public struct StandardLogOutput: LogOutput {
  private let descriptor: Int32

  /// Makes the output.
  ///
  /// - Parameter descriptor: The open file: 1 is standard output, 2 standard error.
  public init(descriptor: Int32 = 1) {
    self.descriptor = descriptor
  }

  /// Writes one line and a line break.
  ///
  /// - Complexity: O(n) in the length of the line; four system calls unless the reader is slow.
  public func write(_ line: String) {
    var text = line + "\n"
    // The error is dropped with the line, as is said above.
    _ = text.withUTF8 { freshet_write_all(descriptor, $0.baseAddress, $0.count) }
  }
}
