/// The documented exit codes; an unknown one means failure.
enum ExitCode {
  static let done: Int32 = 0
  static let itemFailed: Int32 = 1
  static let usage: Int32 = 2
  static let cursorLost: Int32 = 3
  static let credentials: Int32 = 4
  static let rolledBack: Int32 = 5
  static let timeout: Int32 = 6
  static let storeLost: Int32 = 7
  static let ourBug: Int32 = 70
  static let cannotCreate: Int32 = 73
  static let writeError: Int32 = 74
  static let readerGone: Int32 = 141

  /// What each means, for the manual.
  static let table: [(code: Int32, meaning: String)] = [
    (done, "all done; a bounded watch reached its bound; nothing had to be done"),
    (itemFailed, "finished, but something failed"),
    (usage, "the command line, a script, a setting or a cursor makes no sense"),
    (cursorLost, "with --strict: the cursor leads nowhere, or changes are no longer kept"),
    (credentials, "a catalogue's key is missing or was refused"),
    (rolledBack, "a transaction was rolled back"),
    (timeout, "the time of --timeout is over"),
    (storeLost, "the store cannot be used, or was lost while in use"),
    (ourBug, "a bug of freshet"),
    (cannotCreate, "a file that the command is to make is there already, or cannot be made"),
    (writeError, "stdout, or the journal of run, cannot be written"),
    (129, "SIGHUP ended it, after everything acknowledged was kept"),
    (130, "SIGINT ended it, likewise"),
    (readerGone, "the reader of stdout is gone"),
    (143, "SIGTERM ended it, likewise"),
  ]
}

/// What is wrong, as it stands in `data.error` of an event.
struct Problem: Error, Equatable {
  let code: String
  let message: String
  var retryable = false
  /// The HTTP status, where a server answered.
  var status: Int?

  func write(to object: inout ObjectWriter) {
    object.string("code", code)
    object.string("message", message)
    object.bool("retryable", retryable)
    if let status { object.int("http", status) }
  }
}

/// Why a command ends before its work is done.
enum Stop: Error, Equatable {
  /// The command line, a script or the settings make no sense: exit 2.
  case usage(Problem)
  /// The store cannot be used, or cannot be used any longer: exit 7.
  case store(Problem)
  /// A catalogue's key is missing, unreadable or refused: exit 4.
  case credentials(Problem)
  /// A cursor that leads nowhere, under `--strict`: exit 3.
  case cursor(Problem)
  /// An open transaction was rolled back: exit 5.
  case rolledBack(Problem)
  /// A file that is to be made is there already, or cannot be made: exit 73.
  case cannotCreate(Problem)
  /// An input that cannot be read any further: exit 1.
  case input(Problem)
  /// Whoever read stdout is gone: exit 141, nothing more is said.
  case readerGone
  /// stdout cannot be written: exit 74.
  case writeError(Problem)
  /// The journal of a script cannot be written: exit 74.
  case journal(Problem)
  /// The time of `--timeout` is over: exit 6.
  case timeout
  /// SIGINT, SIGTERM or SIGHUP.
  case signal(Int32)

  var exitCode: Int32 {
    switch self {
    case .usage: ExitCode.usage
    case .store: ExitCode.storeLost
    case .credentials: ExitCode.credentials
    case .cursor: ExitCode.cursorLost
    case .rolledBack: ExitCode.rolledBack
    case .cannotCreate: ExitCode.cannotCreate
    case .input: ExitCode.itemFailed
    case .readerGone: ExitCode.readerGone
    case .writeError, .journal: ExitCode.writeError
    case .timeout: ExitCode.timeout
    case .signal(let number): 128 + number
    }
  }

  /// The reason in `stream.end`.
  var reason: String {
    switch self {
    case .usage: "usage"
    case .store: "store_lost"
    case .credentials: "credentials"
    case .cursor: "cursor_lost"
    case .rolledBack: "rolled_back"
    case .cannotCreate: "cannot_create"
    case .input: "input_error"
    case .readerGone: "reader_gone"
    case .writeError: "write_error"
    case .journal: "journal_error"
    case .timeout: "timeout"
    case .signal: "signal"
    }
  }

  var problem: Problem? {
    switch self {
    case .usage(let problem), .store(let problem), .credentials(let problem), .cursor(let problem),
      .rolledBack(let problem), .cannotCreate(let problem), .input(let problem),
      .writeError(let problem), .journal(let problem):
      problem
    case .readerGone, .timeout, .signal: nil
    }
  }

  static func usage(_ code: String, _ message: String) -> Stop {
    .usage(Problem(code: code, message: message))
  }
}
