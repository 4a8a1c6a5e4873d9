import FreshetStore

/// `freshet run`: a script of commands, each line answered exactly once.
enum RunCommand {
  static let spec = CommandSpec(
    name: "run",
    summary: "Run a script of commands.",
    options: [
      .value("file", "FILE", short: "f", "read the script from FILE, - for standard input"),
      .flag("atomic", "the whole script is one transaction"),
      .flag("fail-fast", "take no more lines after a failure"),
      .value("server", "URL", "the guidances of a server, in place of the store's"),
      .flag("dry-run", "tell what would be done, and do nothing"),
      .value("retry", "N", "how often a failed request is made again: 3 (default)"),
      .value("country", "CC", "two letters of the country, where Google wants it named"),
    ] + CatalogAccess.options,
    examples: [
      .init(line: "freshet run -f Examples/first-run.txt", meaning: "a script from a file"),
      .init(
        line: "echo 'delete book:local:1' | freshet run -f -", meaning: "a command from a pipe"),
    ],
    notes: [
      "One command a line: JSON when it begins with {, else words as in a shell; blank lines and "
        + "lines that begin with # are passed over. Operations: "
        + ScriptParser.operations.joined(separator: ", ") + ".",
      "What stands between begin and commit is one commit of the store. An error, a signal or the "
        + "end of the script before commit rolls it back: exit code 5.",
      CatalogAccess.note,
    ],
    later: ["jobs", "ordered", "journal"],
    run: run)

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    guard let file = invocation.value("file") else {
      throw .usage("missing_option", "run needs -f SCRIPT, or -f - for standard input")
    }
    let manager = try session.openStore(
      command: "run", mustExist: invocation.has("dry-run"))
    let input = try Input(file, session: session)
    var runner = ScriptRunner(
      manager: manager, session: session,
      catalogs: ScriptCatalogs(
        invocation, session, manager, isDry: invocation.has("dry-run")),
      isAtomic: invocation.has("atomic"), isFailFast: invocation.has("fail-fast"),
      isDry: invocation.has("dry-run"))
    do {
      var splitter = LineSplitter()
      var wantsMore = true
      while wantsMore, let bytes = try input.next() {
        for line in splitter.feed(bytes) where wantsMore {
          try session.waiter.checkSignal()
          wantsMore = try runner.take(line)
        }
      }
      if wantsMore, let last = splitter.finish() { _ = try runner.take(last) }
      return try runner.finish()
    } catch {
      runner.abandon(error)
      throw error
    }
  }
}
