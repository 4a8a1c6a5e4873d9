import Freshet
import FreshetCatalog
import FreshetStore

/// Which texts are folded, kept in a store across restarts.
///
/// A folded text has a record, an expanded one has none.
public struct FoldStore: Sendable {
  /// Where folds are kept.
  public static let prefix = "fold:"

  private let manager: DatabaseManager

  /// Makes the access to a store's folds; nothing is read yet.
  public init(manager: DatabaseManager) {
    self.manager = manager
  }

  /// The record of a text's fold.
  ///
  /// - Parameter key: The item's id, or what stands in for one.
  public static func recordID(of key: String) -> String {
    let id = prefix + ItemID.encoded(key)
    // Ids have at most 512 bytes; the end of a longer key says what it is just as well.
    return id.utf8.count <= ItemID.sizeLimitBytes
      ? id : prefix + String(id.suffix(ItemID.sizeLimitBytes - prefix.utf8.count))
  }

  /// Whether a text is folded; fails as the store's `fetch(id:)`.
  public func isFolded(_ key: String) -> Single<Bool, StoreError> {
    manager.fetch(id: Self.recordID(of: key)).map { $0 != nil }.single
  }

  /// Keeps whether a text is folded, and answers whether that is a change.
  ///
  /// Fails as the store's `save`.
  public func set(_ key: String, isFolded: Bool) -> Single<Bool, StoreError> {
    let id = Self.recordID(of: key)
    let write =
      isFolded
      ? manager.save(id: id, body: Array(#"{"folded":true}"#.utf8)) : manager.delete(id: id)
    return write.map { $0 == .saved || $0 == .deleted }.single
  }
}
