/// A file, or standard input for `-`, read in pieces.
final class Input {
  /// How messages call it.
  let name: String
  private let descriptor: Int32
  private let session: Session
  private static let chunkBytes = 262_144

  /// Opens a file for reading; a pipe's writer is waited for as bytes are.
  /// - Throws: ``Stop/input(_:)`` when it cannot be.
  init(_ path: String, session: Session) throws(Stop) {
    self.session = session
    if path == "-" {
      name = "standard input"
      descriptor = 0
      guard System.isReadable(0) else {
        throw .usage("unreadable_input", "cannot read standard input: it is closed")
      }
      return
    }
    name = path
    do {
      descriptor = try System.openInput(path)
    } catch {
      throw .usage("unreadable_input", "cannot open \(path): \(error.words)")
    }
    if System.isDirectory(descriptor) {
      throw .usage("unreadable_input", "cannot read \(path): it is a folder")
    }
  }

  deinit { if descriptor != 0 { System.closeFile(descriptor) } }

  /// Waits for more bytes and returns what there is, nil at the end.
  ///
  /// Everything said so far is flushed first, so that whoever feeds us by hand sees each answer.
  /// - Throws: ``Stop``: a signal, the reader's death, an unreadable input.
  func next() throws(Stop) -> [UInt8]? {
    while true {
      switch try next(until: nil, orCall: false) {
      case .bytes(let bytes): return bytes
      case .end: return nil
      case .nothing, .called: continue
      }
    }
  }

  /// What a wait for input came to.
  enum Piece {
    case bytes([UInt8])
    case end
    /// The time is over.
    case nothing
    /// Another thread wants something of this one.
    case called
  }

  /// The same, for no longer than until a moment, and with `orCall` until another thread calls.
  func next(
    until deadline: ContinuousClock.Instant?, orCall: Bool = false
  ) throws(Stop) -> Piece {
    try session.output.flush()
    while true {
      let remaining = deadline.map { ContinuousClock.now.duration(to: $0) }
      let wake = try session.waiter.wait(input: descriptor, timeout: remaining)
      if wake.isTimeout { return .nothing }
      if wake.isCalled, orCall { return .called }
      if !wake.inputIsReady { continue }
      if let piece = try read() { return piece }
    }
  }

  /// What is waited on by whoever waits for more than this input.
  var waitsOn: Int32 { descriptor }

  /// What can be read now; nil when that is nothing after all.
  func read() throws(Stop) -> Piece? {
    var bytes: [UInt8] = []
    do {
      let count = try System.read(from: descriptor, limit: Self.chunkBytes, into: &bytes)
      return count == 0 ? .end : .bytes(bytes)
    } catch  where error.isInterrupted || error.wouldBlock {
      return nil
    } catch {
      throw .input(
        Problem(code: "unreadable_input", message: "cannot read \(name): \(error.words)"))
    }
  }
}
