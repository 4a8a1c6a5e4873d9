import Freshet
import FreshetStore
import Synchronization

extension StoreCommand {
  static func export(
    _ files: [String], _ invocation: Invocation, _ session: Session
  ) throws(Stop) -> Finish {
    try takes(
      1...1, files, "store export needs a file, or - for standard output")
    let name = files[0]
    if name == "-" { return try exportToStdout(invocation, session) }
    let manager = try session.openStore(command: "store", mustExist: true)
    let exported = try Blocking.result(
      of: manager.export(
        to: name, includingDeleted: invocation.has("include-deleted"),
        replacing: invocation.has("force")), session.waiter)
    let report: ExportReport
    do {
      report = try exported.get()
    } catch {
      throw stop(error, writing: name)
    }
    var result = CommandResult("store.export", correlation: "s1:A1")
    result.revision = report.token.revision
    result.tell("file", name)
    result.tell("items", report.liveCount)
    result.tell("deleted", report.deletedCount)
    result.tell("bytes", report.bytes)
    result.reason = "\(report.liveCount + report.deletedCount) items written to \(name)"
    session.tell(result)
    return .done
  }

  /// What the file is to blame for is not said of the store.
  private static func stop(_ error: StoreError, writing name: String) -> Stop {
    guard let path = error.path,
      path == name || path.hasPrefix(name + ".") && path.hasSuffix(".partial")
    else {
      return .store(Problem(error))
    }
    if error.code == .exists {
      return .cannotCreate(
        Problem(
          code: "exists",
          message: "\(name) is there already; name another file, or replace it with --force"))
    }
    return .cannotCreate(Problem(error))
  }

  /// Writes the items, and nothing else, to stdout.
  private static func exportToStdout(
    _ invocation: Invocation, _ session: Session
  ) throws(Stop) -> Finish {
    if invocation.has("force") {
      throw .usage("bad_arguments", "--force replaces a file, and stdout is none; leave it out")
    }
    session.output.carriesData()
    let manager = try session.openStore(command: "store", mustExist: true)
    let failure = Mutex<System.Failure?>(nil)
    let exported = try Blocking.result(
      of: manager.export(includingDeleted: invocation.has("include-deleted")) {
        (lines) throws(StoreError) in
        do throws(System.Failure) {
          try System.writeFully(lines, to: 1)
        } catch {
          failure.withLock { $0 = error }
          throw StoreError(.ioError, "stdout cannot be written: \(error.words)")
        }
      }, session.waiter)
    switch failure.withLock({ $0 }) {
    case let failure? where failure.isBrokenPipe: throw .readerGone
    case let failure?:
      throw .writeError(
        Problem(code: "write_error", message: "stdout cannot be written: \(failure.words)"))
    case nil: break
    }
    do {
      let report = try exported.get()
      session.diagnostics.step(
        "\(report.liveCount + report.deletedCount) items, \(report.bytes) bytes")
    } catch {
      throw .store(Problem(error))
    }
    return .done
  }
}
