import FreshetStore

/// What a run is set to: option, else `FRESHET_*`, else config file, else default.
struct Settings: Sendable {
  /// Where a value came from.
  enum Origin: String, Sendable {
    case option
    case environment
    case configFile = "config file"
    case standard = "default"
  }

  /// A value and where it came from.
  struct Value: Sendable {
    let text: String
    let origin: Origin
    /// The option, variable or file it stands in; nil for a default.
    var place: String?

    /// How messages call the setting, so that it can be found: `--grade`, `FRESHET_GRADE`, `grade in
    /// FILE`.
    func spelling(_ name: String) -> String {
      switch origin {
      case .option, .environment: place ?? name
      case .configFile: "\(name) in \(place ?? "the config file")"
      case .standard: name
      }
    }
  }

  /// The settings that options, environment and config file share, and the choices they have.
  static let names: [(name: String, choices: [String])] = [
    ("store", []), ("format", Output.Format.allCases.map(\.rawValue)),
    ("color", ["auto", "always", "never"]),
    ("log-format", Diagnostics.Format.allCases.map(\.rawValue)),
    ("grade", []), ("class", []), ("server", []),
    ("kakao-key-file", []), ("google-key-file", []), ("tmdb-key-file", []), ("kakao-url", []),
    ("google-url", []), ("tmdb-url", []), ("tmdb-image-url", []),
  ]

  /// Variables that are read, for the manual.
  static let variables: [(name: String, meaning: String)] = [
    ("FRESHET_STORE", "the store's folder, where --store is not given"),
    ("FRESHET_FORMAT", "ndjson, json-seq or text, where --format is not given"),
    ("FRESHET_COLOR", "auto, always or never, where --color is not given"),
    ("FRESHET_LOG_FORMAT", "text or ndjson, where --log-format is not given"),
    ("FRESHET_GRADE", "one's grade for guidance, where --grade is not given"),
    ("FRESHET_CLASS", "one's class for guidance, where --class is not given"),
    ("FRESHET_SERVER", "the guidance server, where --server is not given"),
    (
      "FRESHET_KAKAO_KEY_FILE, FRESHET_GOOGLE_KEY_FILE, FRESHET_TMDB_KEY_FILE",
      "files with a catalogue's key, where --kakao-key-file and so on are not given"
    ),
    (
      "CREDENTIALS_DIRECTORY",
      "where a service manager puts kakao-key, google-key and tmdb-key, where no key file is named"
    ),
    (
      "FRESHET_KAKAO_KEY, FRESHET_GOOGLE_KEY, FRESHET_TMDB_KEY",
      "the keys themselves, where neither of these is there"
    ),
    (
      "FRESHET_KAKAO_URL, FRESHET_GOOGLE_URL, FRESHET_TMDB_URL, FRESHET_TMDB_IMAGE_URL",
      "where the catalogues are, where --kakao-url and so on are not given"
    ),
    ("FRESHET_CONFIG", "the config file, where --config is not given"),
    ("NO_COLOR", "if set and not empty: no colour, unless it is asked for"),
    ("NOTIFY_SOCKET", "where watch tells a service manager that it is ready and that it stops"),
    ("XDG_CONFIG_HOME, XDG_DATA_HOME, HOME", "where the standard files are"),
  ]

  /// Every setting in the order of ``names``, with its origin; nil where it has no value.
  let all: [(name: String, value: Value?)]
  let store: Value?
  /// The config file that was read, if there was one.
  let configFile: String?
  let format: Output.Format
  /// How stderr speaks, and how much.
  let diagnostics: Diagnostics
  /// How lines for people look on stdout.
  let look: TextLook

  /// A name that was repaired on its way into a string would lead to another place.
  private static func checkText(_ environment: (String) -> String?) throws(Stop) {
    for name in variables.flatMap({ $0.name.split(separator: ", ").map(String.init) }) {
      if environment(name)?.unicodeScalars.contains("\u{FFFD}") == true {
        throw .usage("invalid_utf8", "the variable \(name) is not UTF-8")
      }
    }
  }

  /// Resolves the settings of a command line.
  /// - Parameter waiter: Where a config file that is a pipe is waited for.
  /// - Throws: ``Stop/usage(_:)`` for a bad environment or config file, ``Stop/signal(_:)``,
  ///   ``Stop/timeout``.
  init(
    _ invocation: Invocation, environment: (String) -> String?, _ waiter: Waiter
  ) throws(Stop) {
    try Self.checkText(environment)
    let file = try ConfigFile(invocation, environment: environment, waiter)
    var values: [String: Value] = [:]
    for (name, choices) in Self.names {
      guard let value = Self.value(name, invocation, environment, file) else { continue }
      if !choices.isEmpty, !choices.contains(value.text) {
        throw .usage(
          "bad_setting",
          "\(value.origin.rawValue) sets \(name) to “\(value.text.prefix(80))”, but it can only be "
            + choices.joined(separator: ", "))
      }
      values[name] = value
    }
    let store = try Self.expanded(values["store"], environment) ?? Self.defaultStore(environment)
    self.store = store
    values["store"] = store
    values["color"] = values["color"] ?? Value(text: "auto", origin: .standard)
    configFile = file.path
    let format =
      invocation.command.isForPeople
      ? Output.Format(rawValue: values["format"]?.text ?? "text") ?? .text
      : Self.format(chosen: values["format"]?.text, isTerminal: System.isTerminal(1))
    self.format = format
    values["format"] = values["format"] ?? Value(text: format.rawValue, origin: .standard)
    let logFormat = Diagnostics.Format(rawValue: values["log-format"]?.text ?? "text") ?? .text
    values["log-format"] = values["log-format"] ?? Value(text: "text", origin: .standard)
    all = Self.names.map { ($0.name, values[$0.name]) }
    diagnostics = Diagnostics(
      verbosity: invocation.count("verbose") - (invocation.has("quiet") ? 1 : 0),
      usesColor: Self.usesColor(values["color"]?.text, environment), format: logFormat)
    look = TextLook(
      width: System.isTerminal(1) ? System.terminalWidth ?? 80 : nil,
      usesColor: Self.usesColor(values["color"]?.text, environment, on: 1))
  }

  private static func usesColor(
    _ choice: String?, _ environment: (String) -> String?, on descriptor: Int32 = 2
  ) -> Bool {
    switch choice ?? "auto" {
    case "always": true
    case "never": false
    default:
      (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        && System.isTerminal(descriptor)
    }
  }

  /// A setting, nil where it has none.
  func value(_ name: String) -> Value? { all.first { $0.name == name }?.value }

  /// The text of a setting, nil where it has none.
  func text(_ name: String) -> String? { value(name)?.text }

  /// The format of a run whose command line cannot be understood: an option or the environment
  /// still says how to answer.
  static func formatGuess(_ words: [String], environment: (String) -> String?) -> Output.Format {
    format(chosen: guess("format", words, environment), isTerminal: System.isTerminal(1))
  }

  /// How stderr speaks of such a command line.
  static func logFormatGuess(
    _ words: [String], environment: (String) -> String?
  ) -> Diagnostics.Format {
    guess("log-format", words, environment).flatMap(Diagnostics.Format.init(rawValue:)) ?? .text
  }

  private static func guess(
    _ name: String, _ words: [String], _ environment: (String) -> String?
  ) -> String? {
    var chosen = environment(variable(name))
    for (index, word) in words.enumerated() {
      if word == "--\(name)", index + 1 < words.count { chosen = words[index + 1] }
      if word.hasPrefix("--\(name)=") { chosen = String(word.dropFirst(name.count + 3)) }
    }
    return chosen
  }

  private static func variable(_ name: String) -> String {
    "FRESHET_" + name.uppercased().replacing("-", with: "_")
  }

  private static func format(chosen: String?, isTerminal: Bool) -> Output.Format {
    chosen.flatMap(Output.Format.init(rawValue:)) ?? (isTerminal ? .text : .ndjson)
  }

  private static func value(
    _ name: String, _ invocation: Invocation, _ environment: (String) -> String?, _ file: ConfigFile
  ) -> Value? {
    if let text = invocation.value(name) {
      return Value(text: text, origin: .option, place: "--\(name)")
    }
    let variable = variable(name)
    if let text = environment(variable), !text.isEmpty {
      return Value(text: text, origin: .environment, place: variable)
    }
    return file.values[name].map { Value(text: $0, origin: .configFile, place: file.path) }
  }

  /// A leading `~/` means the home folder; a shell has seen to that only where it could.
  private static func expanded(
    _ value: Value?, _ environment: (String) -> String?
  ) throws(Stop) -> Value? {
    guard let value, value.text == "~" || value.text.hasPrefix("~/") else { return value }
    guard let home = environment("HOME"), home.hasPrefix("/") else {
      throw .usage(
        "bad_setting",
        "\(value.origin.rawValue) sets store to “\(value.text.prefix(80))”, but HOME is not set")
    }
    return Value(text: home + value.text.dropFirst(), origin: value.origin, place: value.place)
  }

  /// `$XDG_DATA_HOME/freshet`, else `~/.local/share/freshet`; nil when neither is known.
  private static func defaultStore(_ environment: (String) -> String?) -> Value? {
    folder("XDG_DATA_HOME", "/.local/share", environment)
      .map { Value(text: $0 + "/freshet", origin: .standard) }
  }

  /// A base folder by the XDG rules: an absolute path, or one below HOME.
  static func folder(
    _ variable: String, _ below: String, _ environment: (String) -> String?
  ) -> String? {
    if let path = environment(variable), path.hasPrefix("/") { return path }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return (home == "/" ? "" : home) + below
  }
}

/// The user's `config.json`: one object with settings as strings.
struct ConfigFile {
  private(set) var values: [String: String] = [:]
  /// The file that was read; nil when there is none.
  private(set) var path: String?

  init(
    _ invocation: Invocation, environment: (String) -> String?, _ waiter: Waiter
  ) throws(Stop) {
    // Empty is unset, as in all other variables.
    let variable = environment("FRESHET_CONFIG").flatMap { $0.isEmpty ? nil : $0 }
    let named = invocation.value("config") ?? variable
    let standard = Settings.folder("XDG_CONFIG_HOME", "/.config", environment)
    guard let path = named ?? standard.map({ $0 + "/freshet/config.json" }) else { return }
    let contents = try waiter.contents(
      of: path, limit: 1 << 20, until: try invocation.deadline())
    let bytes: [UInt8]?
    do {
      bytes = try contents.get()
    } catch {
      throw .usage("bad_config", "cannot read the config file \(path): \(error.words)")
    }
    guard let bytes else {
      if named == nil { return }
      throw .usage("bad_config", "there is no config file \(path)")
    }
    self.path = path
    try read(bytes, path: path)
  }

  private mutating func read(_ bytes: [UInt8], path: String) throws(Stop) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw .usage("bad_config", "the config file \(path) is no JSON: \(error)")
    }
    guard let object = value.objectValue else {
      throw .usage("bad_config", "the config file \(path) must hold an object")
    }
    let names = Settings.names.map(\.name)
    for member in object.members {
      guard names.contains(member.key) else {
        let near = NearestMatch.of(member.key, among: names).map { "; did you mean \($0)?" } ?? ""
        throw .usage(
          "bad_config", "the config file \(path) has an unknown setting “\(member.key)”\(near)")
      }
      guard let text = member.value.stringValue else {
        throw .usage("bad_config", "the config file \(path): \(member.key) must be a string")
      }
      values[member.key] = text
    }
  }
}
