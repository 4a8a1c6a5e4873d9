/// The journal folded up to one commit.
struct LogState: Sendable {
  var index: Index
  /// Where the next commit begins.
  var end: Place
  /// The segment of `end`, held so that it stays readable; nil before it was opened.
  var tail: DataFile?
  /// The last commit.
  var revision: Int64
  var epoch: Int64 = 1
  /// The last revision of each epoch that has ended, oldest first.
  var epochEnds: [SnapshotHeader.EpochEnd] = []
  /// The commits so far, which are fewer than the revision when epochs were skipped.
  var commits: Int64 = 0
  /// The bytes of the journal after the base.
  var tailBytes: Int64 = 0
  /// Lines of newer kinds that were passed over.
  var unknownLines = 0
  /// The last delete-all, and the index before it: feeds spell it out.
  var beforeClear: (revision: Int64, index: Index)?

  /// The state of a snapshot, or that before the first commit.
  init(base: Snapshot? = nil) {
    index = Index(base: base)
    revision = base?.revision ?? 0
    end = Place(segment: revision + 1, offset: 0)
    guard let header = base?.header else { return }
    epoch = header.epoch
    epochEnds = header.epochEnds
    commits = header.commits
  }

  /// The bytes that no item needs any more, of the base and after it.
  var deadBytes: Int64 {
    max(0, (index.base?.footer.offset ?? 0) + tailBytes - index.keptBytes)
  }

  /// Adds the commit after `revision`; commits that are in already are passed over.
  mutating func apply(_ commit: LogCommit) throws(StoreError) {
    guard commit.revision > revision else { return }
    for line in commit.lines {
      if line.kind == .clear { beforeClear = (commit.revision, index) }
      guard index.apply(line, of: commit) != nil else {
        throw StoreError(
          .damaged,
          "revision \(commit.revision) at byte \(line.offset) of \(commit.source.name) replaces "
            + "revision \(line.replaces) of its item, which is not there; "
            + StoreError.damageAdvice,
          path: commit.source.path)
      }
      tailBytes += Int64(line.length)
      if line.kind == .unknown { unknownLines += 1 }
    }
    if commit.epoch > epoch {
      epochEnds.append(SnapshotHeader.EpochEnd(epoch: epoch, lastRevision: revision))
    }
    epoch = commit.epoch
    revision = commit.revision
    commits += 1
    end = commit.end
    tail = commit.source
  }
}

extension LogState {
  /// Where this state ends, as HEAD would say it.
  var watermark: HeadRecord {
    HeadRecord(epoch: epoch, segment: end.segment, offset: end.offset, revision: revision)
  }
}
