/// Where a salvage begins to read, so that it loses least.
///
/// The journal alone, where all of it is there and checks: it tells of every commit. Otherwise the
/// newest snapshot that is whole, whatever became of the journal before it. Where none is whole, the
/// journal from its first commit on, and failing that the newest snapshot for what of it checks.
struct SalvageBase {
  let folder: StoreFolder

  /// The snapshot's revision; nil to begin with the journal's first commit.
  func choose(_ listing: StoreFolder.Listing) throws(StoreError) -> Int64? {
    let whole = try newestWhole(listing)
    if listing.segments.first == 1 {
      guard let whole else { return nil }
      return try isSound(listing.segments.filter { $0 <= whole }, upTo: whole) ? nil : whole
    }
    if let whole { return whole }
    for revision in listing.snapshots.reversed() where try isFile(revision) { return revision }
    return nil
  }

  /// False when something else has a snapshot's name: then nothing of it can be read.
  private func isFile(_ revision: Int64) throws(StoreError) -> Bool {
    do throws(SystemError) {
      _ = try folder.fileSystem.open(folder.path(of: FileNames.snapshot(revision)), .read)
      return true
    } catch {
      if error.isAbsent || error.isNoFile { return false }
      throw .reading(folder.path(of: FileNames.snapshot(revision)), at: 0, error)
    }
  }

  private func newestWhole(_ listing: StoreFolder.Listing) throws(StoreError) -> Int64? {
    for revision in listing.snapshots.reversed() where try isWhole(revision) { return revision }
    return nil
  }

  /// True when every line of a snapshot checks, from the first to the last.
  private func isWhole(_ revision: Int64) throws(StoreError) -> Bool {
    let path = folder.path(of: FileNames.snapshot(revision))
    var offset: Int64 = 0
    do throws(SystemError) {
      let file = try folder.fileSystem.open(path, .read)
      var lines = LineReader(file: file, offset: 0, limit: try file.status().size)
      var items: Int64 = 0
      var footer: SnapshotFooter?
      while true {
        offset = lines.offset
        switch try lines.next() {
        case .torn: return false
        case .end: return footer.map { $0.revision == revision && $0.items == items } ?? false
        case .line(let range):
          if footer != nil { return false }
          let line = Array(lines.buffer[range])
          if offset == 0 {
            guard SnapshotHeader(line: line[...])?.revision == revision else { return false }
          } else if line.withUnsafeBytes({ (try? SnapshotLine($0)) != nil }) {
            // What is wrong with a line that does not check is not asked here.
            items += 1
          } else {
            footer = SnapshotFooter(line: line[...])
            if footer == nil { return false }
          }
        }
      }
    } catch {
      if error.isAbsent || error.isNoFile { return false }
      throw .reading(path, at: offset, error)
    }
  }

  /// True when these segments hold every commit up to a revision, and nothing that does not check.
  private func isSound(_ segments: [Int64], upTo revision: Int64) throws(StoreError) -> Bool {
    var history = HistoryCheck(before: 0, isComplete: true)
    for segment in segments {
      guard let source = try folder.segmentIfThere(segment) else { return false }
      var scan = SegmentScan(file: source.file, size: try source.size)
      do throws(SystemError) {
        scanning: while true {
          switch try scan.next() {
          case .end: break scanning
          case .bad, .torn: return false
          case .record:
            guard let line = scan.line, history.add(line, id: scan.id) == nil else { return false }
          }
        }
      } catch {
        throw .reading(source.path, at: scan.offset, error)
      }
    }
    return history.isBetweenCommits && history.revision >= revision
  }
}
