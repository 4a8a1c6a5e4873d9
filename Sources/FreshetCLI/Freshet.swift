import CFreshet
import FreshetStore

/// The command `freshet`: parse, run one subcommand, end as documented.
@main enum Freshet {
  static func main() {
    System.fillStandardDescriptors()
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      let waiter = try Waiter.make()
      let invocation = try parse(words)
      let settings = try Settings(invocation, environment: System.environment, waiter)
      let session = Session(
        settings: settings, output: Output(format: settings.format, look: settings.look),
        waiter: waiter)
      run(invocation, session)
    } catch {
      refuse(error, words)
    }
  }

  private static func parse(_ words: [String]) throws(Stop) -> Invocation {
    if words.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
      throw .usage("invalid_utf8", "an argument is not UTF-8")
    }
    do {
      return try CommandTable.parser.parse(words)
    } catch {
      throw .usage("bad_arguments", error.message)
    }
  }

  private static func run(_ invocation: Invocation, _ session: Session) -> Never {
    do {
      let finish = try invocation.command.run(invocation, session)
      if !invocation.command.isForPeople || session.output.format.isRecords,
        !invocation.has("json")
      {
        session.sayEnd(reason: finish.reason, exit: finish.exit)
      }
      try session.output.flush()
      closeStore()
      System.endProcess(finish.exit)
    } catch {
      end(session, command: invocation.command.name, error)
    }
  }

  /// A command line or settings that make no sense: there is no session yet, yet stdout must hold
  /// records where records are expected.
  private static func refuse(_ stop: Stop, _ words: [String]) -> Never {
    let format = Settings.formatGuess(words, environment: System.environment)
    let output = Output(format: format)
    let diagnostics = Diagnostics(
      verbosity: 0, usesColor: false,
      format: Settings.logFormatGuess(words, environment: System.environment))
    if let problem = stop.problem { diagnostics.error(problem.message) }
    Session.sayAll(of: stop, output)
    do {
      try output.flush()
    } catch {
      System.endProcess(error.exitCode)
    }
    if case .signal(let number) = stop { freshet_signals_reraise(number) }
    System.endProcess(stop.exitCode)
  }

  private static func end(_ session: Session, command: String, _ stop: Stop) -> Never {
    switch stop {
    case .readerGone: break
    case .writeError(let problem): session.diagnostics.error(problem.message)
    default:
      if let problem = stop.problem { session.diagnostics.error(session.words(for: problem)) }
      session.sayHello(command: command)
      if let problem = stop.problem { session.sayError(problem) }
      var signal: Int32?
      if case .signal(let number) = stop {
        signal = number
        session.serviceManager.stopping()
      }
      session.sayEnd(reason: stop.reason, exit: stop.exitCode, signal: signal)
      do {
        try session.output.flush()
      } catch {
        if case .signal = stop { break }
        System.endProcess(error.exitCode)
      }
    }
    switch stop {
    case .signal(let number):
      closeStore(quickly: true)
      freshet_signals_reraise(number)
    case .timeout: closeStore(quickly: true)
    default: closeStore()
    }
    System.endProcess(stop.exitCode)
  }

  /// - Parameter quickly: Whether the time to end is over: then no large snapshot is made.
  private static func closeStore(quickly: Bool = false) {
    // Without a store there is nothing to close.
    if let manager = try? DatabaseManager.shared { manager.close(quickly: quickly) }
  }
}
