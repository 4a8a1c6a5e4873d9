extension CompletionScript {
  /// Zsh: `_arguments` for the command and for each command's own words.
  static func zshLines(_ commands: [CommandSpec], _ globals: [OptionSpec]) -> [String] {
    var lines = [
      "#compdef freshet",
      "_freshet() {",
      "  local curcontext=$curcontext state line ret=1",
      "  typeset -A opt_args",
      "  local -a globals",
      "  globals=(",
    ]
    lines += globals.map { "    " + zshOption($0) }
    lines += [
      "  )",
      "  _arguments -C $globals '1: :->command' '*:: :->words' && ret=0",
      "  case $state in",
      "    command)",
      "      local -a commands",
      "      commands=(",
    ]
    lines += commands.map { "        " + quoted("\($0.name):\(plain($0.summary))") }
    lines += [
      "      )",
      "      _describe -t commands command commands && ret=0 ;;",
      "    words)",
      "      case $line[1] in",
    ]
    for command in commands {
      lines.append("        \(command.name))")
      var words = command.options.map(zshOption)
      for (place, argument) in command.arguments.enumerated() {
        let isLast = place == command.arguments.count - 1 && argument.count.upperBound > 1
        words.append(
          quoted(
            "\(isLast ? "*" : "\(place + 1)"):\(escaped(argument.name.lowercased())):"
              + zshAnswer(argument.completedValue)))
      }
      lines.append("          _arguments $globals" + (words.isEmpty ? "" : " \\"))
      for (place, word) in words.enumerated() {
        lines.append("            " + word + (place == words.count - 1 ? "" : " \\"))
      }
      lines.append("          ret=$? ;;")
    }
    lines += [
      "      esac ;;",
      "  esac",
      "  return ret",
      "}",
      "if [ \"$funcstack[1]\" = _freshet ]; then",
      "  _freshet \"$@\"",
      "else",
      "  compdef _freshet freshet",
      "fi",
    ]
    return lines
  }

  private static func zshOption(_ option: OptionSpec) -> String {
    let help = "[\(escaped(plain(option.help)))]"
    let value = option.completedValue.map {
      ":\(escaped((option.value ?? "").lowercased())):\(zshAnswer($0))"
    }
    let long = "--\(option.name)\(option.value == nil ? "" : "=")"
    guard let short = option.short else { return quoted("\(long)\(help)\(value ?? "")") }
    let shortText = "-\(short)\(option.value == nil ? "" : "+")"
    return "'(-\(short) --\(option.name))'{\(shortText),\(long)}"
      + quoted("\(help)\(value ?? "")")
  }

  private static func zshAnswer(_ value: CompletedValue) -> String {
    switch value {
    case .choices(let choices): "(\(choices.joined(separator: " ")))"
    case .file: "_files"
    case .folder: "_files -/"
    case .free: ""
    }
  }

  /// Text without what `_arguments` and `_describe` take for their own.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
      .replacing(":", with: "\\:")
  }

  private static func plain(_ text: String) -> String { text.replacing(":", with: ",") }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: #"'\''"#))'"
  }
}
