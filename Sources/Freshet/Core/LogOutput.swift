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

/// Writes lines to standard output.
public struct StandardLogOutput: LogOutput {
  /// Makes the output.
  public init() {}

  /// Writes one line and a line break to standard output.
  public func write(_ line: String) {
    print(line)
  }
}
