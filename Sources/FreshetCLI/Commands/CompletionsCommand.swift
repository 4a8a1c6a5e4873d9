import FreshetStore

/// `freshet completions`: the script that teaches a shell to complete.
enum CompletionsCommand {
  static let spec = CommandSpec(
    name: "completions",
    summary: "Print a shell's completion script.",
    arguments: [
      ArgumentSpec(
        name: "SHELL", help: "which shell: bash, zsh or fish", count: 1...1,
        choices: CompletionScript.allCases.map(\.rawValue))
    ],
    examples: [
      .init(
        line: "source <(freshet completions bash)", meaning: "for this bash; in ~/.bashrc for all"),
      .init(
        line: "freshet completions zsh >~/.zfunc/_freshet",
        meaning: "a folder that is in zsh's fpath"),
      .init(
        line: "freshet completions fish >~/.config/fish/completions/freshet.fish",
        meaning: "where fish looks for it"),
    ],
    isForPeople: true,
    run: { (invocation, session) throws(Stop) in
      // The parser took one of the choices.
      let shell = invocation.arguments.first.flatMap(CompletionScript.init) ?? .bash
      session.tellDocument(
        "completions",
        shell.text(commands: CommandTable.commands, globals: CommandTable.globals))
      return .done
    })
}
