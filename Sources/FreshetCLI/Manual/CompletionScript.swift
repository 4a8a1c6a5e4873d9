/// A shell and the script that teaches it to complete `freshet`.
enum CompletionScript: String, CaseIterable {
  case bash
  case zsh
  case fish

  /// The script for a table of commands.
  func text(commands: [CommandSpec], globals: [OptionSpec]) -> String {
    let lines =
      switch self {
      case .bash: Self.bashLines(commands, globals)
      case .zsh: Self.zshLines(commands, globals)
      case .fish: Self.fishLines(commands, globals)
      }
    return lines.joined(separator: "\n")
  }
}

/// What may stand where an option's value or an argument is expected.
enum CompletedValue {
  case choices([String])
  case file
  case folder
  /// Nothing that can be guessed.
  case free

  init(named name: String, choices: [String]) {
    if !choices.isEmpty {
      self = .choices(choices)
    } else if name.hasPrefix("FILE") || name == "SCRIPT" || name == "OUT" {
      self = .file
    } else if name.hasPrefix("DIR") {
      self = .folder
    } else {
      self = .free
    }
  }
}

extension OptionSpec {
  /// What may follow the option; nil for a flag.
  var completedValue: CompletedValue? {
    value.map { CompletedValue(named: $0, choices: choices) }
  }
}

extension ArgumentSpec {
  var completedValue: CompletedValue { CompletedValue(named: name, choices: choices) }
}
