import FreshetStore

/// The JSON Schema of a line of a script that is an object.
enum CommandSchema {
  /// What each operation takes beside `op` and `id`.
  static let operations: [(name: String, fields: [Shape.Field])] = [
    ("save", [.must("record", .anyObject)]),
    ("delete", [.must("item", .string), .may("yes", .boolean)]),
    ("deleteAll", []),
    ("restore", [.must("item", .string)]),
    (
      "list",
      [
        .may("kind", .nullable(.words(["film", "book"]))), .may("limit", .nullable(.integer)),
        .may("view", .nullable(.words(["guidance", "books"]))),
      ]
    ),
    ("fold", [.must("item", .string)]),
    ("unfold", [.must("item", .string)]),
    ("toggleFold", [.must("item", .string)]),
    ("select", [.must("book", .either(.integer, .string))]),
    (
      "register",
      [
        .must("student", .either(.integer, .string)), .must("reason", .string),
        .may("detail", .nullable(.string)),
      ]
    ),
    ("complete", [.must("item", .either(.integer, .string))]),
    ("delay", [.must("item", .either(.integer, .string)), .must("date", .string)]),
    (
      "filter",
      [
        .must("filter", .words(["all", "my-grade", "my-class"])),
        .may("grade", .nullable(.integer)), .may("class", .nullable(.integer)),
      ]
    ),
    ("download", [.must("item", .string)]),
    (
      "search",
      [
        .may("query", .nullable(.string)),
        .may("source", .nullable(.words(["kakao", "google", "tmdb"]))),
        .may("page_size", .nullable(.either(.integer, .string))),
        .may("trending", .nullable(.words(["day", "week"]))),
        .may("discover", .nullable(.words(["movie", "tv"]))),
        .may("media", .nullable(.words(["all", "movie", "tv"]))),
        .may("where", .nullable(.anyObject)),
      ]
    ),
    ("more", []),
    ("watch", watchFields),
    ("wait", []),
    ("begin", []),
    ("commit", []),
    ("rollback", []),
  ]

  /// `watch` takes the options of the command by their names.
  private static let watchFields: [Shape.Field] = {
    let text = Shape.either(.string, .list(.string))
    let value = Shape.either(text, .integer)
    return [.may("view", .nullable(text)), .may("item", .nullable(.string))]
      + [.may("query", .nullable(.string))]
      + WatchAction.options.map { option in
        .may(
          option.name.replacing("-", with: "_"), .nullable(option.value == nil ? .boolean : value))
      }
  }()

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
