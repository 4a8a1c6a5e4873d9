import BenchFigures
import Foundation

/// A folder for one case; it goes with the last reference.
package final class Folder: Sendable {
  package let path: String

  package init(in parent: String) {
    path = parent + "/freshet-bench-" + UUID().uuidString
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      stop("cannot make \(path): \(error)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The bytes of all files in it.
  package var bytes: Int {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.reduce(0) { sum, name in
      var info = stat()
      guard stat(path + "/" + name, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
        return sum
      }
      return sum + Int(info.st_size)
    }
  }
}
