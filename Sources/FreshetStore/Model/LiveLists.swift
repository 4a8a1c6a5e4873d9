/// The lists of several queries as of one commit.
public struct LiveLists: Sendable, Hashable {
  /// The commit they are of.
  public let token: Token
  /// A list for each query, in the queries' order; nil where the commit changed nothing of it.
  public let lists: [LiveList?]
  /// The number of changes in the commit, whatever they are of; 0 for the first element.
  public let changeCount: Int
  /// True for the first element, which is a state and no change.
  public let isInitial: Bool
  /// True when no later commit was known when this one was read.
  public let isLatest: Bool

  /// Makes the lists of a commit.
  public init(
    token: Token, lists: [LiveList?], changeCount: Int, isInitial: Bool, isLatest: Bool
  ) {
    self.token = token
    self.lists = lists
    self.changeCount = changeCount
    self.isInitial = isInitial
    self.isLatest = isLatest
  }
}
