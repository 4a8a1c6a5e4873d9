/// What a compaction left behind that did not come to its end.
struct LeftOvers {
  let folder: StoreFolder

  /// Removes it, unless a compaction is running.
  ///
  /// Under LOCK. A file that cannot be removed harms nobody, so nothing is reported.
  func remove() throws(StoreError) {
    let names = try folder.listing().names.filter(FileNames.isLeftOver)
    if names.isEmpty { return }
    let fileSystem = folder.fileSystem
    do throws(SystemError) {
      let claim = try fileSystem.open(folder.path(of: FileNames.compact), .create)
      guard try claim.lock(wait: false) else { return }
      defer { claim.unlock() }
      for name in names { try fileSystem.remove(folder.path(of: name)) }
    } catch {
      return
    }
  }
}
