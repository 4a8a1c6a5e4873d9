import Foundation
import Synchronization

/// The folders that cases work in: in `$TMPDIR`, which should be on the disk that counts.
///
/// Each goes away at the end of its run, and with the command those whose run did not end in time.
enum BenchFolders {
  private static let open = Mutex<Set<String>>([])

  /// Does something in a folder of its own.
  static func inFolder<Value>(_ body: (String) throws(Stop) -> Value) throws(Stop) -> Value {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "freshet-bench-\(UUID().uuidString)"
    ).path
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .store(Problem(code: "io_error", message: "cannot make a folder: \(error)"))
    }
    open.withLock { _ = $0.insert(path) }
    defer { if open.withLock({ $0.remove(path) }) != nil { remove(path) } }
    return try body(path)
  }

  /// Removes what is left: the folder of a run that goes on after a signal, until the process ends.
  static func removeAll() {
    let left = open.withLock { open in
      defer { open = [] }
      return open
    }
    for path in left { remove(path) }
  }

  private static func remove(_ path: String) {
    var problem: (any Error)?
    // Who still works in it may put a file there between the last look and the removal.
    for _ in 0..<5 {
      do {
        return try FileManager.default.removeItem(atPath: path)
      } catch {
        problem = error
      }
    }
    if let problem, System.exists(path) {
      Diagnostics(verbosity: 0, usesColor: false).error("cannot remove \(path): \(problem)")
    }
  }
}
