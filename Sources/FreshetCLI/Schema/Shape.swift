import FreshetStore

/// What a value of an event or a command looks like, as far as the contract says.
indirect enum Shape: Sendable {
  case string
  case integer
  case number
  case boolean
  /// One of these texts.
  case words([String])
  case nullable(Shape)
  /// One of two.
  case either(Shape, Shape)
  case list(Shape)
  /// An object with exactly these members, so far.
  case object([Field])
  /// An object of other people's, or one whose members depend on something else.
  case anyObject
  /// A definition shared by several places.
  case named(String)

  /// A member of an object.
  struct Field: Sendable {
    let name: String
    let shape: Shape
    var isRequired = true

    static func must(_ name: String, _ shape: Shape) -> Field { Field(name: name, shape: shape) }
    static func may(_ name: String, _ shape: Shape) -> Field {
      Field(name: name, shape: shape, isRequired: false)
    }
  }

  /// The shape in JSON Schema's words.
  /// - Parameter isClosed: Whether members that are not named are refused. Readers want an open
  ///   schema, for members may be added; tests of ours want a closed one.
  func schema(isClosed: Bool) -> JSONValue {
    switch self {
    case .string: return ["type": "string"]
    case .integer: return ["type": "integer"]
    case .number: return ["type": "number"]
    case .boolean: return ["type": "boolean"]
    case .words(let words): return ["enum": .array(words.map(JSONValue.string))]
    case .nullable(let shape):
      return ["anyOf": [shape.schema(isClosed: isClosed), ["type": "null"]]]
    case .either(let one, let other):
      return ["anyOf": [one.schema(isClosed: isClosed), other.schema(isClosed: isClosed)]]
    case .list(let shape): return ["type": "array", "items": shape.schema(isClosed: isClosed)]
    case .anyObject: return ["type": "object"]
    case .named(let name): return ["$ref": .string("#/$defs/\(name)")]
    case .object(let fields): return Self.schema(of: fields, isClosed: isClosed)
    }
  }

  static func schema(of fields: [Field], isClosed: Bool) -> JSONValue {
    var properties = JSONObject()
    for field in fields { properties[field.name] = field.shape.schema(isClosed: isClosed) }
    var object: JSONObject = [
      "type": "object", "properties": .object(properties),
      "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
    ]
    if isClosed { object["additionalProperties"] = false }
    return .object(object)
  }
}
