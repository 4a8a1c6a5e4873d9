/// `freshet version`.
enum VersionCommand {
  static let spec = CommandSpec(
    name: "version",
    summary: "Tell the version.",
    options: [.flag("json", "as one JSON object")],
    examples: [.init(line: "freshet version --json", meaning: "for programs")],
    isForPeople: true,
    run: { (invocation, session) throws(Stop) in
      if invocation.has("json") {
        session.output.printText(
          #"{"name":"freshet","version":"\#(Session.version)","schema":{"v":1,"minor":\#(Session.schemaMinor)}}"#
        )
      } else if session.output.format == .text {
        session.output.printText("freshet \(Session.version)")
      } else {
        session.sayHello(command: "version")
        session.tell(CommandResult("version"))
      }
      return .done
    })
}
