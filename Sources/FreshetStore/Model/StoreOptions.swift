/// How a store is opened.
public struct StoreOptions: Sendable {
  /// What an acknowledgement promises.
  public enum Durability: Sendable, Hashable {
    /// The commit survives a power loss; one disk sync per group of commits.
    case everyCommit
    /// The commit survives the end of the process; the disk follows within this time. A power loss
    /// may take the last commits, in order, never a part of one.
    case interval(Duration)
    /// The commit survives the end of the process; the disk follows when the system likes. For
    /// caches and tests. Other processes see such commits when the store is next opened.
    case never
  }

  /// Which commits reads and feeds show.
  public enum Visibility: Sendable, Hashable {
    /// Those that are durable: a power loss takes back nothing that was shown.
    case durable
    /// Those that are written, too, as soon as they are, whichever process wrote them. A power loss
    /// may take back what was shown; then the token of it is `diverged`. Where every writer syncs
    /// each commit, what was shown before its sync, and lost with the power, is told from what came
    /// in its place only by who was following: keep no token of a visible feed there.
    case visible
  }

  /// What compaction keeps beside the present items.
  public struct Retention: Sendable, Hashable {
    /// Commits that can be followed again from a token.
    public var commits = 100_000
    /// For how long commits can be followed again, whatever their number.
    public var age = Duration.seconds(3600)
    /// For how long a deleted item can be restored, at least; nil is for ever.
    ///
    /// Compaction erases those deleted earlier, when the commit that deleted them is no longer kept
    /// either.
    public var deleted: Duration? = .seconds(30 * 86_400)

    /// 100 000 commits and one hour; deleted items can be restored for 30 days.
    public init() {}

    /// As little as possible: the present items, and those deleted.
    public static var none: Retention {
      var retention = Retention()
      retention.commits = 0
      retention.age = .zero
      return retention
    }
  }

  /// What an acknowledgement promises.
  public var durability = Durability.everyCommit
  /// Which commits reads and feeds show; the two differ only where a writer does not sync each
  /// commit.
  public var visibility = Visibility.durable
  /// How long a commit waits for another process that holds the write lock.
  public var lockTimeout = Duration.seconds(10)
  /// Makes the directory and an empty store when there is none.
  public var createsIfMissing = true
  /// Takes no lock and writes nothing: the state up to the durable watermark, and what follows.
  public var isReadOnly = false
  /// Opens a directory that others may write to.
  public var allowsUnsafePermissions = false
  /// Opens a store on a network file system, where locks may not hold.
  public var allowsNetworkFileSystem = false

  /// What compaction keeps beside the present items.
  public var retention = Retention()
  /// Compacts in the background when more than half of the store, and more than 64 MiB, is dead.
  public var compactsAutomatically = true

  /// So much must be dead before the store compacts itself.
  package var compactionBytes: Int64 = 64 << 20
  /// A segment that is this long gets a successor.
  package var segmentBytes = Limits.segmentBytes
  /// The disk; tests pass one that fails.
  package var fileSystem: any FileSystem = LiveFileSystem()
  /// Microseconds since 1970; recorded with each commit, never used to order anything.
  package var now: @Sendable () -> Int64 = { Platform.wallClockMicroseconds }
  /// 32 hexadecimal digits for a new store, which no other has (I9).
  package var makeStoreID: @Sendable () -> String = StoreOptions.randomStoreID
  /// A number for this run of the system; 0 when it cannot be told.
  package var boot: @Sendable () -> UInt32 = { Platform.bootTag }
  /// How often a follower looks without having been told to.
  package var sweepMilliseconds: Int32 = 1000

  /// The defaults: every acknowledged commit is durable, a missing store is made.
  public init() {}

  private static let randomStoreID: @Sendable () -> String = {
    let digits = Array("0123456789abcdef")
    var generator = SystemRandomNumberGenerator()
    return String((0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] })
  }
}
