/// One item as the store keeps it.
public struct Record: Sendable, Hashable {
  /// The item's id; ids are compared byte by byte.
  public let id: String
  /// The commit that last wrote, deleted or restored it.
  public let revision: Int64
  /// The commit that first inserted it since it was last absent; lists are in this order.
  ///
  /// A restored item comes back at its old place; an item that is saved again after a delete is
  /// new and goes to the end.
  public let created: Int64
  /// True for a deleted item that can still be restored.
  public let isDeleted: Bool
  /// The bytes of `body` without a copy.
  ///
  /// The items of a long list were read many at once, and each of them holds the stretch that it is
  /// in, at most 256 KiB: whoever keeps a few of many for long keeps their `body`.
  public let rawBody: ArraySlice<UInt8>
  /// The place among the insertions of the commit `created`.
  package let createdIndex: Int

  package init(
    id: String, revision: Int64, created: Int64, createdIndex: Int, isDeleted: Bool, body: [UInt8]
  ) {
    self.init(
      id: id, revision: revision, created: created, createdIndex: createdIndex,
      isDeleted: isDeleted, rawBody: body[...])
  }

  init(
    id: String, revision: Int64, created: Int64, createdIndex: Int, isDeleted: Bool,
    rawBody: ArraySlice<UInt8>
  ) {
    self.id = id
    self.revision = revision
    self.created = created
    self.createdIndex = createdIndex
    self.isDeleted = isDeleted
    self.rawBody = rawBody
  }

  /// The JSON object as it was saved, byte for byte.
  ///
  /// - Complexity: O(bytes) for an item of a list; otherwise O(1).
  public var body: [UInt8] { Array(rawBody) }
}

/// What a write should do.
public enum Operation: Sendable, Hashable {
  /// Inserts the item, or replaces its body.
  case save(id: String, body: [UInt8])
  /// Deletes the item softly: it leaves the lists, and `restore` brings it back.
  case delete(id: String)
  /// Brings a deleted item back to its old place in the list.
  case restore(id: String)
  /// Deletes every live item softly.
  case deleteAll
  /// Writes nothing, and lets the whole batch be written only when the item is as expected.
  ///
  /// Whatever its place in the batch, it is about the state before the batch. When one expectation
  /// of a batch is not met, nothing of the batch is written, and that is an answer, not a failure:
  /// `conflict` here and `notTried` for the operations that write.
  case expect(id: String, Expectation)
}

/// What an item has to be for a batch to be written.
public enum Expectation: Sendable, Hashable {
  /// The item is live, and this commit was the last to write or restore it.
  case revision(Int64)
  /// There is no live item with this id; a deleted one may be there.
  case absent
  /// The item is live.
  case present

  /// Tells whether an item is as expected.
  ///
  /// - Parameter revision: The live item's revision; nil when there is none.
  public func isMet(by revision: Int64?) -> Bool {
    switch self {
    case .revision(let expected): revision == expected
    case .absent: revision == nil
    case .present: revision != nil
    }
  }
}

/// What a write did.
public enum Outcome: Sendable, Hashable {
  /// The item is new.
  case saved
  /// The item was there with another body.
  case replaced
  /// The item was there with the same bytes: nothing was written.
  case unchanged
  /// The item was live and is deleted now.
  case deleted
  /// There is no such item: nothing was written.
  case notFound
  /// The item was deleted and is live again.
  case restored
  /// The item to restore is live: nothing was written.
  case notDeleted
  /// So many live items were deleted; with zero, nothing was written.
  case deletedAll(Int)
  /// The item was as expected.
  case met
  /// The item was not as expected, so nothing of the batch was written.
  ///
  /// With the live item's revision at that moment; nil when there was none.
  case conflict(Int64?)
  /// Another operation of the batch met a conflict, so this one was not done.
  case notTried
}

/// What a commit did, in the order of its operations.
public struct CommitReceipt: Sendable, Hashable {
  /// The commit's place in the history; nil when nothing had to be written.
  public let token: Token?
  /// One outcome per operation.
  public let outcomes: [Outcome]

  /// True when an expectation was not met, so that nothing was written.
  public var isConflict: Bool {
    outcomes.contains { if case .conflict = $0 { true } else { false } }
  }

  /// Makes a receipt.
  public init(token: Token?, outcomes: [Outcome]) {
    self.token = token
    self.outcomes = outcomes
  }
}
