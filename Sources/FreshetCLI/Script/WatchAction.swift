import FreshetStore

/// A script's line that follows a view: the command `watch`, with its options.
struct WatchAction {
  let invocation: Invocation

  /// Options that make no sense in a script: its stdin is, or may be, the script.
  private static let refused = ["scroll"]

  /// What a line can say beside the view.
  static var options: [OptionSpec] {
    WatchCommand.spec.options.filter { !refused.contains($0.name) }
  }

  /// How many views a script may follow at a time.
  static let limit = 16

  /// Whether it comes to an end by itself; one that does not ends with the script.
  var hasBound: Bool {
    invocation.arguments.first == View.search.rawValue
      || ["count", "until-idle", "timeout", "from-file"].contains(where: invocation.has)
      || invocation.value("initial") == "only"
  }

  /// A line of words: what one would type after `freshet watch`.
  init(words: [String]) throws(ScriptFault) {
    invocation = try ScriptWords.read(words, of: WatchCommand.spec)
    if let option = Self.refused.first(where: invocation.has) {
      throw ScriptParser.fault("bad_value", "option --\(option) of watch is not for scripts")
    }
    if invocation.value("from-file") == "-" {
      throw ScriptParser.fault("bad_value", "watch in a script cannot read standard input")
    }
  }

  /// An object: `view` (a name, or several), `item` or `query`, and options by their names, `_`
  /// for `-`; true for a flag, a list for an option that comes several times.
  init(_ object: JSONObject) throws(ScriptFault) {
    let options = Self.options
    let names = options.map { $0.name.replacing("-", with: "_") }
    try ScriptParser.checkFields(of: object, "watch", ["view", "item", "query"] + names)
    var words: [String] = []
    for (option, name) in zip(options, names) {
      guard let value = object[name], !value.isNull, value != false else { continue }
      if option.value == nil {
        guard value == true else {
          throw ScriptParser.fault(
            "wrong_type", "\(name) must be true or false, found \(value.kindName)")
        }
        words.append("--\(option.name)")
      } else {
        words += try Self.texts(value, name).map { "--\(option.name)=\($0)" }
      }
    }
    words.append("--")
    if let view = object["view"], !view.isNull { words += try Self.texts(view, "view") }
    for name in ["item", "query"] {
      if let word = try ScriptParser.text(name, in: object) { words.append(word) }
    }
    try self.init(words: words)
  }

  private static func texts(_ value: JSONValue, _ name: String) throws(ScriptFault) -> [String] {
    var texts: [String] = []
    for one in value.arrayValue ?? [value] {
      guard let text = one.stringValue ?? one.numberValue?.text else {
        throw ScriptParser.fault(
          "wrong_type", "\(name) must be a string or a number, found \(one.kindName)")
      }
      texts.append(text)
    }
    return texts
  }
}
