/// What `sign` did.
public struct SignReport: Sendable, Hashable {
  /// The lines that had another checksum.
  public var signed = 0
  /// The lines in all.
  public var lines = 0
  /// The segments that were written anew.
  public var segments = 0

  /// Makes an empty report.
  public init() {}
}

extension StoreFiles {
  /// Gives the journal's lines the checksums of what they hold, after someone has edited them.
  ///
  /// It believes what is there: that is why nothing does it by itself. Each line must be a record in
  /// the documented form, with a body that can be saved, and revisions must follow each other; else
  /// it fails and nothing is changed. Segments with edited lines are written anew and take over the
  /// old ones' names; HEAD is set to the end. A store that is open in another process must be opened
  /// again. Copy the directory first.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - options: The disk, for tests.
  /// - Throws: `damaged` with file and byte of a line that is no record or out of order, `locked`,
  ///   `notAStore`, `notADirectory`, `notReadable`, `notWritable`, `diskFull`, `ioError`.
  /// - Complexity: O(bytes of the store).
  public static func sign(
    at path: String, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> SignReport {
    var options = options
    options.createsIfMissing = false
    let opening = StoreOpening(path: path, options: options)
    let (lock, head) = try opening.openToRepair()
    let folder = StoreFolder(path: path, fileSystem: options.fileSystem, isReadOnly: false)
    return try lock.hold { () throws(StoreError) in
      try Signing(folder: folder, head: head, options: options).run()
    }
  }
}

/// One run of `sign`, under LOCK.
private struct Signing {
  let folder: StoreFolder
  let head: HeadFile
  let options: StoreOptions

  /// A segment as it will be.
  private struct Segment {
    var name: Int64
    var bytes: Int64
    var hasChanged = false
  }

  func run() throws(StoreError) -> SignReport {
    var report = SignReport()
    let segments = try folder.segments()
    guard let first = segments.first else {
      throw StoreError(.notAStore, "\(folder.path) holds no segment", path: folder.path)
    }
    // First all is looked at, then it is changed.
    var history = HistoryCheck(before: first - 1, isComplete: first == 1)
    var plans: [Segment] = []
    for segment in segments {
      var plan = Segment(name: segment, bytes: 0)
      try read(segment, &history) { (line, isSigned) throws(StoreError) in
        plan.bytes += Int64(line.count + 1)
        report.lines += 1
        if !isSigned {
          report.signed += 1
          plan.hasChanged = true
        }
      }
      plans.append(plan)
    }
    for plan in plans where plan.hasChanged {
      try rewrite(plan.name)
      report.segments += 1
    }
    let isDone = plans.contains { $0.hasChanged }
    let found = try head.read()
    if let last = plans.last, isDone || found?.offset != last.bytes {
      try publish(last, history, found)
    }
    return report
  }

  /// Visits the lines of a segment, each with the checksum it should have.
  private func read(
    _ segment: Int64, _ history: inout HistoryCheck,
    _ visit: (_ line: [UInt8], _ isSigned: Bool) throws(StoreError) -> Void
  ) throws(StoreError) {
    let name = FileNames.segment(segment)
    func refuse(_ offset: Int64, _ reason: String) -> StoreError {
      StoreError(
        .damaged,
        "byte \(offset) of \(name), after revision \(history.revision): \(reason); nothing was "
          + "changed; mend the line, or use `freshet store salvage`", path: folder.path(of: name))
    }
    let size = try folder.size(ofSegment: segment)
    var reader = LineReader(file: try folder.segment(segment).file, offset: 0, limit: size)
    while true {
      let offset = reader.offset
      let step: LineReader.Step
      do throws(SystemError) {
        step = try reader.next()
      } catch {
        throw .reading(folder.path(ofSegment: segment), at: offset, error)
      }
      guard case .line(let range) = step else {
        if case .end = step { return }
        throw refuse(offset, "the line has no end, or is too long for a record")
      }
      var line = Array(reader.buffer[range])
      let old = line
      guard line.count > Frame.coverStart, Frame.isOpened(line) else {
        throw refuse(offset, "the line does not begin with a checksum")
      }
      Checksum.write(
        Checksum.of(line[Frame.coverStart...]), into: &line, at: Frame.digitsStart)
      let parsed = line.withUnsafeBytes { bytes in
        Result { () throws(LineFault) in
          let record = try RecordLine(bytes)
          return (record: record, id: record.idBytes(in: bytes), body: Array(bytes[record.body]))
        }
      }
      switch parsed {
      case .failure(let fault): throw refuse(offset, fault.description)
      case .success(let found):
        if !found.body.isEmpty, old != line, let fault = BodyCheck.fault(in: found.body) {
          throw refuse(offset, "its item cannot be kept: \(fault)")
        }
        if let fault = history.add(found.record, id: found.id) { throw refuse(offset, fault) }
      }
      try visit(line, old == line)
    }
  }

  /// Writes the segment's lines with their checksums to a new file that takes over its name.
  private func rewrite(_ segment: Int64) throws(StoreError) {
    let path = folder.path(ofSegment: segment)
    let new = path + ".signed"
    let size = try folder.size(ofSegment: segment)
    do throws(SystemError) {
      let file = try folder.fileSystem.open(new, .create)
      try file.truncate(to: 0)
      var reader = LineReader(file: try folder.fileSystem.open(path, .read), offset: 0, limit: size)
      var written: Int64 = 0
      var waiting: [UInt8] = []
      while case .line(let range) = try reader.next() {
        var line = Array(reader.buffer[range])
        lowerClaim(in: &line, to: written + Int64(waiting.count))
        Checksum.write(
          Checksum.of(line[Frame.coverStart...]), into: &line, at: Frame.digitsStart)
        waiting += line
        waiting.append(0x0A)
        if waiting.count > 1 << 20 {
          try file.writeFully(waiting, at: written)
          written += Int64(waiting.count)
          waiting.removeAll(keepingCapacity: true)
        }
      }
      try file.writeFully(waiting, at: written)
      try file.synchronize()
      try folder.fileSystem.rename(new, to: path)
      try folder.fileSystem.synchronizeDirectory(folder.path)
    } catch {
      throw .system(error, doing: "write", path: new)
    }
  }

  /// Makes a line's `b`, what was durable when it was written, no more than what is before it now.
  private func lowerClaim(in line: inout [UInt8], to offset: Int64) {
    let record = line.withUnsafeBytes { bytes -> RecordLine? in
      var copy = Array(bytes)
      Checksum.write(Checksum.of(copy[Frame.coverStart...]), into: &copy, at: Frame.digitsStart)
      // `read` has parsed the same line before.
      return copy.withUnsafeBytes { try? RecordLine($0) }
    }
    guard let record, record.durableBefore > offset else { return }
    let old = Array(#","b":\#(record.durableBefore),"#.utf8)
    let new = Array(#","b":\#(offset),"#.utf8)
    guard let found = line.firstRange(of: old) else { return }
    line.replaceSubrange(found, with: new)
  }

  private func publish(
    _ last: Segment, _ history: HistoryCheck, _ found: HeadRecord?
  ) throws(StoreError) {
    let size: Int64
    do throws(SystemError) {
      size = try folder.fileSystem.status(at: folder.path(ofSegment: last.name))?.size ?? last.bytes
    } catch {
      throw .system(error, doing: "look at", path: folder.path(ofSegment: last.name))
    }
    let record = HeadRecord(
      sequence: found?.sequence ?? 0, epoch: max(history.epoch, found?.epoch ?? 1),
      segment: last.name, offset: size, revision: history.revision,
      isRelaxed: found?.isRelaxed ?? false)
    _ = try head.reset(record, overPoison: true)
  }
}
