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
      .value("jobs", "N", "how many downloads and searches at a time: 4 (default), at most 64"),
      .flag("ordered", "tell results in the order of the lines, not as they are done"),
      .value(
        "journal", "FILE",
        "write into FILE what is finished, and pass over it in a rerun; off (default)"),
      .value("server", "URL", "the guidances of a server, in place of the store's"),
      .flag("dry-run", "tell what would be done, and do nothing"),
      .value("retry", "N", "how often a failed request is made again: 3 (default), at most 1000"),
      .value("country", "CC", "two letters of the country, where Google wants it named"),
    ] + CatalogAccess.options,
    examples: [
      .init(line: "freshet run -f Examples/first-run.txt", meaning: "a script from a file"),
      .init(
        line: "echo 'delete book:local:1' | freshet run -f -", meaning: "a command from a pipe"),
      .init(
        line: "freshet run -f much.txt --jobs 8 --journal much.done",
        meaning: "eight downloads at a time; run it again after an end and it goes on"),
    ],
    notes: [
      "One command a line: JSON when it begins with {, else words as in a shell; blank lines and "
        + "lines that begin with # are passed over. Operations: "
        + ScriptParser.operations.joined(separator: ", ") + ".",
      "Options are those of the commands: search takes "
        + SearchCommand.scriptOptions.map { "--\($0)" }.joined(separator: ", ")
        + ", list --kind and --limit, or --view guidance or books; filter takes --grade and --class. In "
        + "an object they are fields, with _ for -: {\"op\":\"search\",\"query\":\"dune\",\"source\":"
        + "\"google\",\"page_size\":40}.",
      "A command line gets exactly one cmd.result, whatever happens. Downloads and searches run "
        + "beside each other, and the next line is read when one of --jobs is free; commands on one "
        + "item are done in the order of their lines. Lines that are there already may share a "
        + "commit.",
      "wait ID goes on when the command with that id is done, and fails when it failed; wait alone, "
        + "when all are. watch takes the arguments of freshet watch; one without a bound of its own "
        + "ends with the script.",
      "What stands between begin and commit is one commit of the store. An error, a signal or the "
        + "end of the script before commit rolls it back: exit code 5.",
      "--journal keeps what changes something, by the command's id or, without one, by the number "
        + "of its line; a changed line under the same name is an error. A crash can make a rerun do "
        + "the last commands again.",
      CatalogAccess.note,
    ],
    run: run)

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    guard let file = invocation.value("file") else {
      throw .usage("missing_option", "run needs -f SCRIPT, or -f - for standard input")
    }
    var options = ScriptRunner.Options()
    options.isAtomic = invocation.has("atomic")
    options.isFailFast = invocation.has("fail-fast")
    options.isOrdered = invocation.has("ordered")
    options.isDry = invocation.has("dry-run")
    options.jobs = try invocation.wholeNumber("jobs", atLeast: 1) ?? options.jobs
    if options.jobs > 64 {
      throw .usage("bad_option", "option --jobs can be 1 to 64, not “\(options.jobs)”")
    }
    let manager = try session.openStore(command: "run", mustExist: options.isDry)
    let input = try Input(file, session: session)
    var journal: ScriptJournal?
    if let path = invocation.value("journal"), path != "off" {
      journal = try ScriptJournal(path, storeID: manager.storeID, isReadOnly: options.isDry)
    }
    let runner = ScriptRunner(
      invocation, manager: manager, session: session, options: options, journal: journal)
    return try runner.run(input)
  }
}
