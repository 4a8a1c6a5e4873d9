/// Work on a store's files, whether or not the store can be opened.
///
/// `verify` and `salvage` change nothing and take no lock. What a writer appends meanwhile may be
/// in a report or not.
public enum StoreFiles {
  /// The folder's files, opened for reading only.
  static func folder(_ path: String, _ options: StoreOptions) throws(StoreError) -> StoreFolder {
    let status: FileStatus?
    do throws(SystemError) {
      status = try options.fileSystem.status(at: path)
    } catch {
      throw .system(error, doing: "look at", path: path, fallback: .notReadable)
    }
    guard let status else {
      throw StoreError(.notAStore, "there is no store at \(path)", path: path)
    }
    guard status.isDirectory else {
      throw StoreError(.notADirectory, "\(path) is a file; a store is a directory", path: path)
    }
    return StoreFolder(path: path, fileSystem: options.fileSystem, isReadOnly: true)
  }

  /// A whole file's bytes; nil when it is not there.
  static func contents(
    _ name: String, in folder: StoreFolder, limit: Int = 65_536
  ) throws(StoreError) -> [UInt8]? {
    let path = folder.path(of: name)
    do throws(SystemError) {
      return try folder.fileSystem.open(path, .read).bytes(at: 0, count: limit)
    } catch {
      if error.isAbsent { return nil }
      throw .reading(path, at: 0, error)
    }
  }
}
