/// A place in one store's history; as a start position it means "after this".
public struct Token: Sendable, Hashable {
  /// The store's id: 32 hexadecimal digits.
  public let storeID: String
  /// Grows by one whenever a recovery had to give up commits that someone may have seen.
  public let epoch: Int
  /// The commit number; 0 is the empty store before its first commit.
  public let revision: Int64

  /// Makes a token from its parts.
  public init(storeID: String, epoch: Int, revision: Int64) {
    self.storeID = storeID
    self.epoch = epoch
    self.revision = revision
  }
}

/// Where a live flow begins.
public enum StartPosition: Sendable, Hashable {
  /// With the current state, then every later commit.
  case snapshot
  /// With the next commit.
  case now
  /// With the oldest commit that is kept.
  case oldest
  /// With the commit after the token.
  case after(Token)
}

/// What one commit did to one item.
public struct Change: Sendable, Hashable {
  /// The kind of a change.
  public enum Kind: String, Sendable, Hashable {
    /// The item was absent or deleted, and was saved.
    case added
    /// The item was live, and its body was replaced.
    case changed
    /// The item was live, and was deleted.
    case removed
    /// The item was deleted, and was brought back.
    case restored
  }

  /// What happened.
  public let kind: Kind
  /// The item's id.
  public let id: String
  /// The body after the change; for `removed` the body it had.
  public let body: [UInt8]?
  /// This change's number within its commit, from 1, before any filtering.
  public let index: Int
  /// The number of changes in the commit, before any filtering.
  public let count: Int

  /// Makes a change.
  public init(kind: Kind, id: String, body: [UInt8]?, index: Int, count: Int) {
    self.kind = kind
    self.id = id
    self.body = body
    self.index = index
    self.count = count
  }
}

/// What one commit did: one commit, one change set, one revision.
public struct ChangeSet: Sendable, Hashable {
  /// The epoch the commit belongs to.
  public let epoch: Int
  /// The commit number.
  public let revision: Int64
  /// Microseconds since 1970 by the writer's clock; informative, the order is by `revision`.
  public let time: Int64
  /// The changes in their order; a delete-all is spelled out, one `removed` per item in list order.
  public let changes: [Change]

  /// Makes a change set.
  public init(epoch: Int, revision: Int64, time: Int64, changes: [Change]) {
    self.epoch = epoch
    self.revision = revision
    self.time = time
    self.changes = changes
  }
}
