/// Reads commits in order, through all segments, up to a watermark.
struct LogCursor: Sendable {
  let folder: StoreFolder
  private let wantsContents: Bool
  /// Where the next commit begins.
  private(set) var place: Place
  /// The last commit read, or the one before the first.
  private(set) var revision: Int64
  private(set) var epoch: Int64
  private var reader: CommitReader?

  /// Begins between two commits: `revision` and `epoch` are those of the commit before.
  init(
    folder: StoreFolder, from place: Place, revision: Int64, epoch: Int64, wantsContents: Bool
  ) {
    self.folder = folder
    self.place = place
    self.revision = revision
    self.epoch = epoch
    self.wantsContents = wantsContents
  }

  /// The commit that `next` found.
  var commit: LogCommit {
    reader?.commit ?? LogCommit(revision: revision, epoch: epoch, end: place)
  }

  /// Its lines' ids and bodies, when they are wanted.
  var contents: [LineContent] { reader?.contents ?? [] }

  /// True when there is a commit before the watermark; false when all are read.
  ///
  /// A segment is finished only when HEAD is in a later one, and the next one is the one that
  /// begins with the revision after the last read: a missing one is an error, never the end.
  mutating func next(upTo limit: HeadRecord) throws(StoreError) -> Bool {
    while true {
      guard limit.segment >= place.segment else { return false }
      let isLast = limit.segment == place.segment
      let end = isLast ? limit.offset : try folder.size(ofSegment: place.segment)
      if end > place.offset {
        if try read(upTo: end) { return true }
      }
      if isLast { return false }
      try enterNextSegment()
    }
  }

  private mutating func read(upTo end: Int64) throws(StoreError) -> Bool {
    if reader == nil {
      reader = CommitReader(
        file: try folder.segment(place.segment), from: place, limit: end, revision: revision,
        epoch: epoch, wantsContents: wantsContents)
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
    if try !folder.hasSegment(next) {
      let first = try folder.segments().first ?? next
      if first > next {
        throw StoreError(
          .compacted,
          "the changes after revision \(revision) are no longer kept; the oldest is "
            + "\(first)", path: folder.path)
      }
      throw StoreError(
        .damaged, "\(FileNames.segment(next)) is missing; restore it from a copy of the store",
        path: folder.path(ofSegment: next))
    }
    place = Place(segment: next, offset: 0)
    reader = nil
  }
}
