import Dispatch
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
/// Any thread may emit; whole lines gather in a buffer. Only the main thread writes, so lines never
/// interleave; another thread's `flush()` waits until it has. The state lives in one mutex that is
/// never held during a write(2).
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
    /// Lays out lines for people; nil where stdout holds records.
    var layout: TextLayout?
    var sequence: Int64 = 0
    /// How many bytes have left the buffer to be written, and how many of them are.
    var takenBytes = 0
    var writtenBytes = 0
    /// Threads that wait until so many bytes are written.
    var waiting: [(bytes: Int, room: DispatchSemaphore)] = []
    /// The commit of the last record of a job that has one, and how many records it had.
    var revision: Int64 = 0
    var jobRecords = 0
    /// Records are numbered and left out: stdout carries a command's data instead.
    var isMuted = false
  }

  /// Whose output it is.
  private enum Role {
    /// The process's: it writes.
    case writer
    /// A job's: what it says goes through the writer's buffer, with the job's correlation id.
    /// `call` makes the main thread write.
    case job(Output, correlation: String?, call: @Sendable () -> Void)
  }

  private let state: Mutex<State>
  private let descriptor: Int32
  private let now: @Sendable () -> Int64
  private let role: Role

  init(
    format: Format, look: TextLook = TextLook(), descriptor: Int32 = 1,
    now: @escaping @Sendable () -> Int64 = { System.wallMicroseconds }
  ) {
    self.format = format
    self.descriptor = descriptor
    self.now = now
    role = .writer
    state = Mutex(State(layout: format == .text ? TextLayout(look) : nil))
  }

  /// The output of a job that runs beside the main thread.
  /// - Parameter call: Makes the main thread flush; called from the job's thread.
  init(jobOf writer: Output, correlation: String?, call: @escaping @Sendable () -> Void) {
    format = writer.format
    descriptor = writer.descriptor
    now = writer.now
    state = Mutex(State())
    role = .job(writer, correlation: correlation, call: call)
  }

  private var writer: Output {
    if case .job(let writer, _, _) = role { writer } else { self }
  }

  /// The number of records so far; of a job, of its own.
  var sequence: Int64 {
    if case .job = role { return Int64(jobProgress.records) }
    return state.withLock { $0.sequence }
  }

  /// How many bytes wait for a flush.
  var waitingBytes: Int { writer.state.withLock { $0.buffer.count } }

  /// How many records a job said, and the highest commit among them.
  var jobProgress: (records: Int, revision: Int64) {
    state.withLock { ($0.jobRecords, $0.revision) }
  }

  /// Whether a thread waits for a flush.
  var isFlushWanted: Bool { state.withLock { !$0.waiting.isEmpty } }

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
    if case .job(let writer, let correlation, _) = role {
      var (records, revision) = (0, Int64(0))
      let waiting = writer.batch(correlation: correlation) { batch in
        let before = batch.sequence
        body(&batch)
        records = Int(batch.sequence - before)
        revision = batch.revision
      }
      state.withLock { state in
        state.jobRecords += records
        state.revision = max(state.revision, revision)
      }
      return waiting
    }
    return batch(correlation: nil, body)
  }

  private func batch(correlation: String?, _ body: (inout Batch) -> Void) -> Int {
    state.withLock { state in
      var batch = Batch(
        format: format, correlation: correlation, bytes: [], sequence: state.sequence,
        isMuted: state.isMuted, now: now)
      swap(&batch.bytes, &state.buffer)
      swap(&batch.layout, &state.layout)
      body(&batch)
      swap(&batch.bytes, &state.buffer)
      swap(&batch.layout, &state.layout)
      state.sequence = batch.sequence
      return state.buffer.count
    }
  }

  /// Records on their way into the buffer.
  struct Batch {
    fileprivate let format: Format
    /// What stands for a record's own where it has none.
    fileprivate let correlation: String?
    fileprivate var bytes: [UInt8]
    fileprivate var layout: TextLayout?
    fileprivate var sequence: Int64
    fileprivate var revision: Int64 = 0
    fileprivate let isMuted: Bool
    fileprivate let now: @Sendable () -> Int64

    /// How many bytes wait.
    var waitingBytes: Int { bytes.count }

    mutating func emit(
      _ head: EventHead, text: @autoclosure () -> String? = nil,
      _ data: (inout ObjectWriter) -> Void
    ) {
      sequence += 1
      if let told = head.revision { revision = max(revision, told) }
      if isMuted { return }
      switch format {
      case .ndjson, .jsonSeq:
        if format == .jsonSeq { bytes.append(0x1E) }
        var writer = ObjectWriter(takingOver: &bytes)
        writeEnvelope(head, to: &writer)
        writer.object("data", data)
        writer.finish(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      case .text:
        if let text = text() { layout?.add(text, to: &bytes) }
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
        if let text = text() { layout?.add(text, to: &bytes) }
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
      if let correlation = head.correlation ?? correlation { object.string("cid", correlation) }
    }
  }

  /// From now on stdout carries a command's data, and no records.
  func carriesData() { state.withLock { $0.isMuted = true } }

  /// Appends a line that is no record, such as help.
  func printText(_ text: String) {
    writer.state.withLock { state in
      if state.layout != nil {
        state.layout?.add(text, to: &state.buffer)
        return
      }
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

  /// Writes everything that waits; a job waits until the main thread has written what it said.
  /// - Throws: ``Stop/readerGone`` or ``Stop/writeError(_:)``, on the main thread.
  func flush() throws(Stop) {
    if case .job(let writer, _, let call) = role { return writer.waitUntilWritten(call) }
    var bytes: [UInt8] = []
    state.withLock { state in
      state.layout?.finish(into: &state.buffer)
      swap(&bytes, &state.buffer)
      state.takenBytes += bytes.count
    }
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
    state.withLock { state in
      if state.buffer.isEmpty { swap(&bytes, &state.buffer) }
    }
    noteWritten(written)
  }

  /// Lets those go who waited for what is written.
  private func noteWritten(_ count: Int) {
    let served = state.withLock { state in
      state.writtenBytes += count
      let reached = state.writtenBytes
      let served = state.waiting.filter { $0.bytes <= reached }
      if !served.isEmpty { state.waiting.removeAll { $0.bytes <= reached } }
      return served
    }
    for waiting in served { waiting.room.signal() }
  }

  /// Waits until all that is in the buffer now, or on its way out of it, is written.
  ///
  /// Should the main thread be about to end the process, then this thread ends with it.
  private func waitUntilWritten(_ call: () -> Void) {
    let room = DispatchSemaphore(value: 0)
    let mustWait = state.withLock { state in
      state.layout?.finish(into: &state.buffer)
      let due = state.takenBytes + state.buffer.count
      if due == state.writtenBytes { return false }
      state.waiting.append((due, room))
      return true
    }
    guard mustWait else { return }
    call()
    room.wait()
  }

  /// Writes of what waits as much as the reader takes at once; a job has the main thread write.
  ///
  /// A pipe that can be written takes 4096 bytes (PIPE_BUF) without waiting.
  /// - Throws: ``Stop/readerGone`` or ``Stop/writeError(_:)``.
  func flushWhatFits() throws(Stop) {
    if case .job(_, _, let call) = role { return call() }
    while true {
      let head = state.withLock { state in
        state.layout?.finish(into: &state.buffer)
        return Array(state.buffer.prefix(4096))
      }
      guard !head.isEmpty else { return }
      do throws(System.Failure) {
        let ready = try System.poll(
          [System.Interest(descriptor: descriptor, write: true)], timeout: .zero)
        guard ready[0].isWritable || ready[0].isBroken else { return }
        // A broken pipe says so when it is written.
        let written = try writeOnce(head, from: 0)
        state.withLock { state in
          state.buffer.removeFirst(written)
          state.takenBytes += written
        }
        noteWritten(written)
      } catch {
        if error.isInterrupted { continue }
        if error.wouldBlock { return }
        if error.isBrokenPipe { throw .readerGone }
        throw .writeError(
          Problem(code: "write_error", message: "cannot write to stdout: \(error.words)"))
      }
    }
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
