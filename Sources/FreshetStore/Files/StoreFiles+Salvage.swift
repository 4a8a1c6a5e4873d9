import Freshet
import Synchronization

/// What was rescued from a store.
public struct SalvageReport: Sendable, Hashable {
  /// Commits of which nothing could be kept, or lines of one, between two that could be read.
  public struct Gap: Sendable, Hashable {
    /// The last revision before it that was kept; 0 before the first.
    public let after: Int64
    /// The first revision behind it that was kept; nil at the end.
    public let before: Int64?

    /// Makes a gap.
    public init(after: Int64, before: Int64?) {
      self.after = after
      self.before = before
    }
  }

  /// The new store's id: tokens of the old store do not fit it.
  public var storeID = ""
  /// The commits that were kept.
  public var commits = 0
  /// Those of which only some lines were kept.
  public var partialCommits = 0
  /// The records that were kept.
  public var records = 0
  /// The records that check, but say nothing without what was lost: deletes and restores of items
  /// that are not there.
  public var recordsWithoutEffect = 0
  /// The bytes that do not check.
  public var badBytes: Int64 = 0
  /// Where revisions are missing, in order.
  public var gaps: [Gap] = []
  /// The live items of the new store.
  public var liveCount = 0

  /// Makes an empty report.
  public init() {}
}

extension StoreFiles {
  /// Writes a new store with all that can be read of a store, damaged or not.
  ///
  /// It reads every segment, goes on behind the next newline after bytes that do not check, and
  /// repeats each commit in the new store, in order: the list order, deleted items and times are
  /// kept, revisions are counted anew. Where commits are missing or damaged and a whole snapshot was
  /// made after them, it begins with the items of that. The old store is only read. When it fails, the new store is
  /// left as far as it came.
  ///
  /// - Parameters:
  ///   - path: The store to read.
  ///   - destination: A directory that is empty or not there.
  ///   - options: The disk, for tests.
  ///   - progress: Called with the bytes read so far and in all, about once per MiB.
  /// - Throws: `notAStore`, `notADirectory`, `notReadable`, `ioError` for the old store; for the new
  ///   one as `DatabaseManager.open(at:options:)`, and `notAStore` when it is not empty.
  /// - Complexity: O(bytes of the store) time, O(items) memory.
  public static func salvage(
    _ path: String, to destination: String, options: StoreOptions = StoreOptions(),
    progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws(StoreError) -> SalvageReport {
    let folder = try folder(path, options)
    let listing = try folder.listing()
    let base = try SalvageBase(folder: folder).choose(listing)
    var segments: [Int64] = []
    for segment in listing.segments where segment > base ?? 0 {
      if try folder.segmentIfThere(segment) != nil { segments.append(segment) }
    }
    if segments.isEmpty && base == nil {
      throw StoreError(.notAStore, "\(path) holds no segment of a journal", path: path)
    }
    if let names = try? options.fileSystem.list(destination), !names.isEmpty {
      // A destination that cannot be listed is refused by the opening, with the reason.
      throw StoreError(
        .notAStore, "\(destination) is not empty; choose a new directory", path: destination)
    }
    let time = SharedTime()
    var newOptions = options
    newOptions.isReadOnly = false
    newOptions.createsIfMissing = true
    newOptions.durability = .everyCommit
    newOptions.now = { time.value }
    let store = try DatabaseManager.open(at: destination, options: newOptions)
    defer { store.close() }
    var salvage = Salvage(folder: folder, store: store, time: time)
    try salvage.run(base, segments, progress)
    salvage.report.storeID = store.storeID
    return salvage.report
  }
}

/// The time of the commit that is being repeated.
private final class SharedTime: Sendable {
  private let microseconds = Atomic<Int64>(Platform.wallClockMicroseconds)

  var value: Int64 { microseconds.load(ordering: .relaxed) }

  func set(_ value: Int64) { microseconds.store(value, ordering: .relaxed) }
}

/// One run of `salvage`.
private struct Salvage {
  let folder: StoreFolder
  let time: SharedTime
  var report = SalvageReport()
  private let writer: RepeatingWriter
  /// Whether an item is live, of those that the new store holds.
  private var known: [[UInt8]: Bool] = [:]
  private var revision: Int64 = 0
  /// The commit that is being read.
  private var operations: [Operation] = []
  private var seen = 0
  private var last: RecordLine?

  init(folder: StoreFolder, store: DatabaseManager, time: SharedTime) {
    self.folder = folder
    self.time = time
    writer = RepeatingWriter(store)
  }

  mutating func run(
    _ base: Int64?, _ segments: [Int64], _ progress: (Int64, Int64) -> Void
  ) throws(StoreError) {
    var total: Int64 = 0
    for segment in segments { total += try folder.size(ofSegment: segment) }
    var done: Int64 = 0
    revision = base ?? (segments.first ?? 1) - 1
    if let base { try readSnapshot(base) }
    for segment in segments {
      let size = try folder.size(ofSegment: segment)
      var scan = SegmentScan(file: try folder.segment(segment).file, size: size)
      var told: Int64 = 0
      while let step = try next(&scan, segment), try take(step, scan, size) {
        if scan.place - told > 1 << 20 {
          told = scan.place
          progress(done + scan.place, total)
        }
      }
      done += size
    }
    try flush()
    try writer.finish()
    report.liveCount = known.values.count { $0 }
    progress(total, total)
  }

  /// Saves the items of a snapshot whose lines check, in its order.
  private mutating func readSnapshot(_ revision: Int64) throws(StoreError) {
    let path = folder.path(of: FileNames.snapshot(revision))
    var lines: LineReader
    do throws(SystemError) {
      let file = try folder.fileSystem.open(path, .read)
      lines = LineReader(file: file, offset: 0, limit: try file.status().size)
    } catch {
      throw .reading(path, at: 0, error)
    }
    while let line = try nextLine(&lines, path) {
      if !addItem(line, isFirst: lines.offset == Int64(line.count + 1)) {
        report.badBytes += Int64(line.count + 1)
      }
      if operations.count >= 200 { try flushItems() }
    }
    try flushItems()
  }

  /// The next line, good or bad; what has no end, or is too long, is passed over and counted.
  private mutating func nextLine(
    _ lines: inout LineReader, _ path: String
  ) throws(StoreError) -> [UInt8]? {
    do throws(SystemError) {
      while true {
        let start = lines.offset
        switch try lines.next() {
        case .end: return nil
        case .line(let range): return Array(lines.buffer[range])
        case .torn:
          let goesOn = try lines.skipTornLine()
          report.badBytes += lines.offset - start
          if !goesOn { return nil }
        }
      }
    } catch {
      throw .reading(path, at: lines.offset, error)
    }
  }

  /// False for a line that is no item, and is neither the first nor the last of a snapshot.
  private mutating func addItem(_ line: [UInt8], isFirst: Bool) -> Bool {
    line.withUnsafeBytes { bytes in
      do throws(LineFault) {
        let item = try SnapshotLine(bytes)
        let raw = UnsafeRawBufferPointer(rebasing: bytes[item.id])
        let id = item.idHasEscapes ? EscapedID.bytes(raw) : [UInt8](raw)
        let text = String(decoding: id, as: UTF8.self)
        operations.append(.save(id: text, body: Array(bytes[item.body])))
        if item.isDeleted { operations.append(.delete(id: text)) }
        known[id] = !item.isDeleted
        report.records += 1
        return true
      } catch {
        return isFirst && SnapshotHeader(line: line[...]) != nil
          || SnapshotFooter(line: line[...]) != nil
      }
    }
  }

  private mutating func flushItems() throws(StoreError) {
    if operations.isEmpty { return }
    report.commits += 1
    try writer.apply(operations)
    operations = []
  }

  private func next(
    _ scan: inout SegmentScan, _ segment: Int64
  ) throws(StoreError) -> SegmentScan.Step? {
    do throws(SystemError) {
      let step = try scan.next()
      if case .end = step { return nil }
      return step
    } catch {
      throw .reading(folder.path(ofSegment: segment), at: scan.offset, error)
    }
  }

  /// False at the end of the segment.
  private mutating func take(
    _ step: SegmentScan.Step, _ scan: SegmentScan, _ size: Int64
  ) throws(StoreError) -> Bool {
    switch step {
    case .record:
      guard let line = scan.line else { return true }
      if let last, line.revision != last.revision || line.index <= last.index { try flush() }
      try add(line, scan)
      return true
    case .bad:
      report.badBytes += scan.place - scan.offset
      return true
    case .torn:
      report.badBytes += size - scan.offset
      return false
    case .end:
      return false
    }
  }

  private mutating func add(_ line: RecordLine, _ scan: SegmentScan) throws(StoreError) {
    if last == nil, line.revision != revision + 1, line.kind != .epoch {
      report.gaps.append(.init(after: revision, before: line.revision))
    }
    revision = max(revision, line.revision)
    seen += 1
    let id = scan.id
    let text = String(decoding: id, as: UTF8.self)
    let body = scan.body
    var isKept = true
    switch line.kind {
    case .put:
      operations.append(.save(id: text, body: body))
      known[id] = true
    case .soft:
      if known[id] == true {
        operations.append(.delete(id: text))
      } else if !body.isEmpty {
        operations += [.save(id: text, body: body), .delete(id: text)]
      } else {
        isKept = false
      }
      if isKept { known[id] = false }
    case .restore:
      operations.append(known[id] == false ? .restore(id: text) : .save(id: text, body: body))
      known[id] = true
    case .clear:
      operations.append(.deleteAll)
      for id in known.keys { known[id] = false }
    default:
      // It says nothing about items, or only newer versions know what.
      isKept = line.kind == .epoch
    }
    if isKept { report.records += 1 } else { report.recordsWithoutEffect += 1 }
    last = line
    if line.index == line.count { try flush() }
  }

  /// Repeats the commit that was read.
  private mutating func flush() throws(StoreError) {
    guard let line = last else { return }
    if seen < line.count { report.partialCommits += 1 }
    if !operations.isEmpty {
      report.commits += 1
      time.set(line.time)
      try writer.apply(operations)
    }
    operations = []
    seen = 0
    last = nil
  }
}

/// Hands commits to a store without waiting for each, so that many share a sync.
private final class RepeatingWriter {
  private static let inFlight = 256
  private let store: DatabaseManager
  private let permits = Permits(inFlight)
  private let failure = FirstFailure()

  init(_ store: DatabaseManager) { self.store = store }

  func apply(_ operations: [Operation]) throws(StoreError) {
    permits.take()
    if let error = failure.error { throw error }
    // Without a token: a token that nobody keeps would take the commit back.
    store.apply(operations).subscribe(Answer(permits: permits, failure: failure))
  }

  /// Gives the permit back once the commit is answered.
  private struct Answer: Observer {
    typealias Element = CommitReceipt
    typealias Failure = StoreError
    static var mayPause: Bool { false }
    let permits: Permits
    let failure: FirstFailure

    func start(_ subscription: Subscription) {}
    func receive(_ value: CommitReceipt) -> Freshet.Answer { .more }

    func end(_ end: End<StoreError>) {
      if case .failed(let error) = end { failure.note(error) }
      permits.giveBack()
    }
  }

  func finish() throws(StoreError) {
    for _ in 0..<Self.inFlight { permits.take() }
    for _ in 0..<Self.inFlight { permits.giveBack() }
    if let error = failure.error { throw error }
  }
}

private final class FirstFailure: Sendable {
  private let first = Mutex<StoreError?>(nil)

  var error: StoreError? { first.withLock { $0 } }

  func note(_ error: StoreError) { first.withLock { $0 = $0 ?? error } }
}
