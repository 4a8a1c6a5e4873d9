import FreshetCatalog

/// Where the catalogues' keys come from: a key file, the service manager's credentials, the
/// environment; never the command line.
struct CatalogKeys {
  /// Reads a file that may be a pipe; nil when there is none.
  typealias Reading = (String) throws(Stop) -> Result<[UInt8]?, System.Failure>

  /// The catalogues that want one.
  static let catalogs = ["kakao", "google", "tmdb"]

  private var keys: [String: String] = [:]

  /// Reads the keys that are set.
  ///
  /// - Parameters:
  ///   - read: Reads a key file.
  ///   - warn: Told of key files that others can read.
  /// - Throws: ``Stop/credentials(_:)`` for a key file that is named but holds no key, and as `read` does.
  init(
    _ settings: Settings, environment: (String) -> String?, read: Reading,
    warn: (String) -> Void
  ) throws(Stop) {
    for catalog in Self.catalogs {
      keys[catalog] = try Self.key(catalog, settings, environment, read, warn)
    }
  }

  /// The key of a catalogue, nil when none is set.
  subscript(catalog: String) -> String? { keys[catalog] }

  /// Takes these keys out of everything that is shown.
  var redactor: Redactor { Redactor(Array(keys.values)) }

  /// Where a catalogue's key comes from, without reading it; nil when none is set.
  static func origin(
    _ catalog: String, _ settings: Settings, _ environment: (String) -> String?
  ) -> Settings.Value? {
    if let file = settings.all.first(where: { $0.name == "\(catalog)-key-file" })?.value {
      return Settings.Value(text: "set", origin: file.origin, place: file.text)
    }
    if let folder = environment("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/"),
      System.exists("\(folder)/\(catalog)-key")
    {
      return Settings.Value(
        text: "set", origin: .environment, place: "\(folder)/\(catalog)-key")
    }
    let variable = "FRESHET_\(catalog.uppercased())_KEY"
    guard environment(variable).map({ !$0.isEmpty }) ?? false else { return nil }
    return Settings.Value(text: "set", origin: .environment, place: variable)
  }

  private static func key(
    _ catalog: String, _ settings: Settings, _ environment: (String) -> String?,
    _ reading: Reading, _ warn: (String) -> Void
  ) throws(Stop) -> String? {
    if let file = settings.text("\(catalog)-key-file") {
      guard let key = try read(file, reading, warn) else {
        throw refusal("there is no key file \(file) for \(catalog)")
      }
      return key
    }
    if let folder = environment("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/"),
      let key = try read("\(folder)/\(catalog)-key", reading, { _ in })
    {
      return key
    }
    guard let text = environment("FRESHET_\(catalog.uppercased())_KEY"), !text.isEmpty else {
      return nil
    }
    return try checked(text, "FRESHET_\(catalog.uppercased())_KEY")
  }

  private static func read(
    _ file: String, _ reading: Reading, _ warn: (String) -> Void
  ) throws(Stop) -> String? {
    let contents = try reading(file)
    let bytes: [UInt8]?
    do {
      bytes = try contents.get()
    } catch {
      throw refusal("cannot read the key file \(file): \(error.words)")
    }
    guard let bytes else { return nil }
    if System.isReadableByOthers(file) {
      warn("the key file \(file) can be read by others; chmod 600 it")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw refusal("the key file \(file) holds no text")
    }
    return try checked(text, "the key file \(file)")
  }

  private static func checked(_ text: String, _ place: String) throws(Stop) -> String {
    var key = text[...]
    while let first = key.first, first.isWhitespace { key.removeFirst() }
    while let last = key.last, last.isWhitespace { key.removeLast() }
    guard !key.isEmpty else { throw refusal("\(place) holds no key: it is empty") }
    // It goes into a header line.
    guard key.utf8.count <= 4096, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw refusal("\(place) holds no key: a key is one word of ASCII characters")
    }
    return String(key)
  }

  private static func refusal(_ message: String) -> Stop {
    .credentials(Problem(code: "bad_key_file", message: message))
  }
}
