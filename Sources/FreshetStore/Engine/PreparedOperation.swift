/// An operation that has been checked against the limits; ids are bytes from here on.
enum PreparedOperation: Sendable {
  case save(key: ItemKey, body: [UInt8])
  case delete(key: ItemKey)
  case restore(key: ItemKey)
  case deleteAll
  case expect(key: ItemKey, Expectation)

  /// Checks one operation.
  ///
  /// Runs on the caller's thread, before anything is locked.
  init(_ operation: Operation) throws(StoreError) {
    switch operation {
    case .save(let id, let body):
      let key = try PreparedOperation.key(id)
      if body.count > Limits.bodyBytes {
        throw StoreError(
          .tooLarge, "the body of \(id) has \(body.count) bytes; the limit is \(Limits.bodyBytes)")
      }
      if let fault = BodyCheck.fault(in: body) {
        throw StoreError(.invalidBody, "the body of \(id) cannot be saved: \(fault)")
      }
      self = .save(key: key, body: body)
    case .delete(let id): self = .delete(key: try PreparedOperation.key(id))
    case .restore(let id): self = .restore(key: try PreparedOperation.key(id))
    case .deleteAll: self = .deleteAll
    case .expect(let id, let what): self = .expect(key: try PreparedOperation.key(id), what)
    }
  }

  /// Checks several, and their total; an error says which one it is about.
  static func prepare(_ operations: [Operation]) throws(StoreError) -> [PreparedOperation] {
    var prepared: [PreparedOperation] = []
    prepared.reserveCapacity(operations.count)
    var total = 0
    for (number, operation) in operations.enumerated() {
      do throws(StoreError) {
        prepared.append(try PreparedOperation(operation))
      } catch {
        if operations.count == 1 { throw error }
        let place = "operation \(number + 1) of \(operations.count): "
        throw StoreError(error.code, place + error.message)
      }
      total += prepared[number].bytes
    }
    if total > Limits.batchBytes {
      throw StoreError(
        .tooLarge, "the batch has \(total) bytes; the limit is \(Limits.batchBytes), so split it")
    }
    return prepared
  }

  /// The bytes it adds to a batch.
  var bytes: Int {
    switch self {
    case .save(let key, let body): key.id.count + body.count
    case .delete(let key), .restore(let key): key.id.count
    case .deleteAll, .expect: 0
    }
  }

  private static func key(_ id: String) throws(StoreError) -> ItemKey {
    if id.isEmpty { throw StoreError(.invalidID, "an id must not be empty") }
    let bytes = Array(id.utf8)
    if bytes.count > Limits.idBytes {
      throw StoreError(
        .tooLarge, "an id of \(bytes.count) bytes; the limit is \(Limits.idBytes)")
    }
    // U+0000 to U+001F, U+007F, and U+0080 to U+009F as C2 80 to C2 9F.
    var before: UInt8 = 0
    for byte in bytes {
      if byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0) {
        throw StoreError(
          .invalidID,
          "an id must not hold control characters; this one holds U+"
            + String(byte, radix: 16, uppercase: true))
      }
      before = byte
    }
    return ItemKey(bytes)
  }
}
