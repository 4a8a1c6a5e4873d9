/// The words of a script's line, read as those of a command line are.
enum ScriptWords {
  /// Reads the words after an operation.
  ///
  /// - Parameters:
  ///   - options: Those that the operation takes.
  ///   - arguments: What it takes beside them.
  static func read(
    _ operation: String, _ words: [String], _ options: [OptionSpec],
    _ arguments: [ArgumentSpec] = []
  ) throws(ScriptFault) -> Invocation {
    try read(
      words,
      of: CommandSpec(
        name: operation, summary: "", arguments: arguments, options: options, examples: [],
        run: { (_, _) throws(Stop) in .done }))
  }

  /// Reads the words of a command, of which a script's line has options and arguments.
  static func read(_ words: [String], of command: CommandSpec) throws(ScriptFault) -> Invocation {
    do {
      return try ArgumentParser(commands: [command], globals: [], later: [])
        .read(words, of: command)
    } catch {
      throw ScriptParser.fault("bad_words", error.message)
    }
  }
}

extension CommandSpec {
  /// Some of its options, as a script's line takes them: what values they have is looked at by whoever
  /// reads objects too.
  func options(_ names: [String]) -> [OptionSpec] {
    options.filter { names.contains($0.name) }.map { option in
      var option = option
      option.choices = []
      return option
    }
  }
}
