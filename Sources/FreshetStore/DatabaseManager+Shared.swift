import Synchronization

extension DatabaseManager {
  private static let current = Mutex<DatabaseManager?>(nil)

  /// Sets up the manager that the whole process shares.
  ///
  /// Once per process: the same path again does nothing, another path is `alreadySetUp`. A set-up
  /// that failed may be tried again, with any path. When another thread is setting up the same
  /// path, this waits for its outcome.
  ///
  /// - Throws: `alreadySetUp`, or as `open(at:options:)`.
  public static func setUp(
    at path: String, options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    let wanted = Platform.absolute(path)
    let (manager, mustOpen) = current.withLock { current -> (DatabaseManager, Bool) in
      if let present = current, !present.canBeReplaced { return (present, false) }
      let manager = DatabaseManager(path: wanted, options: options)
      current = manager
      return (manager, true)
    }
    if mustOpen { return try manager.openNow() }
    guard manager.path == wanted else {
      throw StoreError(
        .alreadySetUp,
        "the shared store is set up at \(manager.path); it cannot be set up at "
          + "\(wanted) too", path: wanted)
    }
    if let error = manager.outcome { throw error }
  }

  /// The manager that was set up.
  ///
  /// While it is opening, its operations wait.
  ///
  /// - Throws: `notSetUp` before the set-up; after one that failed, why.
  public static var shared: DatabaseManager {
    get throws(StoreError) {
      guard let manager = current.withLock({ $0 }) else {
        throw StoreError(
          .notSetUp, "no store has been set up; call DatabaseManager.setUp(at:) first")
      }
      if let error = manager.failure { throw error }
      return manager
    }
  }

  /// For tests of the set-up itself.
  package static func forgetShared() {
    let old = current.withLock { $0.take() }
    old?.close()
  }
}
