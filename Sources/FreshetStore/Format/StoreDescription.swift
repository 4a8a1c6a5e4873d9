/// The STORE file: what this directory is, written once.
struct StoreDescription: Sendable, Hashable {
  var id: String
  /// Microseconds since 1970.
  var created: Int64
  var format: Int64 = 1
  var minReader: Int64 = 1
  var minWriter: Int64 = 1

  /// Stands for a description that cannot be read, where files are looked at one by one.
  static let unknown = StoreDescription(id: String(repeating: "0", count: 32), created: 0)

  static let checksumName = "crc32c"

  /// What HEAD repeats of the id, so that a HEAD of another store is not believed.
  var idLowBits: UInt64 { UInt64(id.suffix(16), radix: 16) ?? 0 }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    Frame.open(&bytes)
    let rest =
      #","format":\#(format),"minReader":\#(minReader),"minWriter":\#(minWriter),"#
      + #""checksum":"\#(StoreDescription.checksumName)","id":"\#(id)","created":\#(created)}"#
    bytes.append(contentsOf: rest.utf8)
    Frame.close(&bytes, from: 0)
    return bytes
  }

  enum Fault: Error, Sendable {
    case notAStore
    case damaged(String)
    /// Written for a newer version; `canRead` when it says that this one may still read.
    case newer(format: Int64, canRead: Bool)
  }

  /// Reads the file's bytes.
  ///
  /// The frame and its checksum are the same in every format to come, so
  /// that a newer format can be told from damage.
  init(_ bytes: [UInt8]) throws(Fault) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("{"), let format = StoreDescription.number("format", in: text) else {
      throw .notAStore
    }
    let isFramed = text.hasPrefix(#"{"c":"#)
    if isFramed {
      guard bytes.last == 0x0A, bytes.firstIndex(of: 0x0A) == bytes.count - 1 else {
        throw .damaged("it is not one line")
      }
      if let fault = Frame.fault(in: bytes.dropLast()) { throw .damaged(fault.description) }
    }
    let minReader = StoreDescription.number("minReader", in: text)
    if format > 1 {
      guard let minWriter = StoreDescription.number("minWriter", in: text), minWriter <= 1 else {
        throw .newer(format: format, canRead: isFramed && minReader.map { $0 <= 1 } ?? false)
      }
    }
    guard isFramed else { throw .damaged("it has no checksum") }
    guard let minReader, let minWriter = StoreDescription.number("minWriter", in: text),
      let created = StoreDescription.number("created", in: text),
      let id = StoreDescription.string("id", in: text), id.utf8.count == 32,
      UInt64(id.prefix(16), radix: 16) != nil, UInt64(id.suffix(16), radix: 16) != nil
    else { throw .damaged("a key is missing or has no value of its kind") }
    guard StoreDescription.string("checksum", in: text) == StoreDescription.checksumName else {
      throw .newer(format: format, canRead: false)
    }
    self.init(
      id: id, created: created, format: format, minReader: minReader, minWriter: minWriter)
  }

  /// The same, for a reader of a newer format that allows it.
  static func forReading(_ bytes: [UInt8]) throws(Fault) -> StoreDescription {
    do throws(Fault) {
      return try StoreDescription(bytes)
    } catch {
      guard case .newer(_, canRead: true) = error else { throw error }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let id = string("id", in: text), id.utf8.count == 32,
        string("checksum", in: text) == checksumName
      else { throw error }
      return StoreDescription(
        id: id, created: number("created", in: text) ?? 0, format: number("format", in: text) ?? 2)
    }
  }

  init(id: String, created: Int64, format: Int64 = 1, minReader: Int64 = 1, minWriter: Int64 = 1) {
    self.id = id
    self.created = created
    self.format = format
    self.minReader = minReader
    self.minWriter = minWriter
  }

  private static func value(_ key: String, in text: String) -> Substring? {
    guard let found = text.firstRange(of: "\"\(key)\":") else { return nil }
    return text[found.upperBound...]
  }

  private static func number(_ key: String, in text: String) -> Int64? {
    value(key, in: text).flatMap { Int64($0.prefix { $0.isASCII && $0.isWholeNumber }) }
  }

  private static func string(_ key: String, in text: String) -> String? {
    guard let value = value(key, in: text), value.first == "\"" else { return nil }
    let inner = value.dropFirst()
    return inner.firstIndex(of: "\"").map { String(inner[..<$0]) }
  }
}
