/// An `http` or `https` address, taken apart.
///
/// Path and query stay as they were written, but for characters that cannot stand in an address,
/// which are encoded. Fragments are dropped.
public struct WebAddress: Sendable, Hashable, CustomStringConvertible {
  /// How the server is spoken to.
  public enum Scheme: String, Sendable, Hashable {
    /// In the open.
    case http
    /// Encrypted.
    case https

    var standardPort: Int { self == .http ? 80 : 443 }
  }

  /// How many bytes an address may have.
  public static let sizeLimitBytes = 8192

  /// The scheme.
  public private(set) var scheme: Scheme
  /// The server's name or number, in lower case; an IPv6 number with its brackets.
  public private(set) var host: String
  /// The port.
  public private(set) var port: Int
  /// The path, beginning with `/`.
  public private(set) var path: String
  /// What follows the question mark, nil without one.
  public private(set) var query: String?

  /// Takes apart an address.
  /// - Throws: ``CatalogError`` with code `invalid_address` and the reason.
  public init(parsing text: String) throws(CatalogError) {
    if text.utf8.count > Self.sizeLimitBytes { throw Self.invalid(text, "it is too long") }
    guard let colon = text.firstRange(of: "://") else {
      throw Self.invalid(text, "it does not begin with http:// or https://")
    }
    guard let scheme = Scheme(rawValue: text[..<colon.lowerBound].lowercased()) else {
      throw Self.invalid(text, "only http and https are fetched")
    }
    var rest = text[colon.upperBound...]
    if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    self.scheme = scheme
    do throws(CatalogError) {
      (host, port) = try Self.authority(rest[..<end], scheme)
    } catch {
      throw Self.invalid(text, error.message)
    }
    (path, query) = Self.pathAndQuery(rest[end...])
  }

  private static func pathAndQuery(_ text: Substring) -> (path: String, query: String?) {
    let mark = text.firstIndex(of: "?")
    let path = PercentEncoding.repair(text[..<(mark ?? text.endIndex)])
    let query = mark.map { PercentEncoding.repair(text[text.index(after: $0)...]) }
    return (path.hasPrefix("/") ? path : "/" + path, query)
  }

  private static func authority(
    _ text: Substring, _ scheme: Scheme
  ) throws(CatalogError) -> (host: String, port: Int) {
    func fault(_ reason: String) -> CatalogError { CatalogError(.invalidAddress, reason) }
    if text.contains("@") { throw fault("it holds a user name") }
    var host = text
    var port = scheme.standardPort
    let bracket = text.lastIndex(of: "]")
    if let colon = text.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
      host = text[..<colon]
      let digits = text[text.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
          (1...65535).contains(number)
        else { throw fault("its port is not a number from 1 to 65535") }
        port = number
      }
    }
    let name = host.lowercased()
    if name.hasPrefix("[") {
      guard name.hasSuffix("]"), NetworkAddress(name.dropFirst().dropLast()) != nil else {
        throw fault("its host is not an IPv6 number")
      }
      return (name, port)
    }
    guard !name.isEmpty, name.utf8.count <= 253 else { throw fault("it has no host") }
    guard name.utf8.allSatisfy(isHostByte) else {
      throw fault("its host holds other than letters, digits, - and .")
    }
    // A host that ends in a number is a number: resolvers read 0x7f.1 and 2130706433 as 127.0.0.1.
    let last = name.split(separator: ".").last ?? ""
    if last.first?.isNumber == true || last.isEmpty, NetworkAddress(name[...]) == nil {
      throw fault("its host looks like an IPv4 number and is none")
    }
    return (name, port)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func invalid(_ text: String, _ reason: String) -> CatalogError {
    // The query may hold a key.
    let shown = text.prefix { $0 != "?" }.prefix(200)
    return CatalogError(.invalidAddress, "not an address to fetch, “\(shown)”: \(reason)")
  }

  // MARK: Text

  /// Host and port; the port only where it is not the scheme's own.
  public var authority: String {
    port == scheme.standardPort ? host : "\(host):\(port)"
  }

  /// The whole address.
  public var text: String {
    "\(scheme.rawValue)://\(authority)\(path)" + (query.map { "?" + $0 } ?? "")
  }

  /// The address without its query, which may hold a key.
  public var description: String { "\(scheme.rawValue)://\(authority)\(path)" }

  /// One text for all spellings of the address: what caches go by.
  public var normalizedText: String {
    var address = self
    address.path = Self.withoutDots(PercentEncoding.normalized(path))
    address.query = query.map(PercentEncoding.normalized)
    return address.text
  }

  // MARK: Making others of it

  /// The address with `https`, at that scheme's own port.
  var encrypted: WebAddress {
    var address = self
    address.scheme = .https
    address.port = Scheme.https.standardPort
    return address
  }

  /// The address with a number in place of its host.
  func connecting(to number: NetworkAddress) -> WebAddress {
    var address = self
    address.host = number.host
    return address
  }

  /// The address with a path behind its own.
  ///
  /// - Parameter path: Begins with `/`; what needs it is encoded, `/` is not.
  public func appending(path: String) -> WebAddress {
    var address = self
    address.path = (self.path.hasSuffix("/") ? String(self.path.dropLast()) : self.path)
    address.path += PercentEncoding.repair(path[...])
    return address
  }

  /// The address with names and values behind its query, encoded, in this order.
  public func appending(query items: [(name: String, value: String)]) -> WebAddress {
    if items.isEmpty { return self }
    let text = items.map {
      PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value)
    }
    .joined(separator: "&")
    var address = self
    address.query = (query.flatMap { $0.isEmpty ? nil : $0 + "&" } ?? "") + text
    return address
  }

  /// Where a redirect from here leads.
  /// - Throws: ``CatalogError`` with code `invalid_address`.
  public func resolving(_ location: String) throws(CatalogError) -> WebAddress {
    if location.hasPrefix("//") {
      return try WebAddress(parsing: "\(scheme.rawValue):\(location)")
    }
    let scheme = location.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if scheme.contains(":") { return try WebAddress(parsing: location) }
    var rest = location[...]
    if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
    var address = self
    if rest.hasPrefix("/") {
      (address.path, address.query) = Self.pathAndQuery(rest)
    } else if rest.hasPrefix("?") {
      address.query = Self.pathAndQuery(rest).query
    } else if !rest.isEmpty {
      let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      (address.path, address.query) = Self.pathAndQuery(folder + rest)
    }
    address.path = Self.withoutDots(address.path)
    return address
  }

  /// `a/./b/../c` is `a/c`.
  private static func withoutDots(_ path: String) -> String {
    var segments: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (place, part) in parts.enumerated() {
      let isLast = place == parts.count - 1
      if part == ".." { _ = segments.popLast() }
      if part == "." || part == ".." {
        if isLast { segments.append("") }
      } else {
        segments.append(part)
      }
    }
    return "/" + segments.joined(separator: "/")
  }
}
