import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("freshet store")
struct StoreCommandTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox(books: 5)
    _ = try sandbox.run("delete", "book:local:2")
  }

  private var segment: String { sandbox.store + "/log-00000000000000000001.ndjson" }

  private func flip(_ offset: Int) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: segment))
    bytes[offset] ^= 1
    try bytes.write(to: URL(fileURLWithPath: segment))
  }

  @Test("verify: 0 for a sound store, 1 and the places for a damaged one")
  func verify() throws {
    let sound = try sandbox.run("store", "verify")
    #expect(sound.status == .exited(0))
    #expect(sound.results.map { $0["op"] } == ["store.verify"])
    #expect(sound.results[0]["damaged"] == 0)
    try flip(100)
    let damaged = try sandbox.run("store", "verify")
    #expect(damaged.status == .exited(1))
    let finding = try #require(damaged.all("store.finding").first)
    #expect(finding["kind"] == "damage")
    #expect(finding["file"] == "log-00000000000000000001.ndjson")
    #expect(damaged.results.map(\.errorCode) == ["damaged"])
    #expect(damaged.errors.contains("freshet store salvage"))
    #expect(damaged.end?["exit"] == 1)
  }

  @Test("a damaged store names the commands that help")
  func advice() throws {
    try flip(100)
    let list = try sandbox.run("list")
    #expect(list.status == .exited(7))
    #expect(list.errors.contains("freshet store verify"))
    #expect(list.errors.contains("freshet store salvage"))
  }

  @Test("salvage: what can be read goes to a new store, the old one is as it was")
  func salvage() throws {
    try flip(100)
    let before = try Data(contentsOf: URL(fileURLWithPath: segment))
    let run = try sandbox.run("store", "salvage", sandbox.path("rescued"))
    #expect(run.status == .exited(0))
    #expect(run.results[0]["changed"] == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: segment)) == before)
    let list = try sandbox.run("list", "--store", sandbox.path("rescued"))
    #expect(
      Set(list.items).isSubset(of: ["book:local:1", "book:local:3", "book:local:4", "book:local:5"])
    )
    #expect(list.items.count >= 3)
    let twice = try sandbox.run(
      "store", "salvage", sandbox.store, sandbox.path("rescued"))
    #expect(twice.status == .exited(7))
  }

  @Test("stats and compact tell figures")
  func figures() throws {
    let stats = try sandbox.run("store", "stats")
    #expect(stats.status == .exited(0))
    #expect(stats.results[0]["live"] == 4)
    #expect(stats.results[0]["deleted"] == 1)
    #expect(stats.results[0]["revision"]?.numberValue?.int64 == stats.results[0].revision)
    let compact = try sandbox.run("store", "compact")
    #expect(compact.status == .exited(0))
    #expect(compact.results[0]["live"] == 4)
    #expect(try sandbox.run("list").items.count == 4)
    #expect(try sandbox.run("store", "verify").status == .exited(0))
  }

  @Test("export and import: there and back, deleted items too")
  func transfer() throws {
    let file = sandbox.path("items.ndjson")
    let export = try sandbox.run("store", "export", file, "--include-deleted")
    #expect(export.status == .exited(0))
    #expect(export.results[0]["items"] == 4)
    #expect(export.results[0]["deleted"] == 1)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    let refused = try sandbox.run("store", "export", file)
    #expect(refused.status == .exited(73))
    #expect(refused.end?["reason"] == "cannot_create")
    #expect(refused.errors.contains("--force"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    #expect(
      try sandbox.run("store", "export", sandbox.path("none/items")).status == .exited(73))
    #expect(
      try sandbox.run("store", "export", file, "--include-deleted", "--force").status == .exited(0))
    let other = sandbox.path("other")
    let imported = try sandbox.run("store", "import", file, "--store", other)
    #expect(imported.status == .exited(0))
    #expect(imported.results[0]["items"] == 5)
    #expect(
      try sandbox.run("list", "--store", other).items == sandbox.run("list").items)
    _ = try sandbox.run("restore", "book:local:2", "--store", other)
    #expect(try sandbox.run("list", "--store", other).items[1] == "book:local:2")
    _ = try sandbox.run("delete", "book:local:2", "--store", other)
    let again = try sandbox.run("store", "import", file, "--store", other)
    #expect(again.results[0]["changed"] == 0)
  }

  @Test("export -: the items alone on stdout, whatever --format says; the rest on stderr")
  func toStdout() throws {
    let file = sandbox.path("items.ndjson")
    _ = try sandbox.run("store", "export", file, "--include-deleted")
    let expected = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
      String($0)
    }
    for format in ["ndjson", "text", "json-seq"] {
      let run = try sandbox.lines("store", "export", "-", "--include-deleted", "--format", format)
      #expect(run.status == .exited(0) && run.lines == expected, "\(format)")
      #expect(run.errors.isEmpty, "\(format)")
    }
    let none = try sandbox.lines("store", "export", "-", "--store", sandbox.path("none"))
    #expect(none.status == .exited(7) && none.lines.isEmpty && !none.errors.isEmpty)
    let forced = try sandbox.run("store", "export", "-", "--force")
    #expect(forced.status == .exited(2))
  }

  @Test("import checks a line as save does, but for size and depth, and says which it refuses")
  func checked() throws {
    let deep = String(repeating: "[", count: 205) + String(repeating: "]", count: 205)
    let deeper = String(repeating: "[", count: 520) + String(repeating: "]", count: 520)
    let large = String(repeating: "x", count: 1 << 20)
    let bodies: [(id: String, body: String, code: String?)] = [
      ("film:tmdb:movie:1", #"{"id":"film:tmdb:movie:1","title":"T"}"#, nil),
      ("film:nonsense", #"{"id":"film:nonsense"}"#, "malformed_id"),
      ("film:tmdb:movie:2", #"{"id":"film:tmdb:movie:3"}"#, "conflicting_fields"),
      ("film:tmdb:movie:2", #"{"title":"T"}"#, "missing_id"),
      ("film:tmdb:movie:2", #"{"id":"film:tmdb:movie:2","kind":"book"}"#, "conflicting_fields"),
      ("film:tmdb:movie:2", #"{"id":"film:tmdb:movie:2","extra":{"d":\#(deep)}}"#, nil),
      ("film:tmdb:movie:2", #"{"id":"film:tmdb:movie:2","extra":{"d":\#(deeper)}}"#, "too_deep"),
      ("film:tmdb:movie:2", #"{"id":"film:tmdb:movie:2","title":"\#(large)"}"#, "too_large"),
      ("settings", #"{"d":\#(deeper)}"#, "too_deep"), ("settings", #"{"d":\#(deep)}"#, nil),
      ("settings", #"{"d":1}"#, nil),
    ]
    let lines = bodies.map { #"{"id":"\#($0.id)","body":\#($0.body)}"# }
    let run = try sandbox.run("store", "import", "-", input: lines.joined(separator: "\n"))
    #expect(run.status == .exited(1))
    let codes = bodies.enumerated().compactMap { place, line in
      line.code.map { "\(place + 1) \($0)" }
    }
    #expect(
      run.results.dropLast().map {
        "\($0["line"]?.numberValue?.text ?? "") \($0.errorCode ?? "")"
      } == codes)
    #expect(run.results.last?["items"] == 4)
    #expect(try sandbox.run("list").items.contains("film:tmdb:movie:1"))
  }

  @Test(
    "a damaged snapshot costs nothing while the journal has all; doctor, verify and stats say so")
  func damagedSnapshot() throws {
    _ = try sandbox.run("store", "compact")
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.store)
    let name = try #require(names.first { $0.hasPrefix("snap-") && $0.hasSuffix(".ndjson") })
    let path = sandbox.store + "/" + name
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(String(decoding: bytes, as: UTF8.self).range(of: "\"B3\""))
    let text = String(decoding: bytes, as: UTF8.self)
    bytes[text.utf8.distance(from: text.utf8.startIndex, to: place.lowerBound) + 1] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let list = try sandbox.run("list")
    #expect(list.status == .exited(0) && list.items.count == 4)
    #expect(try sandbox.run("show", "book:local:3").status == .exited(0))
    let verify = try sandbox.run("store", "verify")
    #expect(verify.status == .exited(1))
    let doctor = try sandbox.run("doctor", "--format", "ndjson")
    #expect(doctor.status == .exited(0))
    #expect(doctor.all("doctor.check").contains { $0["check"] == "snapshot" })
    #expect(try sandbox.run("store", "compact").status == .exited(0))
    #expect(try sandbox.run("store", "verify").status == .exited(0))
  }

  @Test("a salvage into the store itself is refused, whatever its folder is called")
  func salvageInside() throws {
    let store = sandbox.store
    let link = sandbox.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
    for new in [store + "/rescued", link + "/a/b/", store + "/../link/c"] {
      let refused = try sandbox.run("store", "salvage", store, new)
      #expect(refused.status == .exited(2), "\(new)")
      #expect(refused.errors.contains("is inside the store"), "\(new)")
    }
    #expect(try sandbox.run("store", "verify").status == .exited(0))
    #expect(
      try sandbox.run("store", "salvage", store, store + "-rescued").status == .exited(0))
  }

  @Test("a slot of HEAD that is gone: verify and doctor name it, and what to do about it helps")
  func damagedHead() throws {
    let path = sandbox.store + "/HEAD"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let sequence = { (slot: Int) in bytes[(slot + 16)..<(slot + 24)].reversed().map { $0 } }
    let newest = sequence(0).lexicographicallyPrecedes(sequence(512)) ? 512 : 0
    bytes.replaceSubrange(newest..<(newest + 64), with: Data(count: 64))
    try bytes.write(to: URL(fileURLWithPath: path))
    let verify = try sandbox.run("store", "verify")
    #expect(verify.status == .exited(0))
    let finding = try #require(verify.all("store.finding").first)
    #expect(finding["kind"] == "note" && finding["file"] == "HEAD")
    #expect(finding["offset"]?.numberValue?.int64 == Int64(newest))
    let doctor = try sandbox.run("doctor", "--format", "ndjson")
    let check = try #require(doctor.all("doctor.check").first { $0["check"] == "head" })
    #expect(check["status"] == "warn")
    #expect(check["advice"]?.stringValue?.contains("freshet store compact") == true)
    for words in Self.readers {
      let read = try sandbox.run(words, bytes: nil)
      #expect(read.errors.contains("warning: \(path): the slot at byte \(newest)"), "\(words)")
      #expect(read.errors.contains("freshet store compact"), "\(words)")
      let hello = try #require(read.records.first)
      #expect(hello["head_problem"]?.stringValue?.contains("goes on to") == true, "\(words)")
    }
    let export = try sandbox.lines("store", "export", "-")
    #expect(export.status == .exited(0) && export.errors.contains("freshet: warning: "))
    #expect(try sandbox.run("store", "compact").status == .exited(0))
    #expect(try sandbox.run("store", "verify").all("store.finding").isEmpty)
    let after = try sandbox.run("doctor", "--format", "ndjson")
    #expect(!after.all("doctor.check").contains { $0["check"] == "head" })
    for words in Self.readers {
      let read = try sandbox.run(words, bytes: nil)
      #expect(!read.errors.contains("warning"), "\(words)")
    }
  }

  private static let readers = [
    ["list"], ["show", "book:local:1"], ["watch", "--initial", "only"], ["store", "stats"],
    ["list", "-q"],
  ]

  @Test("a bar on a terminal while it is checked; nothing of it in a file, and none with -q")
  func bar() throws {
    #expect(ProgressLine.text("checked", 25, 100) == "[#####...............] 25 % checked")
    #expect(ProgressLine.text("checked", 200, 100).hasSuffix("100 % checked"))
    let environment = [
      "FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path, "TERM": "xterm",
    ]
    for action in ["verify", "compact"] {
      let loud = try Child(["store", action], environment: environment, input: .terminal)
      _ = try loud.rest()
      #expect(loud.wait() == .exited(0))
      try loud.readScreenToEnd()
      #expect(loud.screen.contains("] ") && loud.screen.hasSuffix("\u{1B}[K"), "\(action)")
      let quiet = try Child(["store", action, "-q"], environment: environment, input: .terminal)
      _ = try quiet.rest()
      #expect(quiet.wait() == .exited(0))
      try quiet.readScreenToEnd()
      #expect(quiet.screen.isEmpty, "\(action)")
      #expect(!(try sandbox.run("store", action).errors.contains("%")), "\(action)")
    }
  }

  @Test("import: bad lines are refused with their numbers, the others go in")
  func refused() throws {
    let lines = [
      #"{"id":"book:local:8","body":{"id":"book:local:8"}}"#, "nonsense",
      #"{"id":"book:local:9","body":[]}"#,
    ]
    let run = try sandbox.run("store", "import", "-", input: lines.joined(separator: "\n"))
    #expect(run.status == .exited(1))
    #expect(run.results.map(\.errorCode) == ["invalid_json", "invalid_body", "refused"])
    #expect(run.results.map { $0["line"] } == [2, 3, .null])
    #expect(try sandbox.run("list").items.contains("book:local:8"))
  }

  @Test("sign: only when confirmed, and then edited lines count")
  func sign() throws {
    let text = try String(contentsOfFile: segment, encoding: .utf8)
    try text.replacing("\"B3\"", with: "\"by hand\"").write(
      toFile: segment, atomically: false, encoding: .utf8)
    #expect(try sandbox.run("store", "sign").status == .exited(2))
    #expect(try sandbox.run("list").status == .exited(7))
    let run = try sandbox.run("store", "sign", "--yes")
    #expect(run.status == .exited(0))
    #expect(run.results[0]["signed"] == 1)
    let shown = try sandbox.run("show", "book:local:3")
    #expect(shown.records.contains { $0.text.contains("by hand") })
  }

  @Test("what makes no sense is exit 2; no store is exit 7")
  func usage() throws {
    for words in [["store"], ["store", "mend"], ["store", "verify", "x"], ["store", "salvage"]] {
      #expect(try sandbox.run(words, bytes: nil).status == .exited(2))
    }
    for action in ["verify", "stats", "compact", "sign --yes"] {
      let words = ["store"] + action.split(separator: " ").map(String.init)
      let run = try sandbox.run(words + ["--store", sandbox.path("none")], bytes: nil)
      #expect(run.status == .exited(7), "\(action)")
    }
  }
}
