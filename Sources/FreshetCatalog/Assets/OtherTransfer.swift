import Freshet
import Synchronization

/// Another process's transfer of a picture that is wanted here: how far it comes, and how long it
/// is waited for.
///
/// The one who has the file holds its lock, and the system takes the lock of one that ends. So it
/// is waited for as long as the file grows, and ended only when that one stands still for longer
/// than a whole answer may take, as one that was stopped does.
final class OtherTransfer: Sendable {
  /// Why an attempt brought no picture.
  enum Interruption: Error {
    /// Another process is at it.
    case busy
    case failed(CatalogError)

    /// The error outside; one that is busy is waited for and gets there only by a mistake of ours.
    var error: CatalogError {
      switch self {
      case .busy: CatalogError(.ioError, "another process has the file", isRetryable: true)
      case .failed(let error): error
      }
    }
  }

  private struct State {
    var doneBytes = -1
    var since: Moment?
    var pause = OtherTransfer.shortest
  }

  private static let shortest = Duration.milliseconds(20)
  private static let longest = Duration.milliseconds(500)

  private let key: String
  private let address: WebAddress
  private let folder: AssetFolder
  private let patience: Duration
  private let scheduler: any TimeScheduler
  private let state = Mutex(State())

  init(
    _ key: String, at address: WebAddress, in folder: AssetFolder, patience: Duration,
    scheduler: any TimeScheduler
  ) {
    self.key = key
    self.address = address
    self.folder = folder
    self.patience = patience
    self.scheduler = scheduler
  }

  /// How far the other one has come, where that is news; then `busy`.
  func progress() -> AnyFlow<AssetEvent, Interruption> {
    let busy = Fail<AssetEvent, Interruption>(.busy)
    let there = folder.unfinished(key) ?? (doneBytes: 0, totalBytes: nil)
    let now = scheduler.now
    let isNews = state.withLock { state in
      guard there.doneBytes != state.doneBytes || state.since == nil else { return false }
      state.doneBytes = there.doneBytes
      state.since = now
      return true
    }
    guard isNews else { return busy.erased() }
    let event = AssetEvent.progress(doneBytes: there.doneBytes, totalBytes: there.totalBytes)
    return Just(event).promoteFailure(to: Interruption.self).concat(busy).erased()
  }

  /// The pause after an attempt, growing; or its failure.
  func wait(after interruption: Interruption) -> AnyFlow<Void, Interruption> {
    guard case .busy = interruption else { return Fail(interruption).erased() }
    let now = scheduler.now
    let (pause, isOver) = state.withLock { state -> (Duration, Bool) in
      defer { state.pause = min(state.pause * 3 / 2, Self.longest) }
      return (state.pause, (state.since ?? now) + patience <= now)
    }
    if isOver {
      let error = CatalogError(
        .timedOut,
        "another process is fetching \(address) and has come no further for \(patience); end it "
          + "and try again")
      return Fail(.failed(error)).erased()
    }
    return Timer(after: pause, on: scheduler).promoteFailure(to: Interruption.self).erased()
  }
}
