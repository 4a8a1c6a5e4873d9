/// Why a store operation did not succeed.
///
/// `code` is for programs, `message` for people: it says what happened, where (file, offset,
/// revisions) and what to do next.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, in words a caller can switch on; new codes are not a breaking change.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable spelling, for logs and event streams.
    public let name: String

    private init(_ name: String) { self.name = name }

    /// The stable spelling.
    public var description: String { name }

    /// `DatabaseManager.setUp(at:)` has not been called.
    public static let notSetUp = Code("not_set_up")
    /// The shared manager is set up for another path.
    public static let alreadySetUp = Code("already_set_up")
    /// The store path, or a part of it, is no directory.
    public static let notADirectory = Code("not_a_directory")
    /// The store cannot be read by this user.
    public static let notReadable = Code("not_readable")
    /// The store cannot be written by this user, or was opened read-only.
    public static let notWritable = Code("not_writable")
    /// Others may write to the store directory.
    public static let unsafePermissions = Code("unsafe_permissions")
    /// The store was written by a newer version in a way this one cannot handle.
    public static let newerFormat = Code("newer_format")
    /// The directory holds something that is no store.
    public static let notAStore = Code("not_a_store")
    /// Bytes that were proven durable no longer check.
    public static let damaged = Code("damaged")
    /// Another process kept the write lock for longer than the time-out.
    public static let locked = Code("locked")
    /// No space, quota or file size left; nothing was written.
    public static let diskFull = Code("disk_full")
    /// The system reported an input or output error.
    public static let ioError = Code("io_error")
    /// The disk did not confirm the write: it may or may not survive a power loss.
    public static let durabilityUnknown = Code("durability_unknown")
    /// An earlier failure made this store unusable until it is opened again.
    public static let storeFailed = Code("store_failed")
    /// An id, a body or a batch exceeds its limit.
    public static let tooLarge = Code("too_large")
    /// The id is empty or holds a control character.
    public static let invalidID = Code("invalid_id")
    /// The body is no JSON object on one line.
    public static let invalidBody = Code("invalid_body")
    /// The directory is on a network file system, where locks cannot be relied upon.
    public static let networkFileSystem = Code("network_file_system")
    /// The token belongs to another store.
    public static let differentStore = Code("different_store")
    /// The token names a revision that this store's history never had.
    public static let diverged = Code("diverged")
    /// The changes after the token are no longer kept.
    public static let compacted = Code("compacted")
    /// The query makes no sense: an empty page, or a key of another order.
    public static let invalidQuery = Code("invalid_query")
    /// The batch holds operations that cannot be one commit on every engine.
    public static let invalidBatch = Code("invalid_batch")
    /// There is something at the path already.
    public static let exists = Code("exists")
    /// The manager was closed.
    public static let closed = Code("closed")
  }

  /// What went wrong, for programs.
  public let code: Code
  /// What happened, where, and what to do next, for people.
  public let message: String
  /// The file or directory concerned.
  public let path: String?
  /// The error underneath, when there is one.
  public let cause: (any Error)?
  /// With `compacted`: the oldest token that can be followed from.
  public let oldest: Token?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, path: String? = nil, cause: (any Error)? = nil,
    oldest: Token? = nil
  ) {
    self.oldest = oldest
    self.code = code
    self.message = message
    self.path = path
    self.cause = cause
  }

  /// The code and the message.
  public var description: String { "\(code.name): \(message)" }
}
