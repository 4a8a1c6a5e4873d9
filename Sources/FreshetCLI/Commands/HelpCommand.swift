import FreshetStore

/// `freshet help`: everything the command table says.
enum HelpCommand {
  static let spec = CommandSpec(
    name: "help",
    summary: "Explain a command.",
    arguments: [
      ArgumentSpec(name: "COMMAND", help: "which one; all without", count: 0...1),
      ArgumentSpec(
        name: "ACTION", help: "of store: what it can do, explained by itself", count: 0...1),
    ],
    options: [.flag("json", "the whole table as one JSON object")],
    examples: [
      .init(line: "freshet help watch", meaning: "one command"),
      .init(line: "freshet help store export", meaning: "one of the things that store can do"),
    ],
    isForPeople: true,
    run: { (invocation, session) throws(Stop) in
      let topic = try topic(invocation)
      let action = try action(of: topic, invocation)
      if invocation.has("json") {
        session.output.printText(JSONValue.object(table(topic)).jsonText)
      } else if session.output.format == .text {
        session.output.printText(topic.map { text($0, action) } ?? overview)
      } else {
        session.sayHello(command: "help")
        var result = CommandResult("help")
        result.details = [("help", .object(table(topic)))]
        session.tell(result)
      }
      return .done
    })

  private static func topic(_ invocation: Invocation) throws(Stop) -> CommandSpec? {
    guard let name = invocation.arguments.first else { return nil }
    do {
      return try CommandTable.parser.command(named: name)
    } catch {
      throw .usage("unknown_command", error.message)
    }
  }

  private static func action(
    of topic: CommandSpec?, _ invocation: Invocation
  ) throws(Stop) -> ActionSpec? {
    guard let topic, let name = invocation.arguments.dropFirst().first else { return nil }
    if let action = topic.actions.first(where: { $0.name == name }) { return action }
    let names = topic.actions.map(\.name)
    let near = NearestMatch.of(name, among: names).map { "; did you mean \($0)?" }
    throw .usage(
      "bad_arguments",
      "\(topic.name) has no action “\(name.prefix(80))”"
        + (near ?? (names.isEmpty ? "" : "; there are \(names.joined(separator: ", "))")))
  }

  // MARK: Text

  private static var overview: String {
    let commands = TextTable.lines(
      CommandTable.commands.map { ["  " + $0.name, $0.summary] })
    return """
      freshet: reactive state streams over a store of films and books

      examples:
        freshet save -f items.ndjson        save records, one a line
        freshet watch downloads             follow every change
        freshet list --kind film            what is saved

      commands:
      \(commands.joined(separator: "\n"))

      global options:
      \(lines(CommandTable.globals))

      freshet help COMMAND explains one; freshet man tells all, exit codes and settings too.
      """
  }

  private static func text(_ command: CommandSpec, _ action: ActionSpec?) -> String {
    var parts = [action?.summary ?? command.summary]
    let examples = (action.map(command.examples) ?? command.examples).map {
      "  \($0.line)\n      \($0.meaning)"
    }
    parts.append("examples:\n" + examples.joined(separator: "\n"))
    parts.append("usage: \(action.map(command.usage) ?? command.usage)")
    if action == nil, !command.actions.isEmpty {
      let rows = command.actions.map { ["  " + $0.name, $0.summary] }
      parts.append("actions:\n" + TextTable.lines(rows).joined(separator: "\n"))
    }
    if action == nil, !command.arguments.isEmpty {
      let rows = TextTable.lines(command.arguments.map { ["  " + $0.spelling, $0.help] })
      parts.append("arguments:\n" + rows.joined(separator: "\n"))
    }
    let options = action.map(command.options) ?? command.options
    if !options.isEmpty { parts.append("options:\n" + lines(options)) }
    parts += action?.notes ?? command.notes
    if action == nil, let first = command.actions.first {
      parts.append(
        "freshet help \(command.name) ACTION explains one, as freshet \(command.name) "
          + "\(first.name) --help does.")
    }
    parts.append("global options:\n" + lines(CommandTable.globals))
    return parts.joined(separator: "\n\n")
  }

  private static func lines(_ options: [OptionSpec]) -> String {
    TextTable.lines(
      options.map { option in
        let choices = option.choices.isEmpty ? "" : " (\(option.choices.joined(separator: ", ")))"
        return ["  " + option.spelling, option.help + choices]
      }
    ).joined(separator: "\n")
  }

  // MARK: JSON

  private static func table(_ topic: CommandSpec?) -> JSONObject {
    let commands = topic.map { [$0] } ?? CommandTable.commands
    return [
      "name": "freshet", "version": .string(Session.version),
      "global": .array(CommandTable.globals.map(json)),
      "commands": .array(
        commands.map { command in
          .object([
            "name": .string(command.name), "summary": .string(command.summary),
            "usage": .string(command.usage),
            "arguments": .array(command.arguments.map(json)),
            "options": .array(command.options.map(json)),
            "examples": .array(
              command.examples.map {
                .object(["line": .string($0.line), "meaning": .string($0.meaning)])
              }),
            "notes": .array(command.allNotes.map(JSONValue.string)),
            "actions": .array(command.actions.map { json($0, of: command) }),
          ])
        }),
      "later": .array(CommandTable.later.map(JSONValue.string)),
    ]
  }

  private static func json(_ action: ActionSpec, of command: CommandSpec) -> JSONValue {
    .object([
      "name": .string(action.name), "summary": .string(action.summary),
      "usage": .string(command.usage(of: action)),
      "options": .array(action.options.map { .string("--\($0)") }),
      "notes": .array(action.notes.map(JSONValue.string)),
    ])
  }

  private static func json(_ option: OptionSpec) -> JSONValue {
    .object([
      "name": .string("--\(option.name)"),
      "short": option.short.map { .string("-\($0)") } ?? .null,
      "value": option.value.map(JSONValue.string) ?? .null,
      "choices": .array(option.choices.map(JSONValue.string)), "help": .string(option.help),
    ])
  }

  private static func json(_ argument: ArgumentSpec) -> JSONValue {
    .object([
      "name": .string(argument.name),
      "least": .number(JSONNumber(Int64(argument.count.lowerBound))),
      "most": argument.count.upperBound == Int.max
        ? .null : .number(JSONNumber(Int64(argument.count.upperBound))),
      "choices": .array(argument.choices.map(JSONValue.string)), "help": .string(argument.help),
    ])
  }
}
