#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server's number.
///
/// The only file of the module that calls the C library.
struct NetworkAddress: Sendable, Hashable {
  /// 4 bytes, or 16.
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the usual form: `127.0.0.1`, `::1`; nil for anything else.
  init?(_ text: Substring) {
    let text = String(text)
    var small = in_addr()
    var large = in6_addr()
    if inet_pton(AF_INET, text, &small) == 1 {
      bytes = withUnsafeBytes(of: &small) { Array($0) }
    } else if inet_pton(AF_INET6, text, &large) == 1 {
      bytes = withUnsafeBytes(of: &large) { Array($0) }
    } else {
      return nil
    }
  }

  /// The usual form, as it stands in an address: an IPv6 number in brackets.
  var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    // Both have as many bytes as their family says, and the text has room for the longest.
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
    let number = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    return bytes.count == 4 ? number : "[\(number)]"
  }

  /// Whether it is anything but a server on the open internet: private, loopback, link-local,
  /// shared, reserved, multicast.
  var isPrivate: Bool {
    if bytes.count == 4 { return Self.isPrivate(bytes[0], bytes[1], bytes[2]) }
    guard bytes.count == 16 else { return true }
    // Numbers of the old kind inside one of the new: mapped, translated, 6to4.
    if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
      return Self.isPrivate(bytes[12], bytes[13], bytes[14])
    }
    if bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) {
      return Self.isPrivate(bytes[12], bytes[13], bytes[14])
    }
    if bytes.starts(with: [0x20, 0x02]) { return Self.isPrivate(bytes[2], bytes[3], bytes[4]) }
    // Only 2000::/3 is given out, and of it the documentation's and the tunnel's parts are not.
    return bytes[0] & 0xE0 != 0x20 || bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
      || bytes.starts(with: [0x20, 0x01, 0, 0])
  }

  private static func isPrivate(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> Bool {
    switch (a, b, c) {
    case (0, _, _), (10, _, _), (127, _, _), (224..., _, _), (169, 254, _), (192, 168, _),
      (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113):
      true
    case (100, 64...127, _), (172, 16...31, _), (198, 18...19, _): true
    default: false
    }
  }

  /// The numbers a name stands for; empty when it is not known.
  ///
  /// Asks the system's resolver, which may take seconds.
  static func resolve(_ name: String) -> [NetworkAddress] {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [NetworkAddress] = []
    var entry = list
    // The list belongs to this call until it is freed above; each entry says how long it is.
    while let info = entry?.pointee {
      if let address = info.ai_addr {
        let raw = UnsafeRawPointer(address)
        if info.ai_family == AF_INET {
          let number = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
          found.append(NetworkAddress(bytes: withUnsafeBytes(of: number) { Array($0) }))
        } else if info.ai_family == AF_INET6 {
          let number = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
          found.append(NetworkAddress(bytes: withUnsafeBytes(of: number) { Array($0) }))
        }
      }
      entry = info.ai_next
    }
    return found
  }
}

extension WebAddress {
  /// Whether its host names a private network by itself, without asking a resolver.
  var isPrivateByName: Bool {
    let name = host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...]
    if let number = NetworkAddress(name) { return number.isPrivate }
    let labels = name.split(separator: ".")
    guard let last = labels.last, labels.count > 1 else { return true }
    return ["localhost", "local", "internal", "lan", "intranet"].contains(last)
      || name.hasSuffix(".home.arpa")
  }
}
