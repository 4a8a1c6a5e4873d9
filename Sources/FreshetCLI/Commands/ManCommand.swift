/// `freshet man`: the manual page.
enum ManCommand {
  static let spec = CommandSpec(
    name: "man",
    summary: "Print the manual page.",
    examples: [
      .init(line: "freshet man | man -l -", meaning: "read it"),
      .init(
        line: "freshet man >/usr/local/share/man/man1/freshet.1", meaning: "install it"),
    ],
    isForPeople: true,
    run: { (_, session) throws(Stop) in
      let page = ManualPage(
        commands: CommandTable.commands, globals: CommandTable.globals, version: Session.version)
      session.tellDocument("man", page.text)
      return .done
    })
}
