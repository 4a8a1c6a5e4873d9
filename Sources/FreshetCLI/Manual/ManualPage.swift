/// The manual page in man(7) macros, made from the table of commands.
struct ManualPage {
  let commands: [CommandSpec]
  let globals: [OptionSpec]
  let version: String

  var text: String {
    var lines = [
      ".\\\" made by: freshet man",
      ".TH FRESHET 1 \"\" \"freshet \(version)\" \"User Commands\"",
      ".SH NAME",
      "freshet \\- reactive state streams over a store of films and books",
      ".SH SYNOPSIS",
      ".B freshet",
      "\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...",
      ".SH DESCRIPTION",
    ]
    lines += paragraph(
      "Keeps content items in a store of plain files and prints every change of them, and of the "
        + "views over them, as one JSON object a line. Any number of processes may write and "
        + "follow one store; a follower that stops goes on where it was, without a gap.")
    lines.append(".SH COMMANDS")
    for command in commands { lines += section(command) }
    lines.append(".SH GLOBAL OPTIONS")
    lines += globals.flatMap(entry)
    lines.append(".SH EXIT STATUS")
    for row in ExitCode.table { lines += tagged("\(row.code)", row.meaning) }
    lines.append(".SH ENVIRONMENT")
    for row in Settings.variables { lines += tagged(row.name, row.meaning) }
    lines.append(".SH FILES")
    lines += tagged("$XDG_CONFIG_HOME/freshet/config.json", "settings, as one object of strings")
    lines += tagged("$XDG_DATA_HOME/freshet", "the store, where no other is named")
    lines.append(".SH EXAMPLES")
    lines += example("freshet save -f items.ndjson", "save records, one a line")
    lines += example("freshet watch downloads", "follow every change")
    lines += example(
      "freshet watch | jq --unbuffered -c 'select(.type==\"item.added\")'", "only what is new")
    lines.append(".SH SEE ALSO")
    lines.append(".BR jq (1)")
    return lines.joined(separator: "\n")
  }

  private func section(_ command: CommandSpec) -> [String] {
    var lines = [".SS \(escaped(command.usage))"]
    lines += paragraph(command.summary)
    for argument in command.arguments {
      lines += tagged(argument.spelling, argument.help)
    }
    for action in command.actions {
      lines += tagged(
        action.words.isEmpty ? action.name : "\(action.name) \(action.words)", action.summary)
    }
    lines += command.options.flatMap(entry)
    for note in command.allNotes { lines += [".PP"] + paragraph(note) }
    for line in command.examples { lines += example(line.line, line.meaning) }
    return lines
  }

  private func entry(_ option: OptionSpec) -> [String] {
    let choices = option.choices.isEmpty ? "" : " (\(option.choices.joined(separator: ", ")))"
    let short = option.short.map { "-\($0), " } ?? ""
    let value = option.value.map { " \($0)" } ?? ""
    return tagged("\(short)--\(option.name)\(value)", option.help + choices)
  }

  private func tagged(_ tag: String, _ body: String) -> [String] {
    [".TP", ".B \"\(escaped(tag).replacing("\"", with: "\\(dq"))\""] + paragraph(body)
  }

  private func example(_ line: String, _ meaning: String) -> [String] {
    [".PP"] + paragraph(meaning + ":") + [
      ".PP", ".RS 4", ".nf", guarded(escaped(line)), ".fi", ".RE",
    ]
  }

  private func paragraph(_ text: String) -> [String] { [guarded(escaped(text))] }

  /// A line that begins with a dot or a quote would be a macro.
  private func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  private func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("…", with: "...")
      .replacing("’", with: "\\(cq").replacing("“", with: "\\(lq").replacing("”", with: "\\(rq")
      .replacing("~", with: "\\(ti").replacing("^", with: "\\(ha").replacing("`", with: "\\(ga")
      .replacing("'", with: "\\(aq")
  }
}
