import FreshetStore
import Synchronization

/// What an event says beside its data.
struct EventHead {
  let type: StaticString
  /// The commit, and where in it the event stands.
  var revision: Int64?
  var index: Int?
  var count: Int?
  var cursor: String?
  /// Microseconds since 1970: the commit's time; nil for now.
  var time: Int64?
  var view: StaticString?
  var id: String?
  var correlation: String?

  init(_ type: StaticString) { self.type = type }
}

/// The one writer of stdout, or of another descriptor that is measured.
///
/// Any thread may emit; whole lines gather in a buffer. Only the main thread flushes, so lines
/// never interleave. The state lives in one mutex that is never held during a write(2).
final class Output: Sendable {
  /// How the records are written.
  enum Format: String, Sendable, CaseIterable {
    case ndjson
    /// RFC 7464: each record begins with U+001E, so that a reader finds the next one after damage.
    case jsonSeq = "json-seq"
    case text

    /// Whether stdout holds records and nothing else.
    var isRecords: Bool { self != .text }
  }

  /// From how many waiting bytes on a producer should wait for a flush.
  static let highWaterBytes = 65_536

  let format: Format

  private struct State {
    var buffer: [UInt8] = []
    var sequence: Int64 = 0
  }

  private let state = Mutex(State())
  private let descriptor: Int32
  private let now: @Sendable () -> Int64

  init(
    format: Format, descriptor: Int32 = 1,
    now: @escaping @Sendable () -> Int64 = { System.wallMicroseconds }
  ) {
    self.format = format
    self.descriptor = descriptor
    self.now = now
  }

  /// The number of records so far.
  var sequence: Int64 { state.withLock { $0.sequence } }

  /// How many bytes wait for a flush.
  var waitingBytes: Int { state.withLock { $0.buffer.count } }

  /// Appends one record: the envelope in the documented order of keys, or its line of text.
  /// - Returns: How many bytes wait now.
  @discardableResult
  func emit(
    _ head: EventHead, text: @autoclosure () -> String? = nil,
    _ data: (inout ObjectWriter) -> Void
  ) -> Int {
    batch { $0.emit(head, text: text(), data) }
  }

  /// Appends records that must not be parted by another thread's.
  /// - Returns: How many bytes wait now.
  @discardableResult
  func batch(_ body: (inout Batch) -> Void) -> Int {
    state.withLock { state in
      var batch = Batch(
        format: format, bytes: [], sequence: state.sequence, now: now)
      swap(&batch.bytes, &state.buffer)
      body(&batch)
      swap(&batch.bytes, &state.buffer)
      state.sequence = batch.sequence
      return state.buffer.count
    }
  }

  /// Records on their way into the buffer.
  struct Batch {
    fileprivate let format: Format
    fileprivate var bytes: [UInt8]
    fileprivate var sequence: Int64
    fileprivate let now: @Sendable () -> Int64

    mutating func emit(
      _ head: EventHead, text: @autoclosure () -> String? = nil,
      _ data: (inout ObjectWriter) -> Void
    ) {
      sequence += 1
      switch format {
      case .ndjson, .jsonSeq:
        if format == .jsonSeq { bytes.append(0x1E) }
        var writer = ObjectWriter(takingOver: &bytes)
        writeEnvelope(head, to: &writer)
        writer.object("data", data)
        writer.finish(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      case .text:
        guard let text = text() else { return }
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
      }
    }

    /// A record that was written earlier, with the number it has here.
    mutating func emit(replaying record: JSONObject, text: @autoclosure () -> String? = nil) {
      sequence += 1
      switch format {
      case .ndjson, .jsonSeq:
        if format == .jsonSeq { bytes.append(0x1E) }
        var record = record
        record["seq"] = .number(JSONNumber(sequence))
        JSONValue.object(record).appendJSON(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      case .text:
        guard let text = text() else { return }
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
      }
    }

    private func writeEnvelope(_ head: EventHead, to object: inout ObjectWriter) {
      object.int("v", 1)
      object.int("seq", sequence)
      if let revision = head.revision { object.int("rev", revision) }
      if let index = head.index, let count = head.count, count > 1 {
        object.int("i", index)
        object.int("n", count)
      }
      if let cursor = head.cursor { object.string("cursor", cursor) }
      object.time("ts", head.time ?? now())
      object.name("type", head.type)
      if let view = head.view { object.name("view", view) }
      if let id = head.id { object.string("id", id) }
      if let correlation = head.correlation { object.string("cid", correlation) }
    }
  }

  /// Appends a line that is no record, such as help.
  func printText(_ text: String) {
    state.withLock { state in
      state.buffer.append(contentsOf: text.utf8)
      state.buffer.append(UInt8(ascii: "\n"))
    }
  }

  /// Takes what waits away instead of writing it, to measure how it comes to be.
  func takeWaiting() -> [UInt8] {
    state.withLock { state in
      defer { state.buffer.removeAll(keepingCapacity: true) }
      return state.buffer
    }
  }

  // MARK: Writing

  /// Writes everything that waits; called by the main thread only.
  /// - Throws: ``Stop/readerGone`` or ``Stop/writeError(_:)``.
  func flush() throws(Stop) {
    var bytes: [UInt8] = []
    state.withLock { swap(&bytes, &$0.buffer) }
    guard !bytes.isEmpty else { return }
    var written = 0
    while written < bytes.count {
      do {
        written += try writeOnce(bytes, from: written)
      } catch  where error.isInterrupted {
        continue
      } catch  where error.wouldBlock {
        try waitForRoom()
      } catch  where error.isBrokenPipe {
        throw .readerGone
      } catch {
        throw .writeError(
          Problem(code: "write_error", message: "cannot write to stdout: \(error.words)"))
      }
    }
    // The memory goes back for the next lines unless newer ones wait already or it grew large.
    bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Self.highWaterBytes)
    state.withLock { if $0.buffer.isEmpty { swap(&bytes, &$0.buffer) } }
  }

  private func writeOnce(
    _ bytes: [UInt8], from start: Int
  ) throws(System.Failure) -> Int {
    let result: Result<Int, System.Failure> = bytes.withUnsafeBytes { buffer in
      do throws(System.Failure) {
        return .success(
          try System.write(UnsafeRawBufferPointer(rebasing: buffer[start...]), to: descriptor))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// stdout was made non-blocking by somebody: wait as a blocking write would.
  private func waitForRoom() throws(Stop) {
    do {
      _ = try System.poll([System.Interest(descriptor: descriptor, write: true)], timeout: nil)
    } catch {
      throw .writeError(
        Problem(code: "write_error", message: "cannot wait for stdout: \(error.words)"))
    }
  }
}

extension ObjectWriter {
  /// A string of ours that needs no escaping.
  mutating func name(_ key: StaticString, _ value: StaticString) {
    string(key, value.description)
  }
}
