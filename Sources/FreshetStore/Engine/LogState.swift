/// The journal folded up to one commit.
struct LogState: Sendable {
  var index = Index()
  /// Where the next commit begins.
  var end: Place
  /// The last commit.
  var revision: Int64
  var epoch: Int64 = 1
  /// The last revision of each epoch that has ended, oldest first.
  var epochEnds: [(epoch: Int64, lastRevision: Int64)] = []
  /// Lines of newer kinds that were passed over.
  var unknownLines = 0

  /// The state before the first commit of a journal that begins with `segment`.
  init(firstSegment segment: Int64) {
    end = Place(segment: segment, offset: 0)
    revision = segment - 1
  }

  /// Adds the commit after `revision`; commits that are in already are passed over.
  mutating func apply(_ commit: LogCommit) throws(StoreError) {
    guard commit.revision > revision else { return }
    for line in commit.lines where index.apply(line, revision: commit.revision) == nil {
      let name = FileNames.segment(line.location.place.segment)
      throw StoreError(
        .damaged,
        "revision \(commit.revision) at byte \(line.location.place.offset) of \(name) replaces "
          + "revision \(line.replaces) of its item, which is not there; "
          + StoreError.damageAdvice,
        path: name)
    }
    unknownLines += commit.lines.count { $0.kind == .unknown }
    if commit.epoch > epoch { epochEnds.append((epoch, revision)) }
    epoch = commit.epoch
    revision = commit.revision
    end = commit.end
  }
}
