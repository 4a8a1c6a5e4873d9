import FreshetStore
import Synchronization

/// A picture's unfinished file, opened and locked, for as long as somebody writes it.
///
/// When nobody does any more, also because the transfer was disposed of, others may have it, and a file
/// that nothing has come for is removed.
final class HeldPart: Sendable {
  let file: any File
  private let key: String
  private let folder: AssetFolder
  /// Once it is let go of, the file may be somebody else's.
  private let isHeld = Atomic(true)

  init(_ file: any File, _ key: String, in folder: AssetFolder) {
    self.file = file
    self.key = key
    self.folder = folder
  }

  deinit { letGo() }

  /// Lets others have the file, at once: the next attempt opens it anew.
  func letGo() {
    guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
    folder.discardIfEmpty(file, key)
    file.unlock()
  }
}
