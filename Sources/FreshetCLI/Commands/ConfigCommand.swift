import FreshetStore

/// `freshet config show`: what the settings are, and where each comes from.
enum ConfigCommand {
  static let spec = CommandSpec(
    name: "config",
    summary: "Show the settings.",
    arguments: [
      ArgumentSpec(name: "WHAT", help: "show: print them", count: 1...1, choices: ["show"])
    ],
    options: [.flag("origin", "where each value comes from, too")],
    examples: [
      .init(line: "freshet config show --origin", meaning: "each setting and who sets it")
    ],
    notes: [
      "An option goes before a FRESHET_ variable, that before the config file, that before the "
        + "default.",
      "Keys are shown as set, with the file or variable they are in; what they are is never shown.",
    ],
    run: { (invocation, session) throws(Stop) in
      session.sayHello(command: "config")
      for setting in session.settings.all {
        session.tell(setting.name, setting.value, withOrigin: invocation.has("origin"))
      }
      for catalog in CatalogKeys.catalogs {
        session.tell(
          "\(catalog)-key", CatalogKeys.origin(catalog, session.settings, System.environment),
          withOrigin: invocation.has("origin"))
      }
      return .done
    })
}

extension Session {
  fileprivate func tell(_ name: String, _ value: Settings.Value?, withOrigin: Bool) {
    count("settings")
    var cells = [name, value?.text ?? "(not set)"]
    if withOrigin {
      let place = value?.place.map { ": \($0)" } ?? ""
      cells.append(value.map { $0.origin.rawValue + place } ?? "")
    }
    output.emit(EventHead("config.setting"), text: TextRow.line(cells)) { data in
      data.string("name", name)
      data.string("value", value?.text)
      guard withOrigin else { return }
      data.string("origin", value?.origin.rawValue)
      data.string("place", value?.place)
    }
  }
}
