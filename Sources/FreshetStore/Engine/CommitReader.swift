/// Reads one segment commit by commit, and checks that nothing is missing between them.
struct CommitReader: Sendable {
  enum Step: Sendable {
    /// `commit` holds it.
    case commit
    /// At the limit, between two commits.
    case end
    case bad(BadSpot)
  }

  /// Where the journal stops making sense.
  struct BadSpot: Sendable {
    /// Where the commit begins that is not whole: a cut would be here.
    var start: Int64
    /// The line at fault.
    var line: Int64
    var reason: String
  }

  let segment: Int64
  private let source: DataFile
  private let hash: ItemHash
  private var reader: LineReader
  /// The last commit read, or the one before the first.
  private(set) var revision: Int64
  private(set) var epoch: Int64
  private(set) var commit: LogCommit
  /// The lines' ids and bodies, when they are wanted.
  private(set) var contents: [LineContent] = []
  private let wantsContents: Bool
  /// What is read is durable, so places in it may be remembered.
  private let isDurable: Bool
  private var nextWaypoint: Int64

  /// Begins between two commits: `revision` and `epoch` are those of the commit before.
  init(
    _ source: DataFile, from place: Place, limit: Int64, revision: Int64, epoch: Int64,
    hash: ItemHash, wantsContents: Bool = false, isDurable: Bool = true
  ) {
    segment = place.segment
    self.source = source
    self.hash = hash
    reader = LineReader(file: source.file, offset: place.offset, limit: limit)
    self.revision = revision
    self.epoch = epoch
    self.wantsContents = wantsContents
    self.isDurable = isDurable
    nextWaypoint = place.offset + Waypoints.stride
    commit = LogCommit(revision: revision, epoch: epoch, source: source, end: place)
  }

  var place: Place { Place(segment: segment, offset: reader.offset) }

  var limit: Int64 {
    get { reader.limit }
    set { reader.limit = newValue }
  }

  mutating func next() throws(StoreError) -> Step {
    commit.lines.removeAll(keepingCapacity: true)
    contents.removeAll(keepingCapacity: true)
    let start = reader.offset
    var count = 0
    while true {
      let lineStart = reader.offset
      let step: LineReader.Step
      do throws(SystemError) {
        step = try reader.next()
      } catch {
        throw StoreError.reading(FileNames.segment(segment), at: lineStart, error)
      }
      switch step {
      case .end:
        if count == 0 { return .end }
        return bad(start, lineStart, "commit \(commit.revision) ends before its last line")
      case .torn:
        return bad(start, lineStart, "the line has no end, or is too long for a record")
      case .line(let range):
        switch read(range, at: lineStart) {
        case .failure(let fault):
          return bad(start, lineStart, fault.description)
        case .success(let line):
          if let fault = accept(line, isFirst: count == 0, count: count) {
            return bad(start, lineStart, fault)
          }
          if line.kind == .unknown && line.isMandatory {
            throw newer(line.revision, at: lineStart)
          }
          count += 1
          guard line.index == line.count else { continue }
          revision = commit.revision
          epoch = commit.epoch
          commit.end = place
          if isDurable && place.offset >= nextWaypoint { leaveWaypoint() }
          return .commit
        }
      }
    }
  }

  private mutating func leaveWaypoint() {
    nextWaypoint = place.offset + Waypoints.stride
    source.waypoints.note(
      Waypoints.Point(revision: revision, epoch: epoch, offset: place.offset))
  }

  private func bad(_ start: Int64, _ line: Int64, _ reason: String) -> Step {
    .bad(BadSpot(start: start, line: line, reason: reason))
  }

  private func newer(_ revision: Int64, at offset: Int64) -> StoreError {
    StoreError(
      .newerFormat,
      "revision \(revision) at byte \(offset) of \(FileNames.segment(segment)) needs a newer "
        + "version of this program; use that version to open the store")
  }

  private var expectedCount = 1

  /// Checks the line's place in the history; says what is wrong with it.
  private mutating func accept(_ line: RecordLine, isFirst: Bool, count: Int) -> String? {
    if isFirst {
      let isNext = line.revision == revision + 1
      let isNewEpoch = line.kind == .epoch && line.revision > revision && line.epoch > epoch
      guard isNext || isNewEpoch else {
        return "revision \(revision) is followed by revision \(line.revision)"
      }
      guard line.kind != .epoch || line.epoch > epoch else {
        return "epoch \(epoch) is followed by epoch \(line.epoch)"
      }
      commit.revision = line.revision
      commit.epoch = line.kind == .epoch ? line.epoch : epoch
      commit.time = line.time
      expectedCount = line.count
    } else if line.revision != commit.revision {
      return "commit \(commit.revision) is cut short by revision \(line.revision)"
    }
    guard line.count == expectedCount, line.index == count + 1 else {
      return "line \(line.index)/\(line.count) stands where \(count + 1)/\(expectedCount) belongs"
    }
    return nil
  }

  private mutating func read(_ range: Range<Int>, at offset: Int64) -> Result<RecordLine, LineFault>
  {
    reader.buffer.withUnsafeBytes { bytes in
      let text = UnsafeRawBufferPointer(rebasing: bytes[range])
      do throws(LineFault) {
        let line = try RecordLine(text)
        commit.lines.append(
          LogLine(
            kind: line.kind, hash: line.id.isEmpty ? 0 : line.hash(in: text, hash),
            replaces: line.replaces, index: line.index, offset: offset,
            length: range.count + 1, hasBody: !line.body.isEmpty))
        if wantsContents {
          contents.append(
            LineContent(id: line.idBytes(in: text), body: [UInt8](text[line.body])))
        }
        return .success(line)
      } catch {
        return .failure(error)
      }
    }
  }
}
