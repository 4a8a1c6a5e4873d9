/// Reads commits in order, through all segments, up to a watermark.
///
/// It holds the segment that it is in: compaction may take the name away, and the cursor reads on.
struct LogCursor: Sendable {
  let folder: StoreFolder
  private let wantsContents: Bool
  /// Where the next commit begins.
  private(set) var place: Place
  /// The last commit read, or the one before the first.
  private(set) var revision: Int64
  private(set) var epoch: Int64
  private var source: DataFile?
  private var reader: CommitReader?

  /// Begins between two commits: `revision` and `epoch` are those of the commit before, `source` is
  /// the segment of the place, when it is at hand.
  init(
    folder: StoreFolder, from place: Place, revision: Int64, epoch: Int64, source: DataFile?,
    wantsContents: Bool
  ) {
    self.folder = folder
    self.place = place
    self.revision = revision
    self.epoch = epoch
    self.source = source
    self.wantsContents = wantsContents
  }

  /// Begins after the last commit of a state.
  init(folder: StoreFolder, after log: LogState, wantsContents: Bool) {
    self.init(
      folder: folder, from: log.end, revision: log.revision, epoch: log.epoch, source: log.tail,
      wantsContents: wantsContents)
  }

  /// How far it has read, as HEAD would say it.
  var read: HeadRecord {
    HeadRecord(epoch: epoch, segment: place.segment, offset: place.offset, revision: revision)
  }

  /// The commit that `next` found.
  var commit: LogCommit {
    guard let reader else { preconditionFailure("a commit is there when next() has said so") }
    return reader.commit
  }

  /// Its lines' ids and bodies, when they are wanted.
  var contents: [LineContent] { reader?.contents ?? [] }

  /// True when there is a commit before the watermark; false when all are read.
  ///
  /// A segment is finished only when HEAD is in a later one, and the next one is the one that
  /// begins with the revision after the last read: a missing one is an error, never the end (I4).
  mutating func next(upTo limit: HeadRecord) throws(StoreError) -> Bool {
    while true {
      guard limit.segment >= place.segment else { return false }
      let isLast = limit.segment == place.segment
      if isLast && limit.offset <= place.offset { return false }
      let source = try currentSource()
      let end = isLast ? limit.offset : try source.size
      if end > place.offset {
        if try read(source, upTo: end) { return true }
      }
      if isLast { return false }
      try enterNextSegment()
    }
  }

  private mutating func currentSource() throws(StoreError) -> DataFile {
    if let source { return source }
    let found: DataFile
    do throws(StoreError) {
      found = try folder.segment(place.segment)
    } catch {
      throw try missing(place.segment) ?? error
    }
    source = found
    return found
  }

  private mutating func read(_ source: DataFile, upTo end: Int64) throws(StoreError) -> Bool {
    if reader == nil {
      reader = CommitReader(
        source, from: place, limit: end, revision: revision, epoch: epoch, hash: folder.hash,
        wantsContents: wantsContents)
    }
    reader?.limit = end
    switch try reader?.next() {
    case .commit:
      let found = commit
      place = found.end
      revision = found.revision
      epoch = found.epoch
      return true
    case .end, nil: return false
    case .bad(let spot):
      let name = FileNames.segment(place.segment)
      throw StoreError(
        .damaged,
        "\(name) is damaged at byte \(spot.line), after revision \(revision): "
          + "\(spot.reason); " + StoreError.damageAdvice, path: folder.path(of: name))
    }
  }

  private mutating func enterNextSegment() throws(StoreError) {
    let next = revision + 1
    let found: DataFile
    do throws(StoreError) {
      found = try folder.segment(next)
    } catch {
      throw try missing(next) ?? error
    }
    place = Place(segment: next, offset: 0)
    source = found
    reader = nil
  }

  /// Why a segment is not there: compaction has removed it, or nil when it should be there.
  private func missing(_ segment: Int64) throws(StoreError) -> StoreError? {
    let listing = try folder.listing()
    guard !listing.segments.contains(segment), let base = listing.oldestBase, base > revision else {
      return nil
    }
    return folder.compacted(after: revision, listing)
  }
}
