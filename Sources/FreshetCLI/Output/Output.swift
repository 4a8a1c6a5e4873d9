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

  /// The longest line, without its newline.
  static let lineLimitBytes = 1 << 20

  let format: Format

  private struct State {
    /// The bytes that wait, and what goes to them.
    var batch: Batch
    /// How many bytes have left the buffer to be written, and how many of them are.
    var takenBytes = 0
    var writtenBytes = 0
    /// Threads that wait until so many bytes are written.
    var waiting: [(bytes: Int, room: DispatchSemaphore)] = []
    /// The commit of the last record of a job that has one, and how many records it had.
    var revision: Int64 = 0
    var jobRecords = 0

    var buffer: [UInt8] {
      get { batch.writer.bytes }
      _modify { yield &batch.writer.bytes }
    }
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
  private let role: Role

  init(
    format: Format, look: TextLook = TextLook(), descriptor: Int32 = 1,
    now: @escaping @Sendable () -> Int64 = { System.wallMicroseconds }
  ) {
    self.format = format
    self.descriptor = descriptor
    role = .writer
    state = Mutex(
      State(
        batch: Batch(
          format: format, now: now, layout: format == .text ? TextLayout(look) : nil)))
  }

  /// The output of a job that runs beside the main thread.
  /// - Parameter call: Makes the main thread flush; called from the job's thread.
  init(jobOf writer: Output, correlation: String?, call: @escaping @Sendable () -> Void) {
    format = writer.format
    descriptor = writer.descriptor
    // Nothing is ever put into it.
    state = Mutex(State(batch: Batch(format: format, now: { 0 })))
    role = .job(writer, correlation: correlation, call: call)
  }

  private var writer: Output {
    if case .job(let writer, _, _) = role { writer } else { self }
  }

  /// The number of records so far; of a job, of its own.
  var sequence: Int64 {
    if case .job = role { return Int64(jobProgress.records) }
    return state.withLock { $0.batch.sequence }
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
      state.batch.correlation = correlation
      state.batch.revision = 0
      body(&state.batch)
      return state.buffer.count
    }
  }

  /// Records on their way into the buffer.
  struct Batch {
    fileprivate let format: Format
    fileprivate let now: @Sendable () -> Int64
    /// Lays out lines for people; nil where stdout holds records.
    fileprivate var layout: TextLayout?
    fileprivate var writer = ObjectWriter()
    fileprivate var sequence: Int64 = 0
    /// What stands for a record's own where it has none.
    fileprivate var correlation: String?
    /// The highest commit of the batch's records.
    fileprivate var revision: Int64 = 0
    /// Records are numbered and left out: stdout carries a command's data instead.
    fileprivate var isMuted = false

    fileprivate init(
      format: Format, now: @escaping @Sendable () -> Int64, layout: TextLayout? = nil
    ) {
      self.format = format
      self.now = now
      self.layout = layout
    }

    /// How many bytes wait.
    var waitingBytes: Int { writer.bytes.count }

    mutating func emit(
      _ head: EventHead, text: @autoclosure () -> String? = nil,
      _ data: (inout ObjectWriter) -> Void
    ) {
      sequence += 1
      if let told = head.revision { revision = max(revision, told) }
      if isMuted { return }
      switch format {
      case .ndjson, .jsonSeq:
        let start = writer.bytes.count
        write(head, data)
        if writer.bytes.count - start > Output.lineLimitBytes {
          writer.bytes.removeLast(writer.bytes.count - start)
          writer.isTight = true
          write(head, data)
          writer.isTight = false
        }
      case .text:
        if let text = text() { layout?.add(text, to: &writer.bytes) }
      }
    }

    private mutating func write(_ head: EventHead, _ data: (inout ObjectWriter) -> Void) {
      if format == .jsonSeq { writer.bytes.append(0x1E) }
      writer.open()
      writeEnvelope(head)
      writer.object("data", data)
      writer.close()
      writer.bytes.append(UInt8(ascii: "\n"))
    }

    /// A record that was written earlier, with the number it has here; as much of it as fits into a
    /// line.
    mutating func emit(replaying record: JSONObject, text: @autoclosure () -> String? = nil) {
      sequence += 1
      switch format {
      case .ndjson, .jsonSeq:
        let start = writer.bytes.count
        for form in ReplayForm.allCases {
          writer.bytes.removeLast(writer.bytes.count - start)
          if format == .jsonSeq { writer.bytes.append(0x1E) }
          var record = form.of(record)
          record["seq"] = .number(JSONNumber(sequence))
          JSONValue.object(record).appendJSON(to: &writer.bytes)
          writer.bytes.append(UInt8(ascii: "\n"))
          if writer.bytes.count - start <= Output.lineLimitBytes { break }
        }
      case .text:
        if let text = text() { layout?.add(text, to: &writer.bytes) }
      }
    }

    /// Lays a line out; false where stdout holds records.
    fileprivate mutating func addText(_ text: String) -> Bool {
      layout?.add(text, to: &writer.bytes) != nil
    }

    /// Lays out the lines that wait for others.
    fileprivate mutating func finishLayout() { layout?.finish(into: &writer.bytes) }

    private mutating func writeEnvelope(_ head: EventHead) {
      writer.int("v", 1)
      writer.int("seq", sequence)
      if let revision = head.revision { writer.int("rev", revision) }
      if let index = head.index, let count = head.count, count > 1 {
        writer.int("i", index)
        writer.int("n", count)
      }
      if let cursor = head.cursor { writer.string("cursor", cursor) }
      writer.time("ts", head.time ?? now())
      writer.name("type", head.type)
      if let view = head.view { writer.name("view", view) }
      if let id = head.id { writer.string("id", id) }
      if let correlation = head.correlation ?? correlation { writer.string("cid", correlation) }
    }
  }

  /// From now on stdout carries a command's data, and no records.
  func carriesData() { state.withLock { $0.batch.isMuted = true } }

  /// Appends a line that is no record, such as help.
  func printText(_ text: String) {
    writer.state.withLock { state in
      if state.batch.addText(text) { return }
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
      state.batch.finishLayout()
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
      state.batch.finishLayout()
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
        state.batch.finishLayout()
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
