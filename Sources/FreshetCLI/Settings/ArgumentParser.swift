/// A command line the table understands.
struct Invocation: Sendable {
  let command: CommandSpec
  /// Option values by long name, in the order given; flags hold an empty text.
  fileprivate(set) var values: [String: [String]] = [:]
  fileprivate(set) var arguments: [String] = []

  /// Whether a flag, or an option with a value, was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The last value given.
  func value(_ name: String) -> String? { values[name]?.last }

  /// All values given, in their order.
  func allValues(_ name: String) -> [String] { values[name] ?? [] }

  /// How often a flag was given.
  func count(_ name: String) -> Int { values[name]?.count ?? 0 }
}

/// A command line that cannot be understood.
struct UsageError: Error, Equatable {
  let message: String
  /// The command whose help would explain it.
  var command: String?
}

/// Reads command lines: `--k v`, `--k=v`, `--` ends options, options anywhere, bundled short flags.
struct ArgumentParser {
  let commands: [CommandSpec]
  let globals: [OptionSpec]
  /// Names that belong to the product but not to this version.
  let later: [String]

  func parse(_ words: [String]) throws(UsageError) -> Invocation {
    var words = words
    guard let place = try commandPlace(in: words) else {
      return try words.contains("--version")
        ? read([], of: command(named: "version"))
        : read(words.filter { $0 != "--help" && $0 != "-h" }, of: command(named: "help"))
    }
    let command = try command(named: words.remove(at: place))
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return try read(
        [command.name] + action(of: command, in: words) + keepGlobals(words),
        of: self.command(named: "help"))
    }
    return try read(words, of: command)
  }

  /// The options and arguments of a command; that help may be asked for in them is not looked at.
  func read(_ words: [String], of command: CommandSpec) throws(UsageError) -> Invocation {
    var invocation = Invocation(command: command)
    let options = command.options + globals
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" {
        invocation.arguments += words[index...]
        break
      } else if word.hasPrefix("--") {
        try takeLong(word, options, words, &index, &invocation)
      } else if word.hasPrefix("-"), word != "-" {
        try takeShort(word, options, words, &index, &invocation)
      } else {
        invocation.arguments.append(word)
      }
    }
    try checkArguments(of: invocation)
    return invocation
  }

  // MARK: The command

  /// Where the first word is that is neither an option nor an option's value.
  private func commandPlace(in words: [String]) throws(UsageError) -> Int? {
    let everything = globals + commands.flatMap(\.options)
    var index = 0
    while index < words.count {
      let word = words[index]
      if word == "--" { return nil }
      if !word.hasPrefix("-") || word == "-" { return index }
      index += 1
      if takesNextWord(word, everything) { index += 1 }
    }
    return nil
  }

  private func takesNextWord(_ word: String, _ options: [OptionSpec]) -> Bool {
    if word.hasPrefix("--") {
      return !word.contains("=")
        && options.contains { $0.name == word.dropFirst(2) && $0.value != nil }
    }
    // In a bundle only the last letter can take the next word.
    guard
      let place = word.dropFirst().firstIndex(where: { letter in
        options.contains { $0.short == letter && $0.value != nil }
      })
    else { return false }
    return word.index(after: place) == word.endIndex
  }

  func command(named name: String) throws(UsageError) -> CommandSpec {
    if let command = commands.first(where: { $0.name == name }) { return command }
    if later.contains(name) {
      throw UsageError(message: "the command \(name) is not in this version")
    }
    throw UsageError(
      message: "unknown command \(quoted(name))"
        + suggestion(NearestMatch.of(name, among: commands.map(\.name)), or: "freshet help"))
  }

  /// The action that a command line names, if help is asked for one.
  private func action(of command: CommandSpec, in words: [String]) -> [String] {
    let options = command.options + globals
    var words = words.prefix { $0 != "--" }
    while let word = words.popFirst() {
      if !word.hasPrefix("-") || word == "-" {
        return command.actions.contains { $0.name == word } ? [word] : []
      }
      // The value of an option, unless it is the question itself.
      if takesNextWord(word, options), let next = words.first, !next.hasPrefix("-") {
        words.removeFirst()
      }
    }
    return []
  }

  /// The global options of a command line, for the help that takes its place.
  private func keepGlobals(_ words: [String]) -> [String] {
    var kept: [String] = []
    let words = words.prefix { $0 != "--" }
    for (index, word) in words.enumerated() {
      if word.hasPrefix("--format=") || word == "--json" { kept.append(word) }
      if word == "--format", index + 1 < words.count, !words[index + 1].hasPrefix("-") {
        kept += [word, words[index + 1]]
      }
    }
    return kept
  }

  // MARK: Options

  private func takeLong(
    _ word: String, _ options: [OptionSpec], _ words: [String], _ index: inout Int,
    _ invocation: inout Invocation
  ) throws(UsageError) {
    let parts = word.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let command = invocation.command.name
    guard let option = options.first(where: { $0.name == name }) else {
      if invocation.command.later.contains(name) {
        throw UsageError(
          message: "option --\(name) of \(command) is not in this version", command: command)
      }
      let near = NearestMatch.of(name, among: options.map(\.name)).map { "--\($0)" }
      throw UsageError(
        message: "unknown option \(quoted("--" + name)) for \(command)"
          + suggestion(near, or: help(of: command)), command: command)
    }
    if option.value == nil {
      guard parts.count == 1 else {
        throw UsageError(message: "option --\(name) takes no value", command: command)
      }
      invocation.values[name, default: []].append("")
    } else if parts.count == 2 {
      try take(String(parts[1]), for: option, &invocation)
    } else {
      try takeNext(for: option, written: "--\(name)", words, &index, &invocation)
    }
  }

  private func takeShort(
    _ word: String, _ options: [OptionSpec], _ words: [String], _ index: inout Int,
    _ invocation: inout Invocation
  ) throws(UsageError) {
    let command = invocation.command.name
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw UsageError(
          message: "unknown option \(quoted("-\(letter)")) for \(command)"
            + suggestion(nil, or: help(of: command)), command: command)
      }
      if option.value == nil {
        invocation.values[option.name, default: []].append("")
      } else if rest.isEmpty {
        try takeNext(for: option, written: "-\(letter)", words, &index, &invocation)
      } else {
        try take(String(rest.first == "=" ? rest.dropFirst() : rest), for: option, &invocation)
        return
      }
    }
  }

  private func takeNext(
    for option: OptionSpec, written: String, _ words: [String], _ index: inout Int,
    _ invocation: inout Invocation
  ) throws(UsageError) {
    guard index < words.count, !(words[index].hasPrefix("--") && words[index].count > 2) else {
      throw UsageError(
        message: "option \(written) needs a value: \(written) \(option.value ?? "")",
        command: invocation.command.name)
    }
    try take(words[index], for: option, &invocation)
    index += 1
  }

  private func take(
    _ value: String, for option: OptionSpec, _ invocation: inout Invocation
  ) throws(UsageError) {
    if !option.choices.isEmpty, !option.choices.contains(value) {
      let near = NearestMatch.of(value, among: option.choices)
      throw UsageError(
        message: "option --\(option.name) cannot be \(quoted(value)), only "
          + option.choices.joined(separator: ", ") + (near.map { "; did you mean \($0)?" } ?? ""),
        command: invocation.command.name)
    }
    invocation.values[option.name, default: []].append(value)
  }

  private func checkArguments(of invocation: Invocation) throws(UsageError) {
    let command = invocation.command
    let most = command.arguments.map(\.count.upperBound).reduce(0) { min($0 + $1, 1 << 40) }
    let least = command.arguments.map(\.count.lowerBound).reduce(0, +)
    if invocation.arguments.count > most {
      throw UsageError(
        message: "\(command.name) does not take \(quoted(invocation.arguments[most]))",
        command: command.name)
    }
    if invocation.arguments.count < least {
      throw UsageError(
        message: "\(command.name) needs \(missing(of: invocation))", command: command.name)
    }
    var words = invocation.arguments[...]
    for argument in command.arguments {
      let taken = words.prefix(argument.count.upperBound)
      words = words.dropFirst(taken.count)
      for word in taken
      where !argument.isOpen && !argument.choices.isEmpty && !argument.choices.contains(word) {
        throw UsageError(
          message: "unknown \(argument.name.lowercased()) \(quoted(word))"
            + suggestion(
              NearestMatch.of(word, among: argument.choices),
              or: argument.choices.joined(separator: ", ")),
          command: command.name)
      }
    }
  }

  /// The arguments that must be there and are not, with what they may be.
  private func missing(of invocation: Invocation) -> String {
    let required = invocation.command.arguments.filter { $0.count.lowerBound > 0 }
    return required.dropFirst(invocation.arguments.count).map { argument in
      argument.name
        + (argument.choices.isEmpty ? "" : ": " + argument.choices.joined(separator: ", "))
    }.joined(separator: " ")
  }

  /// Where a command is explained, or an operation that only scripts have.
  private func help(of command: String) -> String {
    let isCommand = CommandTable.commands.contains { $0.name == command }
    return "freshet help \(isCommand ? command : RunCommand.spec.name)"
  }

  private func suggestion(_ near: String?, or fallback: String) -> String {
    near.map { "; did you mean \($0)?" } ?? "; see: \(fallback)"
  }

  private func quoted(_ text: String) -> String { "“\(text.prefix(80))”" }
}
