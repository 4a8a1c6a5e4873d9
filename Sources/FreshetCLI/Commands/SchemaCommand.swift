import FreshetStore

/// `freshet schema`: the contract for programs, as JSON Schema 2020-12.
enum SchemaCommand {
  static let spec = CommandSpec(
    name: "schema",
    summary: "Print the JSON Schema of events or of script commands.",
    arguments: [
      ArgumentSpec(
        name: "WHAT", help: "event (the default): stdout's records; command: a script's lines",
        count: 0...1, choices: ["event", "command"])
    ],
    options: [
      .flag("closed", "refuse what this version does not know, instead of passing over it")
    ],
    examples: [
      .init(line: "freshet schema event >event.schema.json", meaning: "for a validator"),
      .init(line: "freshet schema command", meaning: "what freshet run takes"),
    ],
    notes: [
      "Within version 1 types, members and error codes may be added, and nothing else changes."
    ],
    isForPeople: true,
    run: { (invocation, session) throws(Stop) in
      let schema =
        invocation.arguments.first == "command"
        ? CommandSchema.schema() : EventSchema.schema(isClosed: invocation.has("closed"))
      session.tellDocument("schema", schema.jsonText)
      return .done
    })
}
