import FreshetStore

/// The JSON Schema of a line of a script that is an object.
enum CommandSchema {
  /// What each operation takes beside `op` and `id`.
  static let operations: [(name: String, fields: [Shape.Field])] = [
    ("save", [.must("record", .anyObject)]),
    ("delete", [.must("item", .string)]),
    ("deleteAll", []),
    ("restore", [.must("item", .string)]),
    (
      "list",
      [.may("kind", .nullable(.words(["film", "book"]))), .may("limit", .nullable(.integer))]
    ),
    ("begin", []),
    ("commit", []),
    ("rollback", []),
  ]

  static func schema() -> JSONValue {
    let forms = operations.map { operation -> JSONValue in
      var fields: [Shape.Field] = [.must("op", .string), .may("id", .nullable(.string))]
      fields += operation.fields
      var form = Shape.schema(of: fields, isClosed: true).objectValue ?? JSONObject()
      var properties = form["properties"]?.objectValue ?? JSONObject()
      properties["op"] = ["const": .string(operation.name)]
      form["properties"] = .object(properties)
      return .object(form)
    }
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:freshet:command:1",
      "title": "A line of a freshet script that is an object", "type": "object",
      "oneOf": .array(forms),
    ]
  }
}
