extension CompletionScript {
  /// Bash: one function that finds the command, then answers from two tables.
  ///
  /// Bash splits words at `=`, so `--kind=fi` comes as three words.
  static func bashLines(_ commands: [CommandSpec], _ globals: [OptionSpec]) -> [String] {
    let names = commands.map(\.name).joined(separator: " ")
    var lines = [
      "# bash completion for freshet",
      "_freshet() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
      "  local command='' options='' word i place=0",
      "  COMPREPLY=()",
      "  if [[ $current == '=' ]]; then",
      "    current=''",
      "  elif [[ $previous == '=' ]]; then",
      "    previous=${COMP_WORDS[COMP_CWORD-2]}",
      "  fi",
      "  for ((i = 1; i < COMP_CWORD; i++)); do",
      "    word=${COMP_WORDS[i]}",
      "    case $word in",
      "      \(pattern(valueSpellings(commands, globals)))) ((i++)) ;;",
      "      =) ((i++)) ;;",
      "      -*) ;;",
      "      *) if [[ -z $command ]]; then command=$word; else ((place++)); fi ;;",
      "    esac",
      "  done",
      "  case $command:$previous in",
    ]
    for option in globals { lines += bashValue(of: option, in: "*") }
    for command in commands {
      for option in command.options { lines += bashValue(of: option, in: command.name) }
    }
    lines.append("  esac")
    lines.append("  case $command in")
    lines.append("    '') options='\(spellings(globals))'")
    lines.append("      [[ $current == -* ]] || options='\(names)' ;;")
    for command in commands {
      lines.append("    \(command.name)) options='\(spellings(command.options + globals))'")
      lines.append("      if [[ $current != -* ]]; then")
      lines.append("        case $place in")
      for (place, argument) in command.arguments.enumerated() {
        let isLast = place == command.arguments.count - 1 && argument.count.upperBound > 1
        lines.append(
          "          \(isLast ? "*" : "\(place)")) \(bashAnswer(argument.completedValue)) ;;")
      }
      if command.arguments.isEmpty { lines.append("          *) return ;;") }
      lines.append("        esac")
      lines.append("        return")
      lines.append("      fi ;;")
    }
    lines += [
      "  esac",
      "  mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")",
      "}",
      "complete -F _freshet freshet",
    ]
    return lines
  }

  private static func bashValue(of option: OptionSpec, in command: String) -> [String] {
    guard let value = option.completedValue else { return [] }
    var written = "\(command):--\(option.name)"
    if let short = option.short { written += "|\(command):-\(short)" }
    return ["    \(written)) \(bashAnswer(value)); return ;;"]
  }

  private static func bashAnswer(_ value: CompletedValue) -> String {
    switch value {
    case .choices(let choices):
      #"mapfile -t COMPREPLY < <(compgen -W '\#(choices.joined(separator: " "))' -- "$current")"#
    case .file: #"mapfile -t COMPREPLY < <(compgen -f -- "$current")"#
    case .folder: #"mapfile -t COMPREPLY < <(compgen -d -- "$current")"#
    case .free: "COMPREPLY=()"
    }
  }

  /// Every way to write an option that takes the next word.
  private static func valueSpellings(
    _ commands: [CommandSpec], _ globals: [OptionSpec]
  ) -> [String] {
    var seen: Set<String> = []
    let options = (globals + commands.flatMap(\.options)).filter { $0.value != nil }
    let all = options.flatMap { option in
      ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
    }
    return all.filter { seen.insert($0).inserted }
  }

  private static func pattern(_ words: [String]) -> String { words.joined(separator: "|") }

  private static func spellings(_ options: [OptionSpec]) -> String {
    options.map { "--\($0.name)" }.joined(separator: " ")
  }
}
