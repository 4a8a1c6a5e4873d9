import FreshetModels
import FreshetStore

/// The JSON Schema of stdout's records, envelope version 1.
enum EventSchema {
  /// The shape of `data`, by type.
  static let types: [(type: String, data: [Shape.Field])] = [
    (
      "stream.hello",
      [
        .must("minor", .integer), .must("version", .string), .must("run", .string),
        .must("command", .nullable(.string)), .must("store", .nullable(.string)),
        .must("epoch", .nullable(.integer)), .must("oldest", .nullable(.string)),
        .may("head_problem", .string),
      ]
    ),
    ("snapshot.begin", [.must("count", .integer)]),
    (
      "snapshot.item",
      [
        .must("index", .integer), .must("item", .nullable(.anyObject)),
        .may("selected", .boolean),
        .may(
          "summary",
          .object([
            .must("fold", .words(TextFold.allCases.map(\.rawValue))),
            .must("text", .nullable(.string)),
            .must("button", .nullable(.string)), .must("characters", .integer),
          ])), .may("release_line", .nullable(.string)), .may("poster", .nullable(.string)),
        .may(
          "poster_part",
          .object([.must("done", .integer), .must("total", .nullable(.integer))])),
      ]
    ),
    ("stream.bookmark", [.must("initial", .boolean)]),
    ("item.added", [.must("item", .nullable(.anyObject)), .may("poster", .nullable(.string))]),
    ("item.changed", [.must("item", .nullable(.anyObject)), .may("poster", .nullable(.string))]),
    ("item.restored", [.must("item", .nullable(.anyObject)), .may("poster", .nullable(.string))]),
    ("item.removed", [.must("item", .nullable(.anyObject))]),
    (
      "view.changed",
      [
        .must("from", .string), .must("to", .string), .must("cause", .string),
        .must("state", .anyObject), .may("diff", .nullable(.named("diff"))),
        .may("diff_rows", .integer),
      ]
    ),
    ("view.notice", [.must("notice", .string)]),
    (
      "cmd.accepted",
      [.must("line", .nullable(.integer)), .must("op", .string)]
    ),
    (
      "cmd.result",
      [
        .must("line", .nullable(.integer)), .may("row", .integer), .may("column", .integer),
        .may("file", .string), .must("op", .nullable(.string)),
        .must("ok", .boolean), .must("changed", .boolean),
        .must(
          "status", .words(["done", "failed", "skipped", "canceled", "rolled_back", "replayed"])),
        .may("outcome", .string), .may("count", .integer), .may("reason", .string),
        .may("help", .anyObject), .may("text", .string), .may("dry", .boolean),
        .may("error", .named("error")),
      ]
    ),
    (
      "config.setting",
      [
        .must("name", .string), .must("value", .nullable(.string)),
        .may("origin", .nullable(.string)), .may("place", .nullable(.string)),
      ]
    ),
    (
      "doctor.check",
      [
        .must("check", .string), .must("status", .words(["ok", "warn", "fail"])),
        .must("detail", .string), .may("advice", .string),
      ]
    ),
    (
      "bench.case",
      [
        .must("case", .string), .must("summary", .string), .must("events", .integer),
        .must("floor", .boolean),
      ]
    ),
    (
      "bench.sample",
      [
        .must("case", .string), .must("run", .integer), .must("events", .integer),
        .must("out", .integer), .must("ns", .number), .must("floor_ns", .nullable(.number)),
        .must("parts", .list(.number)),
      ]
    ),
    (
      "bench.summary",
      [
        .must("case", .string), .must("summary", .string), .must("events", .integer),
        .must("out", .integer), .must("runs", .integer),
        .must(
          "ns",
          .object(
            ["min", "p50", "p90", "p99"].map { Shape.Field.must($0, .nullable(.number)) })),
        .must("events_per_second", .nullable(.number)), .must("floor_ns", .nullable(.number)),
        .must("ratio", .nullable(.number)), .must("bytes", .nullable(.number)),
        .must("allocations", .nullable(.number)), .must("resident_kib", .nullable(.integer)),
        .must("machine", .string),
        .may(
          "change",
          .object([
            .must("before_ns", .number), .must("percent", .number), .must("confidence", .number),
            .must("verdict", .words(["same", "slower", "faster"])),
          ])),
      ]
    ),
    (
      "search.page",
      [
        .must("source", .string), .must("query", .string), .may("list", .string),
        .must("page", .integer),
        .must("count", .integer), .must("rows", .integer), .must("total", .nullable(.integer)),
        .must("pageable", .nullable(.integer)), .must("duplicates", .integer),
        .must(
          "dropped",
          .list(
            .object([.must("row", .integer), .must("code", .string), .must("reason", .string)]))),
        .may("dropped_more", .integer),
        .must("end", .boolean),
      ]
    ),
    (
      "search.item",
      [.must("page", .integer), .must("index", .integer), .must("item", .anyObject)]
    ),
    (
      "search.failed",
      [
        .must("source", .string), .must("query", .string), .may("list", .string),
        .must("page", .integer), .must("error", .named("error")),
      ]
    ),
    (
      "search.end",
      [
        .must("source", .string), .must("query", .string), .may("list", .string),
        .must("reason", .string),
        .must("items", .integer), .must("pages", .integer), .must("dropped", .integer),
        .must("total", .nullable(.integer)), .may("error", .named("error")),
      ]
    ),
    (
      "download.progress",
      [.must("done", .integer), .must("total", .nullable(.integer))]
    ),
    (
      "store.finding",
      [
        .must("kind", .words(["damage", "unfinished", "note"])), .must("file", .nullable(.string)),
        .must("offset", .nullable(.integer)), .must("revision", .nullable(.integer)),
        .must("next_revision", .nullable(.integer)), .must("message", .string),
      ]
    ),
    (
      "store.gap",
      [.must("after", .integer), .must("before", .nullable(.integer))]
    ),
    (
      "stream.gap",
      [
        .must("reason", .string), .must("from", .nullable(.string)),
        .must("oldest", .nullable(.string)), .may("missed", .integer),
      ]
    ),
    (
      "stream.reset",
      [
        .must("reason", .string), .must("from", .nullable(.string)),
        .must("oldest", .nullable(.string)),
      ]
    ),
    (
      "stream.error",
      [.must("error", .named("error")), .may("resume_line", .integer)]
    ),
    (
      "stream.end",
      [
        .must("reason", .string), .must("exit", .integer), .may("signal", .integer),
        .must("counts", .anyObject),
      ]
    ),
  ]

  private static let definitions: [(name: String, shape: Shape)] = [
    (
      "error",
      .object([
        .must("code", .string), .must("message", .string), .must("retryable", .boolean),
        .may("http", .integer), .may("attempt", .integer),
      ])
    ),
    (
      "diff",
      .object([
        .must("inserted", .list(.named("place"))), .must("removed", .list(.named("place"))),
        .must("moved", .list(.named("move"))), .must("updated", .list(.string)),
      ])
    ),
    ("place", .object([.must("id", .string), .must("index", .integer)])),
    (
      "move",
      .object([.must("id", .string), .must("from", .integer), .must("to", .integer)])
    ),
  ]

  /// The envelope around `data`, in the order of its keys.
  private static let envelope: [Shape.Field] = [
    .must("v", .integer), .must("seq", .integer), .may("rev", .integer), .may("i", .integer),
    .may("n", .integer), .may("cursor", .string), .must("ts", .string), .must("type", .string),
    .may("view", .string), .may("id", .string), .may("cid", .string), .must("data", .anyObject),
  ]

  /// The keys of the envelope, in their order.
  static var envelopeKeys: [String] { envelope.map(\.name) }

  /// - Parameter isClosed: Whether types and members that this version does not know are refused.
  static func schema(isClosed: Bool) -> JSONValue {
    guard var root = Shape.schema(of: envelope, isClosed: isClosed).objectValue,
      var properties = root["properties"]?.objectValue
    else { return .null }
    properties["v"] = ["const": 1]
    properties["seq"] = ["type": "integer", "minimum": 1]
    properties["rev"] = ["type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991]
    properties["ts"] = [
      "type": "string",
      "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"#,
    ]
    if isClosed { properties["type"] = .object(["enum": .array(types.map { .string($0.type) })]) }
    root["properties"] = .object(properties)
    root["allOf"] = .array(
      types.map { entry in
        [
          "if": ["properties": ["type": ["const": .string(entry.type)]]],
          "then": ["properties": ["data": ["$ref": .string("#/$defs/\(entry.type)")]]],
        ]
      })
    root["dependentRequired"] = ["i": ["n", "rev"], "n": ["i"]]
    var defs = JSONObject()
    for (type, fields) in types {
      // A result tells more, depending on the command; a notice, depending on its name.
      let isOpen = type == "cmd.result" || type == "view.notice"
      defs[type] = Shape.schema(of: fields, isClosed: isClosed && !isOpen)
    }
    for (name, shape) in definitions { defs[name] = shape.schema(isClosed: isClosed) }
    var schema: JSONObject = [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:freshet:event:1",
      "title": "A record of freshet's stdout, envelope version 1",
      "description": .string(
        "Types and members may be added within version 1; pass over what you do not know."),
    ]
    for member in root.members { schema[member.key] = member.value }
    schema["$defs"] = .object(defs)
    return .object(schema)
  }
}
