import Foundation
import FreshetStore
import Glibc
import Testing

@testable import FreshetCLI

/// Every command ends, and says where, when something else has the name of one of the store's files.
@Suite("A store in which something else is in a file's place", .timeLimit(.minutes(15)))
struct StoreOtherThanFilesTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox(books: 5) }

  private static let item = "{\"id\":\"book:local:9\",\"title\":\"B\"}"

  @Test(
    "a pipe in place of HEAD, STORE or the journal: exit 7; 1 from verify and doctor",
    arguments: ["HEAD", "STORE", "log-00000000000000000001.ndjson"])
  func pipe(_ name: String) throws {
    let path = sandbox.store + "/" + name
    #expect(rename(path, sandbox.path("kept")) == 0)
    #expect(mkfifo(path, 0o600) == 0)
    for arguments in [
      ["list"], ["watch", "--initial", "only"], ["store", "stats"], ["store", "compact"],
      ["store", "export", sandbox.path("out")],
    ] {
      let run = try sandbox.run(arguments, bytes: nil)
      #expect(run.status == .exited(7), "\(arguments)")
      #expect(run.all("stream.error").map(\.errorCode) == ["damaged"], "\(arguments)")
      #expect(run.errors.contains("\(path) is a pipe, not a file; "), "\(arguments)")
    }
    let save = try sandbox.run("save", "-f", "-", input: Self.item)
    #expect(save.status == .exited(7))
    #expect(save.errors.contains("\(path) is a pipe, not a file; "))
    let verify = try sandbox.run("store", "verify")
    #expect(verify.status == .exited(1))
    #expect(verify.all("store.finding").contains { $0["file"] == .string(name) })
    let doctor = try sandbox.run("doctor", "--format", "ndjson")
    #expect(doctor.status == .exited(1))
    #expect(doctor.errors.contains("\(path) is a pipe, not a file; "))
    if name == "HEAD" || name == "STORE" {
      let salvage = try sandbox.run("store", "salvage", sandbox.path("new"))
      #expect(salvage.status == .exited(0))
      #expect(salvage.results[0]["live"] == 5)
    }
    // Nothing was changed: with the file in its place all is as it was.
    #expect(rename(sandbox.path("kept"), path) == 0)
    #expect(try sandbox.run("list").items.count == 5)
  }

  @Test("a link in place of LOCK: readers go on, writers refuse and say what to do")
  func linkedLock() throws {
    let path = sandbox.store + "/LOCK"
    #expect(rename(path, sandbox.path("kept")) == 0)
    #expect(symlink(sandbox.path("kept"), path) == 0)
    #expect(try sandbox.run("list").items.count == 5)
    let save = try sandbox.run("save", "-f", "-", input: Self.item)
    #expect(save.status == .exited(7))
    #expect(save.errors.contains("\(path) is a link, not a file; move it away"))
    unlink(path)
    #expect(try sandbox.run("save", "-f", "-", input: Self.item).status == .exited(0))
  }

  @Test("an export does not take the place of what is no file: exit 73")
  func export() throws {
    let pipe = sandbox.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let run = try sandbox.run("store", "export", pipe, "--force")
    #expect(run.status == .exited(73))
    #expect(run.errors.contains("no file"))
  }
}
