import Freshet
import Synchronization

/// An open store: the way to everything in it.
///
/// Its operations are lazy: nothing is touched before somebody subscribes, each subscription does
/// the work once, and what is acknowledged is durable (see `StoreOptions.Durability`). Values
/// arrive on a thread of the store; use `observe(on:)` to move them. All methods may be called from
/// any thread. A process must not use a manager that it inherited through `fork`.
public final class DatabaseManager: Sendable {
  typealias Waiter = @Sendable (Result<Journal, StoreError>) -> Void

  enum Phase: Sendable {
    case opening([Waiter])
    case ready(Journal)
    case failed(StoreError)
    case closed
  }

  /// The path it was opened at, as given.
  public let path: String
  private let options: StoreOptions
  private let phase = Mutex(Phase.opening([]))
  private let opened = Latch()

  init(path: String, options: StoreOptions) {
    self.path = path
    self.options = options
  }

  deinit {
    if case .ready(let journal) = phase.withLock({ $0 }) { journal.close(tidies: false) }
  }

  /// Opens the store at `path`, and makes it when there is none.
  ///
  /// What an interrupted writer left unfinished is cut off and kept in a `lost+…` file; damage to
  /// bytes that were durable is an error, and nothing is changed.
  ///
  /// - Throws: `notADirectory`, `notReadable`, `notWritable`, `unsafePermissions`,
  ///   `networkFileSystem`, `notAStore`, `newerFormat`, `damaged`, `locked`, `diskFull`, `ioError`.
  /// - Complexity: O(size of the journal).
  public static func open(
    at path: String, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> DatabaseManager {
    let manager = DatabaseManager(path: path, options: options)
    try manager.openNow()
    return manager
  }

  /// Opens the store and lets the waiting operations go on.
  ///
  /// Called once.
  func openNow() throws(StoreError) {
    let result = Result { () throws(StoreError) in
      try Journal(opening: path, options: options)
    }
    let (waiters, isClosed) = phase.withLock { phase -> ([Waiter], Bool) in
      guard case .opening(let waiters) = phase else { return ([], true) }
      switch result {
      case .success(let journal): phase = .ready(journal)
      case .failure(let error): phase = .failed(error)
      }
      return (waiters, false)
    }
    opened.open()
    for waiter in waiters { waiter(result) }
    if isClosed, case .success(let journal) = result { journal.close(tidies: false) }
    _ = try result.get()
  }

  /// The store, when it is open at this moment.
  var openJournal: Journal? {
    phase.withLock { phase in if case .ready(let journal) = phase { journal } else { nil } }
  }

  /// Calls back with the open store: at once, or when opening has had its outcome.
  func whenReady(_ waiter: @escaping Waiter) {
    let outcome = phase.withLock { phase -> Result<Journal, StoreError>? in
      switch phase {
      case .opening(let waiters):
        phase = .opening(waiters + [waiter])
        return nil
      case .ready(let journal): return .success(journal)
      case .failed(let error): return .failure(error)
      case .closed: return .failure(.closed(path))
      }
    }
    if let outcome { waiter(outcome) }
  }

  /// The open store, after the outcome of an opening in progress; nil when it failed or is closed.
  private var journal: Journal? {
    if case .opening = phase.withLock({ $0 }) { opened.wait() }
    guard case .ready(let journal) = phase.withLock({ $0 }) else { return nil }
    return journal
  }

  /// Why it cannot be used, after the outcome of an opening in progress.
  var outcome: StoreError? {
    if case .opening = phase.withLock({ $0 }) { opened.wait() }
    return failure
  }

  /// Why it cannot be used, as far as that is known now.
  var failure: StoreError? {
    switch phase.withLock({ $0 }) {
    case .failed(let error): error
    case .closed: .closed(path)
    case .opening, .ready: nil
    }
  }

  /// True after a failed opening, and after `close`.
  var canBeReplaced: Bool { failure != nil }

  /// The store's id: 32 hexadecimal digits.
  ///
  /// Waits for an opening in progress; empty when the store could not be opened or is closed.
  public var storeID: String { journal?.description.id ?? "" }

  /// The current epoch; see `Token`.
  public var epoch: Int { token.epoch }

  /// The last commit that this manager knows.
  public var token: Token {
    journal?.currentToken ?? Token(storeID: "", epoch: 0, revision: 0)
  }

  /// Before the oldest commit that is kept: `.after(oldestToken)` is everything there is.
  ///
  /// - Throws: `ioError`, `notReadable`, `closed`, or why the store could not be opened.
  public var oldestToken: Token {
    get throws(StoreError) {
      if let error = outcome { throw error }
      guard let journal else { throw .closed(path) }
      return try journal.oldestToken()
    }
  }

  /// What opening for reading found wrong with HEAD, which says how far the journal is durable; nil
  /// when it checks, and for who writes, as that makes it anew.
  ///
  /// When it is not dispensable, the state that is read may be older than the last commit. `checkHead`
  /// looks again.
  ///
  /// - Throws: `ioError`, `closed`, or why the store could not be opened.
  /// - Complexity: O(bytes of the journal after HEAD's other slot) when it does not check, else O(1).
  public var headProblem: HeadProblem? {
    get throws(StoreError) {
      if let error = outcome { throw error }
      guard let journal else { throw .closed(path) }
      return try journal.problemOfHeadAtOpening()
    }
  }

  /// The file in which opening kept the torn end of the journal; nil when nothing was cut off.
  public var lostFile: String? { journal?.lostFile }

  /// Records of kinds that only newer versions know; they were passed over.
  public var skippedRecords: Int {
    journal.map { journal in journal.state.withLock { $0.log.unknownLines } } ?? 0
  }

  /// Ends all feeds with `finished`, refuses further operations, and waits for the commits that
  /// have begun.
  ///
  /// A manager that has appended 16 MiB or more, and a quarter of what the newest snapshot holds,
  /// makes a snapshot first, so that the store opens quickly next time: some two seconds per GiB of
  /// items, and more where the disk is slow. Without it (`compactsAutomatically` is false, or the
  /// process ends first) nothing is lost. Idempotent.
  public func close() { close(quickly: false) }

  /// Closes the store; `quickly` is for a process that has been told to end.
  ///
  /// Then a snapshot of more than 128 MiB of items is neither made, nor is one that is being made
  /// waited for: the commits that have begun are all that takes time. Otherwise as `close()`.
  public func close(quickly: Bool) {
    let (journal, waiters) = phase.withLock { phase -> (Journal?, [Waiter]) in
      defer { phase = .closed }
      switch phase {
      case .opening(let waiters): return (nil, waiters)
      case .ready(let journal): return (journal, [])
      case .failed, .closed: return (nil, [])
      }
    }
    for waiter in waiters { waiter(.failure(.closed(path))) }
    journal?.close(tidies: true, quickly: quickly)
  }

  /// Connects an observer to a feed of this store.
  func feed<Source: PullSource, O: Observer>(
    to observer: O, _ make: @escaping @Sendable (Journal) throws(StoreError) -> Source
  ) -> Subscription where O.Element == Source.Element, O.Failure == StoreError {
    let subscription = PullSubscription<Source, O>(keeping: self)
    var observer = observer
    observer.start(subscription)
    let started = observer
    whenReady { result in
      do throws(StoreError) {
        let journal = try result.get()
        subscription.begin(journal.hub, try make(journal), started) {
          (listener) throws(StoreError) in
          try journal.hub.add(listener, journal: journal)
        }
      } catch {
        subscription.refuse(started, error)
      }
    }
    return subscription
  }
}
