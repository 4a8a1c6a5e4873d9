import Foundation
import FreshetStore
import Testing

/// A full disk: real where this user may mount a small file system, else by the limit on a file's size.
@Suite("a full disk")
struct FullDiskTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// How a disk comes to be full.
  enum Way: String, CaseIterable {
    case sizeLimit
    case smallFileSystem

    static var possible: [Way] {
      let mayMount = (try? Tool("unshare")?.run("--map-root-user", "--mount", "true"))?.status == 0
      return mayMount ? allCases : [.sizeLimit]
    }

    /// Runs `$2` with the arguments after it, on a store at `$1`.
    var script: String {
      switch self {
      case .sizeLimit: "ulimit -f 1200; shift; exec \"$@\""
      case .smallFileSystem:
        // What is there is brought in, and what comes of it is brought out.
        """
        mount -t tmpfs -o size=700k,mode=700 none "$1" && tar -C "$1" -xf "$1.tar" && store=$1 && shift
        "$@"
        code=$?
        tar -C "$store" -cf "$store.tar" .
        exit $code
        """
      }
    }
  }

  private func run(_ way: Way, _ arguments: [String]) throws -> Run {
    let fileManager = FileManager.default
    try fileManager.createDirectory(atPath: sandbox.store, withIntermediateDirectories: true)
    chmod(sandbox.store)
    let tar = try #require(Tool("tar"))
    if way == .smallFileSystem, !fileManager.fileExists(atPath: sandbox.store + ".tar") {
      _ = try tar.run("-C", sandbox.store, "-cf", sandbox.store + ".tar", ".")
    }
    let words =
      ["sh", "-c", way.script, "sh", sandbox.store, Child.executable] + arguments
      + ["--store", sandbox.store, "--format", "ndjson"]
    let tool = try #require(Tool(way == .sizeLimit ? "env" : "unshare"))
    let prefix = way == .sizeLimit ? [] : ["--map-root-user", "--mount"]
    let answer = try tool.run(prefix + words)
    if way == .smallFileSystem {
      _ = try tar.run("-C", sandbox.store, "-xf", sandbox.store + ".tar")
    }
    let records = try answer.output.split(separator: "\n").map { try Record(Array($0.utf8)) }
    return Run(status: .exited(answer.status), records: records, errors: answer.errors)
  }

  private func chmod(_ path: String) {
    // A store refuses a folder that others may write into.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  @Test(
    "save and run stop at once, exit 7; what was answered is kept, and the line to go on at is told",
    arguments: Way.possible, ["save", "run"])
  func stops(_ way: Way, _ command: String) throws {
    let filler = String(repeating: "x", count: 900)
    let lines = (1...3000).map { number in
      let record = "{\"id\":\"book:local:\(number)\",\"overview\":\"\(filler)\"}"
      return command == "save" ? record : "save '\(record)'"
    }
    let file = try sandbox.file("lines", lines.joined(separator: "\n") + "\n")
    let full = try run(way, [command, "-f", file])
    #expect(full.status == .exited(7), "\(full.errors)")
    let saved = full.results.filter { $0["ok"] == true }.compactMap(\.id)
    let failed = full.results.filter { $0["ok"] == false }
    #expect(!failed.isEmpty)
    #expect(Set(failed.map(\.errorCode)) == ["disk_full"])
    #expect(failed.allSatisfy { $0["error"]?.objectValue?["retryable"] == true })
    let error = try #require(full.all("stream.error").first)
    #expect(error.errorCode == "disk_full")
    #expect(error["resume_line"]?.numberValue?.int64 == Int64(saved.count + 1))
    #expect(full.end?["reason"] == "store_lost")
    #expect(full.errors.contains("before line \(saved.count + 1) of the input is kept"))
    #expect(try sandbox.run("list").items == saved)
    // With room the rest goes in from that line on.
    let rest = lines[saved.count...].joined(separator: "\n")
    let again = try sandbox.run([command, "-f", "-"], bytes: Array(rest.utf8))
    #expect(again.status == .exited(0))
    #expect(try sandbox.run("list").items == (1...3000).map { "book:local:\($0)" })
  }
}
