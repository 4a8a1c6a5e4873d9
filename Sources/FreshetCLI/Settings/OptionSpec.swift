/// One option of a command: what the parser takes and the help says.
struct OptionSpec: Sendable {
  /// The long name without its dashes.
  let name: String
  /// The one-letter name, if there is one.
  var short: Character?
  /// What stands for the value in help; nil makes the option a flag.
  var value: String?
  /// The only values taken; empty for any.
  var choices: [String] = []
  /// One line of help.
  let help: String

  static func flag(_ name: String, short: Character? = nil, _ help: String) -> OptionSpec {
    OptionSpec(name: name, short: short, help: help)
  }

  static func value(
    _ name: String, _ value: String, short: Character? = nil, choices: [String] = [],
    _ help: String
  ) -> OptionSpec {
    OptionSpec(name: name, short: short, value: value, choices: choices, help: help)
  }

  /// How the option is written: `-f, --file FILE`.
  var spelling: String {
    (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

/// The arguments a command takes after its options.
struct ArgumentSpec: Sendable {
  let name: String
  let help: String
  /// How many may be given.
  let count: ClosedRange<Int>
  /// The only values taken, or with `isOpen` those offered; empty for any.
  var choices: [String] = []
  /// Whether other words are taken too: the command looks at them itself.
  var isOpen = false

  /// How it is written in a usage line.
  var spelling: String {
    let dots = count.upperBound > 1 ? "…" : ""
    return count.lowerBound == 0 ? "[\(name)\(dots)]" : "\(name)\(dots)"
  }
}

/// How a command came to its end.
struct Finish: Equatable {
  /// The reason in `stream.end`.
  let reason: String
  let exit: Int32

  static let done = Finish(reason: "done", exit: ExitCode.done)
  /// All was tried, something failed.
  static let someFailed = Finish(reason: "failed", exit: ExitCode.itemFailed)
}

/// One of the things that a command can do, where its first argument says which.
struct ActionSpec: Sendable {
  let name: String
  let summary: String
  /// What stands after it, as in a usage line.
  var words = ""
  /// Which of the command's options it takes.
  var options: [String] = []
  /// What a user should know of it, one paragraph each.
  var notes: [String] = []
}

/// One subcommand: the parser, the help and the completions all read this.
struct CommandSpec: Sendable {
  /// A line of help with what it does.
  struct Example: Sendable {
    let line: String
    let meaning: String
  }

  let name: String
  let summary: String
  var arguments: [ArgumentSpec] = []
  var options: [OptionSpec] = []
  let examples: [Example]
  /// What a user should know beyond the options, one paragraph each.
  var notes: [String] = []
  /// What it can do, where its first argument says that; none for most.
  var actions: [ActionSpec] = []
  /// Options that belong to the command but not to this version.
  var later: [String] = []
  /// Whether it answers people, in text, unless records are asked for.
  var isForPeople = false
  let run: @Sendable (Invocation, Session) throws(Stop) -> Finish

  /// The line after `usage:`.
  var usage: String {
    (["freshet", name] + Self.usage(of: options) + arguments.map(\.spelling))
      .joined(separator: " ")
  }

  /// The same for one action alone.
  func usage(of action: ActionSpec) -> String {
    let words = action.words.isEmpty ? [] : [action.words]
    return (["freshet", name, action.name] + Self.usage(of: options(of: action)) + words)
      .joined(separator: " ")
  }

  private static func usage(of options: [OptionSpec]) -> [String] {
    options.map { option in
      let short = option.short.map { "-\($0)" } ?? "--\(option.name)"
      return "[\(short)\(option.value.map { " \($0)" } ?? "")]"
    }
  }

  /// The options that an action takes.
  func options(of action: ActionSpec) -> [OptionSpec] {
    options.filter { action.options.contains($0.name) }
  }

  /// The examples of an action.
  func examples(of action: ActionSpec) -> [Example] {
    examples.filter { "\($0.line) ".hasPrefix("freshet \(name) \(action.name) ") }
  }

  /// All that a user should know, of the command and of each action.
  var allNotes: [String] { notes + actions.flatMap(\.notes) }
}
