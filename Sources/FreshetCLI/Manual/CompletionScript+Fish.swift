extension CompletionScript {
  /// Fish: one `complete` line per command, option and argument.
  static func fishLines(_ commands: [CommandSpec], _ globals: [OptionSpec]) -> [String] {
    var lines = ["# fish completion for freshet", "complete -c freshet -f"]
    let names = commands.map(\.name).joined(separator: " ")
    let none = "not __fish_seen_subcommand_from \(names)"
    for option in globals { lines.append("complete -c freshet" + fishOption(option)) }
    for command in commands {
      lines.append(
        "complete -c freshet -n \(quoted(none)) -a \(command.name) -d \(quoted(command.summary))")
    }
    for command in commands {
      let here = "complete -c freshet -n \(quoted("__fish_seen_subcommand_from \(command.name)"))"
      for option in command.options { lines.append(here + fishOption(option)) }
      for argument in command.arguments {
        let answer = fishAnswer(argument.completedValue)
        if !answer.isEmpty { lines.append(here + answer) }
      }
    }
    return lines
  }

  private static func fishOption(_ option: OptionSpec) -> String {
    var text = " -l \(option.name)"
    if let short = option.short { text += " -s \(short)" }
    if let value = option.completedValue {
      // -x keeps the names of files away.
      if case .file = value { text += " -r" } else { text += " -x" }
      text += fishAnswer(value)
    }
    return text + " -d \(quoted(option.help))"
  }

  private static func fishAnswer(_ value: CompletedValue) -> String {
    switch value {
    case .choices(let choices): " -a \(quoted(choices.joined(separator: " ")))"
    case .file: " -F"
    case .folder: " -a '(__fish_complete_directories)'"
    case .free: ""
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
