/// What a compaction did.
public struct CompactionReport: Sendable, Hashable {
  /// The commit that the snapshot is of: opening reads the snapshot and what came after.
  public let token: Token
  /// The oldest commit that changes can be followed from, after the compaction.
  public let oldest: Token
  /// Live items in the snapshot.
  public let liveCount: Int
  /// Deleted items in the snapshot, which can be restored.
  public let deletedCount: Int
  /// Deleted items that were erased for good.
  public let erasedCount: Int
  /// The store's bytes on disk before.
  public let bytesBefore: Int64
  /// The store's bytes on disk after.
  public let bytesAfter: Int64
  /// How long it took.
  public let duration: Duration

  /// Makes a report.
  public init(
    token: Token, oldest: Token, liveCount: Int, deletedCount: Int, erasedCount: Int,
    bytesBefore: Int64, bytesAfter: Int64, duration: Duration
  ) {
    self.token = token
    self.oldest = oldest
    self.liveCount = liveCount
    self.deletedCount = deletedCount
    self.erasedCount = erasedCount
    self.bytesBefore = bytesBefore
    self.bytesAfter = bytesAfter
    self.duration = duration
  }
}

/// How large a store is, and what it holds.
public struct StoreStatistics: Sendable, Hashable {
  /// The last durable commit.
  public var token: Token
  /// The oldest commit that changes can be followed from.
  public var oldest: Token
  /// When the store was made: microseconds since 1970.
  public var created: Int64
  /// The live items.
  public var liveCount: Int
  /// The deleted items that can be restored.
  public var deletedCount: Int
  /// The segments of the journal.
  public var segmentCount: Int
  /// Their bytes.
  public var segmentBytes: Int64
  /// The revision of the newest snapshot; nil when there is none.
  public var snapshotRevision: Int64?
  /// The bytes of all snapshots and their indexes.
  public var snapshotBytes: Int64
  /// The bytes of the journal that opening reads: those after the newest snapshot.
  public var tailBytes: Int64
  /// The bytes in the newest snapshot and after it that no item needs any more.
  ///
  /// Compaction starts by itself when these are more than the rest, and more than 64 MiB.
  public var deadBytes: Int64
  /// Records of kinds that only newer versions know.
  public var skippedRecords: Int
  /// Followers that changes are kept for.
  public var followers: [FollowerLease]
  /// Why the last automatic compaction failed; nil when it did not.
  public var compactionProblem: String?
  /// The damaged snapshot that reads met and went round; nil when they met none.
  public var snapshotProblem: SnapshotProblem?

  /// The bytes of journal, snapshots and their indexes.
  public var bytes: Int64 { segmentBytes + snapshotBytes }
}

/// What is wrong with the newest snapshot of a store.
public struct SnapshotProblem: Sendable, Hashable {
  /// What was found, and where.
  public let message: String
  /// True when an older state and the journal after it have everything: nothing is lost, and the
  /// next compaction writes another snapshot.
  public let isDispensable: Bool

  /// Makes a problem.
  public init(message: String, isDispensable: Bool) {
    self.message = message
    self.isDispensable = isDispensable
  }
}

/// What is wrong with HEAD, and what it costs.
public struct HeadProblem: Sendable, Hashable {
  /// What was found, where, and where reads stand.
  public let message: String
  /// True when the last commit is known all the same.
  ///
  /// Otherwise who only reads may stand before it, and call tokens after it `diverged`. The next
  /// commit makes the slot anew in either case.
  public let isDispensable: Bool

  /// Makes a problem.
  public init(message: String, isDispensable: Bool) {
    self.message = message
    self.isDispensable = isDispensable
  }
}

/// A promise to keep the changes after a token for somebody, for a while.
public struct FollowerLease: Sendable, Hashable {
  /// Who it is for.
  public let name: String
  /// The changes after this are kept.
  public let token: Token
  /// Until when: microseconds since 1970.
  public let expires: Int64

  /// Makes a lease.
  public init(name: String, token: Token, expires: Int64) {
    self.name = name
    self.token = token
    self.expires = expires
  }
}

/// What a full check of a store found.
public struct VerificationReport: Sendable, Hashable {
  /// Something wrong.
  public struct Problem: Sendable, Hashable {
    /// The file's name within the store.
    public let file: String
    /// The byte where it begins.
    public let offset: Int64
    /// What is wrong.
    public let message: String

    /// Makes a problem.
    public init(file: String, offset: Int64, message: String) {
      self.file = file
      self.offset = offset
      self.message = message
    }
  }

  /// The last commit that was checked.
  public var token: Token
  /// The commits read.
  public var commitCount = 0
  /// The records read, those of snapshots included.
  public var recordCount = 0
  /// The segments read.
  public var segmentCount = 0
  /// The snapshots read.
  public var snapshotCount = 0
  /// The bytes read.
  public var bytes: Int64 = 0
  /// What is wrong, in the order of the journal; empty for a sound store.
  public var problems: [Problem] = []

  /// True when nothing is wrong.
  public var isSound: Bool { problems.isEmpty }

  /// Makes a report of nothing yet.
  public init(token: Token) { self.token = token }
}
