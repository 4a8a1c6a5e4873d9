extension Waiter {
  /// Waits for bytes of an input, which ``System/openInput(_:)`` opened or which was there before us,
  /// and reads what there is; nil when that is nothing after all.
  ///
  /// - Throws: ``Stop/signal(_:)``, ``Stop/readerGone``, ``Stop/timeout``.
  private func read(
    _ descriptor: Int32, limit: Int, until deadline: ContinuousClock.Instant?,
    into bytes: inout [UInt8]
  ) throws(Stop) -> Result<Int, System.Failure>? {
    let remaining = deadline.map { ContinuousClock.now.duration(to: $0) }
    let wake = try wait(input: descriptor, timeout: remaining)
    if wake.isTimeout { throw .timeout }
    guard wake.inputIsReady else { return nil }
    do {
      return .success(try System.read(from: descriptor, limit: limit, into: &bytes))
    } catch  where error.isInterrupted || error.wouldBlock {
      return nil
    } catch {
      return .failure(error)
    }
  }

  /// A whole file, nil when there is none; a pipe is waited for, whether it has a writer yet or not.
  ///
  /// - Parameter deadline: How long it is waited for.
  /// - Throws: ``Stop/signal(_:)``, ``Stop/readerGone``, ``Stop/timeout``.
  func contents(
    of path: String, limit: Int, until deadline: ContinuousClock.Instant? = nil
  ) throws(Stop) -> Result<[UInt8]?, System.Failure> {
    let descriptor: Int32
    do {
      descriptor = try System.openInput(path)
    } catch {
      return error.isMissingFile ? .success(nil) : .failure(error)
    }
    defer { System.closeFile(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let room = min(65_536, limit - bytes.count)
      switch try read(descriptor, limit: room, until: deadline, into: &bytes) {
      case .success(0): return .success(bytes)
      case .success, nil: continue
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success(bytes)
  }
}

extension Invocation {
  /// When the time of `--timeout` is over that begins now; nil without one.
  ///
  /// - Throws: ``Stop/usage(_:)`` for a time that is none.
  func deadline() throws(Stop) -> ContinuousClock.Instant? {
    try duration("timeout").map { .now + $0 }
  }
}
