import FreshetCatalog
import FreshetStore

/// Writes JSON objects, the members of each in the order they are given.
///
/// Keys are ours and need no escaping. A member goes into the bytes in one piece: the array is asked
/// for room once, and what is written there is not looked at again.
struct ObjectWriter {
  /// What is written so far.
  var bytes: [UInt8] = []
  private var isFirst = true
  /// Whether the record was too long for a line and is written again: what stands beside an item is
  /// cut or left out then.
  var isTight = false

  /// In a tight record a text has at most so many bytes.
  static let tightTextBytes = 65_536

  /// Writes one object after what is there.
  mutating func nested(_ members: (inout ObjectWriter) -> Void) {
    open()
    members(&self)
    close()
  }

  /// Begins an object.
  mutating func open() {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
  }

  /// Ends the object that was begun last; the one around it goes on.
  mutating func close() {
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  mutating func string(_ key: StaticString, _ value: String?) {
    guard var value else { return null(key) }
    if isTight { value = value.cut(toBytes: Self.tightTextBytes) }
    guard value.withUTF8({ JSONText.isPlain($0) }) else {
      append(key)
      return JSONText.appendString(value, to: &bytes)
    }
    value.withUTF8 { source in
      member(key, room: source.count + 2) { room in
        room.append(UInt8(ascii: "\""))
        room.append(contentsOf: source)
        room.append(UInt8(ascii: "\""))
      }
    }
  }

  /// A string of ours that needs no escaping.
  mutating func name(_ key: StaticString, _ value: StaticString) {
    member(key, room: value.utf8CodeUnitCount + 2) { room in
      room.append(UInt8(ascii: "\""))
      room.append(value)
      room.append(UInt8(ascii: "\""))
    }
  }

  mutating func int(_ key: StaticString, _ value: Int64?) {
    guard let value else { return null(key) }
    member(key, room: Digits.most) { Digits.append(value, to: &$0) }
  }

  mutating func int(_ key: StaticString, _ value: Int) { int(key, Int64(value)) }

  /// A figure with three decimals at most; null for what is no number.
  mutating func figure(_ key: StaticString, _ value: Double?) {
    append(key)
    if let value, value.isFinite, abs(value) < 1e15 {
      let rounded = (value * 1000).rounded() / 1000
      append(digits: rounded == rounded.rounded() ? "\(Int64(rounded))" : "\(rounded)")
    } else {
      appendNull()
    }
  }

  mutating func figures(_ key: StaticString, _ values: [Double]) {
    append(key)
    list(values) { writer, value in
      writer.append(digits: "\((value * 1000).rounded() / 1000)")
    }
  }

  private mutating func append(digits: String) { bytes.append(contentsOf: digits.utf8) }

  mutating func bool(_ key: StaticString, _ value: Bool) { raw(key, value ? "true" : "false") }

  mutating func null(_ key: StaticString) { raw(key, "null") }

  /// A moment in microseconds since 1970.
  mutating func time(_ key: StaticString, _ microseconds: Int64) {
    member(key, room: Timestamp.count + 2) { room in
      room.append(UInt8(ascii: "\""))
      Timestamp.append(microseconds, to: &room)
      room.append(UInt8(ascii: "\""))
    }
  }

  mutating func value(_ key: StaticString, _ value: JSONValue) {
    append(key)
    value.appendJSON(to: &bytes)
  }

  /// A value under a key that is not ours to choose.
  mutating func value(named key: String, _ value: JSONValue) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    JSONText.appendString(key, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    value.appendJSON(to: &bytes)
  }

  /// A JSON object that is stored as text: as it is where it fits into a line, else written anew; null
  /// where it has more bytes than a record may have.
  mutating func body(_ key: StaticString, _ json: [UInt8]) {
    if isTight, json.count > ContentItem.sizeLimitBytes {
      let compact = try? JSONValue(parsing: json).jsonBytes
      guard let compact, compact.count <= ContentItem.sizeLimitBytes else { return null(key) }
      append(key)
      return bytes.append(contentsOf: compact)
    }
    append(key)
    if json.withUnsafeBufferPointer({ JSONText.isOneLine($0) }) {
      bytes.append(contentsOf: json)
    } else if let value = try? JSONValue(parsing: json) {
      value.appendJSON(to: &bytes)
    } else {
      // The store checks bodies when they are saved, so this is out of reach; a string keeps the
      // line valid all the same.
      JSONText.appendString(String(decoding: json, as: UTF8.self), to: &bytes)
    }
  }

  mutating func object(_ key: StaticString, _ members: (inout ObjectWriter) -> Void) {
    append(key)
    nested(members)
  }

  mutating func objects<Elements: Collection>(
    _ key: StaticString, _ elements: Elements,
    _ members: (inout ObjectWriter, Elements.Element) -> Void
  ) {
    append(key)
    list(elements) { writer, element in writer.nested { members(&$0, element) } }
  }

  mutating func strings(_ key: StaticString, _ elements: some Collection<String>) {
    append(key)
    list(elements) { writer, element in JSONText.appendString(element, to: &writer.bytes) }
  }

  // MARK: Pieces

  /// Writes a member whose value takes at most so many bytes.
  @inline(__always)
  private mutating func member(
    _ key: StaticString, room: Int, _ value: (inout OutputSpan<UInt8>) -> Void
  ) {
    let isFirst = self.isFirst
    self.isFirst = false
    bytes.append(addingCapacity: key.utf8CodeUnitCount + 4 + room) { room in
      if !isFirst { room.append(UInt8(ascii: ",")) }
      room.append(UInt8(ascii: "\""))
      room.append(key)
      room.append(UInt8(ascii: "\""))
      room.append(UInt8(ascii: ":"))
      value(&room)
    }
  }

  private mutating func append(_ key: StaticString) { member(key, room: 0) { _ in } }

  /// A value that is spelled out.
  private mutating func raw(_ key: StaticString, _ value: StaticString) {
    member(key, room: value.utf8CodeUnitCount) { $0.append(value) }
  }

  private mutating func list<Elements: Collection>(
    _ elements: Elements, _ each: (inout ObjectWriter, Elements.Element) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      each(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
    self.isFirst = false
  }

  private mutating func appendNull() { bytes.append(contentsOf: "null".utf8) }
}

/// Decimal digits without a detour over strings.
enum Digits {
  /// As many characters a number takes at most.
  static let most = 20

  /// Appends a whole number, of which there must be room for.
  @inline(__always)
  static func append(_ value: Int64, to room: inout OutputSpan<UInt8>) {
    if value < 0 { room.append(UInt8(ascii: "-")) }
    append(value.magnitude, width: width(of: value.magnitude), to: &room)
  }

  /// Appends the last `width` digits of a number.
  ///
  /// Unsafe pointers: the room is the span's own, and is checked before it is written to, from its
  /// end. `EnvelopeTests` would notice a digit too many or too few.
  @inline(__always)
  static func append(_ value: UInt64, width: Int, to room: inout OutputSpan<UInt8>) {
    room.withUnsafeMutableBufferPointer { room, count in
      precondition(width <= room.count - count, "more digits than were announced")
      var rest = value
      var at = count + width
      while at > count {
        at -= 1
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        room.initializeElement(at: at, to: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
        rest = quotient
      }
      count += width
    }
  }

  private static func width(of value: UInt64) -> Int {
    var width = 1
    var limit: UInt64 = 10
    while value >= limit {
      width += 1
      // The next limit would be more than 64 bits hold.
      if width == most { break }
      limit *= 10
    }
    return width
  }
}

extension OutputSpan<UInt8> {
  /// Appends bytes that fit.
  ///
  /// Unsafe pointers: both are the caller's for the length of the call, and the room is checked before
  /// anything is copied. `EnvelopeTests` would notice a byte too many or too few.
  @inline(__always)
  mutating func append(contentsOf source: UnsafeBufferPointer<UInt8>) {
    withUnsafeMutableBufferPointer { room, count in
      precondition(source.count <= room.count - count, "more bytes than were announced")
      guard let from = source.baseAddress, let to = room.baseAddress else { return }
      (to + count).initialize(from: from, count: source.count)
      count += source.count
    }
  }

  /// Appends a text of ours that fits.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension String {
  /// The text as far as so many bytes hold it, with `…` behind where that is not all.
  func cut(toBytes limit: Int) -> String {
    if utf8.count <= limit { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while String.Index(end, within: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end] + "…"
  }
}
