import FreshetStore
import Glibc

enum Folder {
  /// Removes a folder of files and folders, as far as that is allowed.
  static func remove(_ path: String) {
    let disk = LiveFileSystem()
    for name in (try? disk.list(path)) ?? [] {
      let inner = path + "/" + name
      if (try? disk.status(at: inner))??.isDirectory == true {
        remove(inner)
      } else {
        try? disk.remove(inner)
      }
    }
    rmdir(path)
  }
}
