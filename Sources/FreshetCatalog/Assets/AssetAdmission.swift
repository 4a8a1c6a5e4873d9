import Synchronization

/// Which servers pictures are fetched from, and by which number they are reached.
final class AssetAdmission: Sendable {
  private let named: Set<String>
  private let resolve: @Sendable (String) -> [NetworkAddress]
  private let usesProxy: Bool
  private let turn = Atomic<Int>(0)

  /// - Parameters:
  ///   - named: Addresses that settings name: their servers may be in a private network.
  ///   - resolve: The numbers a name stands for.
  ///   - usesProxy: Whether a proxy looks up names, and connects, in our place.
  init(
    named: [WebAddress], usesProxy: Bool = URLSessionTransport.usesProxy,
    resolve: @escaping @Sendable (String) -> [NetworkAddress]
  ) {
    self.named = Set(named.map(\.authority))
    self.usesProxy = usesProxy
    self.resolve = resolve
  }

  /// The number that is to be connected to; nil where the connection itself may look it up.
  ///
  /// A name may stand for another number a moment later, so over `http` the number that was looked
  /// at is the one that is connected to. Over `https` the server's certificate says who it is: one
  /// in a private network has none for a stranger's name, and gets no request.
  ///
  /// - Throws: `private_address`, and `unreachable` for a name that nobody knows.
  func number(of address: WebAddress) throws(CatalogError) -> NetworkAddress? {
    if named.contains(address.authority) { return nil }
    if address.isPrivateByName { throw Self.refusal(address) }
    if NetworkAddress(address.host[...]) != nil || address.host.hasPrefix("[") { return nil }
    let numbers = resolve(address.host)
    if numbers.contains(where: \.isPrivate) { throw Self.refusal(address) }
    if address.scheme == .https || usesProxy { return nil }
    if numbers.isEmpty {
      throw CatalogError(
        .unreachable, "the server \(address.authority) is not known; is the network up?",
        isRetryable: true)
    }
    // A server that has several numbers is tried at another one each time.
    let place = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return numbers[(place & Int.max) % numbers.count]
  }

  private static func refusal(_ address: WebAddress) -> CatalogError {
    CatalogError(
      .privateAddress,
      "\(address.authority) is in a private network; only servers that a setting names are asked "
        + "there")
  }
}
