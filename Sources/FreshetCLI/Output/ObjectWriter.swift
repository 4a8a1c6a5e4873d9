import FreshetStore

/// Writes the members of one JSON object in the order they are given.
///
/// Keys are ours and need no escaping.
struct ObjectWriter {
  fileprivate(set) var bytes: [UInt8]
  private var isFirst = true

  /// Takes the bytes over, leaving none behind, and opens an object at their end.
  ///
  /// Swapping keeps the buffer in one pair of hands: a second reference would copy it at each append.
  init(takingOver bytes: inout [UInt8]) {
    self.bytes = []
    swap(&self.bytes, &bytes)
    self.bytes.append(UInt8(ascii: "{"))
  }

  /// Closes the object and gives the bytes back.
  mutating func finish(into target: inout [UInt8]) {
    bytes.append(UInt8(ascii: "}"))
    swap(&bytes, &target)
  }

  mutating func string(_ key: StaticString, _ value: String?) {
    open(key)
    if let value { JSONText.appendString(value, to: &bytes) } else { appendNull() }
  }

  mutating func int(_ key: StaticString, _ value: Int64?) {
    open(key)
    if let value { appendInteger(value) } else { appendNull() }
  }

  mutating func int(_ key: StaticString, _ value: Int) { int(key, Int64(value)) }

  /// A figure with three decimals at most; null for what is no number.
  mutating func figure(_ key: StaticString, _ value: Double?) {
    open(key)
    if let value, value.isFinite, abs(value) < 1e15 {
      let rounded = (value * 1000).rounded() / 1000
      append(digits: rounded == rounded.rounded() ? "\(Int64(rounded))" : "\(rounded)")
    } else {
      appendNull()
    }
  }

  mutating func figures(_ key: StaticString, _ values: [Double]) {
    open(key)
    list(values) { writer, value in
      writer.append(digits: "\((value * 1000).rounded() / 1000)")
    }
  }

  private mutating func append(digits: String) { bytes.append(contentsOf: digits.utf8) }

  mutating func bool(_ key: StaticString, _ value: Bool) {
    open(key)
    append(value ? "true" : "false")
  }

  mutating func null(_ key: StaticString) {
    open(key)
    appendNull()
  }

  /// A moment in microseconds since 1970.
  mutating func time(_ key: StaticString, _ microseconds: Int64) {
    open(key)
    bytes.append(UInt8(ascii: "\""))
    Timestamp.append(microseconds, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func value(_ key: StaticString, _ value: JSONValue) {
    open(key)
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

  /// A JSON object that is stored as text: as it is where it fits into a line, else written anew.
  mutating func body(_ key: StaticString, _ json: [UInt8]) {
    open(key)
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
    open(key)
    nested(members)
  }

  mutating func objects<Elements: Collection>(
    _ key: StaticString, _ elements: Elements,
    _ members: (inout ObjectWriter, Elements.Element) -> Void
  ) {
    open(key)
    list(elements) { writer, element in writer.nested { members(&$0, element) } }
  }

  mutating func strings(_ key: StaticString, _ elements: some Collection<String>) {
    open(key)
    list(elements) { writer, element in JSONText.appendString(element, to: &writer.bytes) }
  }

  // MARK: Pieces

  private mutating func open(_ key: StaticString) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    bytes.append(UInt8(ascii: "\""))
    append(key)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func nested(_ members: (inout ObjectWriter) -> Void) {
    var inner = ObjectWriter(takingOver: &bytes)
    members(&inner)
    inner.finish(into: &bytes)
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
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func appendNull() { append("null") }

  private mutating func appendInteger(_ value: Int64) {
    Digits.append(value, to: &bytes)
  }
}

/// Decimal digits without a detour over strings.
enum Digits {
  static func append(_ value: Int64, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    if rest < 10 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest))
      return
    }
    let start = bytes.count
    while rest > 0 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      bytes.append(UInt8(ascii: "0") + UInt8(remainder))
      rest = quotient
    }
    bytes[start...].reverse()
  }

  /// Exactly `width` digits of a number that has no more.
  static func append(_ value: Int64, width: Int, to bytes: inout [UInt8]) {
    let start = bytes.count
    var rest = value
    for _ in 0..<width {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    bytes[start...].reverse()
  }
}
