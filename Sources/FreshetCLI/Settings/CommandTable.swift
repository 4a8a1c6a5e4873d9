/// Everything that can be typed after `freshet`.
enum CommandTable {
  static let commands: [CommandSpec] = [
    SaveCommand.spec,
    ListCommand.spec,
    ShowCommand.spec,
    DeleteCommand.spec,
    RestoreCommand.spec,
    SearchCommand.spec,
    DownloadCommand.spec,
    WatchCommand.spec,
    BooksCommand.spec,
    GuidanceCommand.spec,
    RunCommand.spec,
    BenchCommand.spec,
    StoreCommand.spec,
    SchemaCommand.spec,
    ConfigCommand.spec,
    DoctorCommand.spec,
    CompletionsCommand.spec,
    ManCommand.spec,
    HelpCommand.spec,
    VersionCommand.spec,
  ]

  /// Options of every command.
  static let globals: [OptionSpec] = [
    .value("store", "DIR", "the store's folder"),
    .value(
      "format", "NAME", choices: Output.Format.allCases.map(\.rawValue),
      "records, or lines for people; ndjson where stdout is no terminal"),
    .value(
      "log-format", "NAME", choices: Diagnostics.Format.allCases.map(\.rawValue),
      "how stderr speaks: to people (text), or as one object a line"),
    .value("color", "WHEN", choices: ["auto", "always", "never"], "colour for people"),
    .value("config", "FILE", "read settings from FILE"),
    .flag("quiet", short: "q", "say only what went wrong"),
    .flag("verbose", short: "v", "say more"),
    .flag("help", short: "h", "explain the command"),
  ]

  /// Commands of the product that this version does not have.
  static let later = [
    "serve"
  ]

  static let parser = ArgumentParser(commands: commands, globals: globals, later: later)
}
