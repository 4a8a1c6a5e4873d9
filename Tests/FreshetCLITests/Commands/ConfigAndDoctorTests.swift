import Foundation
import FreshetStore
import Testing

/// What `config show` and `doctor` tell.
@Suite struct ConfigAndDoctorTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func origins(_ run: Run) -> [String: [String?]] {
    var found: [String: [String?]] = [:]
    for record in run.all("config.setting") {
      found[record["name"]?.stringValue ?? ""] = ["value", "origin", "place"].map {
        record[$0]?.stringValue
      }
    }
    return found
  }

  @Test("each setting has the origin that won")
  func eachSettingHasTheOriginThatWon() throws {
    let config = try sandbox.file("config.json", #"{"color":"never","format":"text"}"#)
    let run = try sandbox.run(
      "config", "show", "--origin", "--format", "ndjson", "--config", config,
      environment: ["FRESHET_STORE": "/x/store", "HOME": sandbox.folder.path])
    #expect(run.status == .exited(0))
    let found = origins(run)
    #expect(found["store"] == ["/x/store", "environment", "FRESHET_STORE"])
    #expect(found["format"] == ["ndjson", "option", "--format"])
    #expect(found["color"] == ["never", "config file", config])
  }

  @Test("defaults are told as such")
  func defaultsAreToldAsSuch() throws {
    let run = try sandbox.run(
      "config", "show", "--origin", environment: ["HOME": sandbox.folder.path])
    #expect(
      origins(run)["store"] == [sandbox.path(".local/share/freshet"), "default", nil])
    #expect(origins(run)["format"] == ["ndjson", "default", nil])
  }

  private func findings(_ run: Run, _ check: String) -> [String?] {
    run.all("doctor.check").filter { $0["check"]?.stringValue == check }
      .map { $0["status"]?.stringValue }
  }

  @Test("doctor is content with a good store and changes nothing in it")
  func doctorIsContentWithAGoodStoreAndChangesNothingInIt() throws {
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:1","title":"a"}"#)
    let before = try contents()
    let run = try sandbox.run("doctor", "--format", "ndjson")
    #expect(run.status == .exited(0))
    #expect(findings(run, "store") == ["ok"])
    #expect(try contents() == before)
  }

  private func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.store) {
      found[name] = FileManager.default.contents(atPath: sandbox.store + "/" + name)
    }
    return found
  }

  @Test("doctor warns where there is no store yet")
  func doctorWarnsWhereThereIsNoStoreYet() throws {
    let run = try sandbox.run("doctor", "--format", "ndjson")
    #expect(run.status == .exited(0))
    #expect(findings(run, "store") == ["warn"])
  }

  @Test("doctor fails on a folder that is no store")
  func doctorFailsOnAFolderThatIsNoStore() throws {
    try FileManager.default.createDirectory(
      atPath: sandbox.store, withIntermediateDirectories: true)
    try sandbox.file("store/notes.txt", "mine")
    let run = try sandbox.run("doctor", "--format", "ndjson")
    #expect(run.status == .exited(1))
    #expect(findings(run, "store") == ["fail"])
  }
}
