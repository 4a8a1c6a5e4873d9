import Foundation
import Freshet
import FreshetStore
import Synchronization
import Testing

@testable import FreshetCLI

/// What is written and where it resumes are one thing, whenever a run is ended.
@Suite("freshet watch: the place that is kept")
struct FollowerTests {
  private let plan: WatchPlan
  private let output = Output(format: .ndjson)

  init() throws {
    plan = try WatchPlan(try CommandTable.parser.parse(["watch", "--filter", "kind=book"]))
  }

  private func follower() -> Follower {
    Follower(output: output, plan: plan, plan.views.map { $0.stepper(nil) }, countLimit: nil) {}
  }

  private func token(_ revision: Int64) -> Token {
    Token(storeID: "s", epoch: 1, revision: revision)
  }

  private func lists(_ revision: Int64, kind: String = "book", changes: Int = 1) -> LiveLists {
    let token = token(revision)
    let changes = (0..<changes).map { place in
      Change(
        kind: .added, id: "\(kind):x:\(place)", body: Array(#"{"kind":"\#(kind)"}"#.utf8),
        index: place + 1, count: changes)
    }
    let list = LiveList(
      token: token, records: [], diff: ListDiff(),
      changes: revision == 0
        ? nil : ChangeSet(epoch: 1, revision: revision, time: 0, changes: changes),
      isInitial: revision == 0)
    return LiveLists(
      token: token, lists: [list], changeCount: changes.count, isInitial: revision == 0,
      isLatest: true)
  }

  /// A follower past its first state.
  private func started() -> Follower {
    let follower = follower()
    _ = follower.receive(lists(0))
    _ = follower.takeWork()
    follower.hasWrittenState(at: token(0))
    return follower
  }

  @Test("a commit in the buffer is a commit passed, though nobody has looked since")
  func inTheBuffer() {
    let follower = started()
    _ = follower.receive(lists(1))
    follower.close()
    #expect(follower.token == token(1))
    #expect(!output.takeWaiting().isEmpty)
  }

  @Test("after the end nothing comes into the buffer, and the place stays")
  func closed() {
    let follower = started()
    follower.close()
    #expect(follower.receive(lists(1)) == .stop)
    #expect(follower.receive(lists(2, kind: "film")) == .stop)
    #expect(follower.token == token(0))
    #expect(output.takeWaiting().isEmpty)
  }

  @Test("a first state or a large commit that was not written yet is not passed")
  func parked() throws {
    let early = follower()
    _ = early.receive(lists(0))
    early.close()
    #expect(early.token == nil)
    let follower = started()
    _ = follower.receive(lists(1))
    _ = follower.takeWork()
    #expect(follower.receive(lists(2, changes: 1000)) == .pause)
    #expect(follower.token == token(1))
    follower.close()
    #expect(follower.token == token(1))
  }

  @Test("what the filter keeps back is passed")
  func keptBack() {
    let follower = started()
    #expect(follower.receive(lists(1, kind: "film")) == .more)
    #expect(follower.token == token(1))
    #expect(follower.takeWork().reached == nil)
    #expect(output.takeWaiting().isEmpty)
  }

  @Test("whoever takes a commit out of the buffer finds its place, however close they come")
  func neverBehind() {
    let follower = started()
    let output = output
    let all = (Int64(1)...3000).map { lists($0) }
    let asked = Atomic(0)
    let thread = Thread {
      for (place, lists) in all.enumerated() {
        while asked.load(ordering: .acquiring) <= place { sched_yield() }
        _ = follower.receive(lists)
      }
    }
    thread.start()
    for revision in Int64(1)...3000 {
      asked.store(Int(revision), ordering: .releasing)
      while output.takeWaiting().isEmpty { sched_yield() }
      #expect(follower.token == token(revision))
    }
  }

  @Test("SIGTERM beside a busy writer: the cursor file is the last cursor written, every time")
  func signalBesideWriter() throws {
    let sandbox = try Sandbox()
    _ = try sandbox.run("save", "-f", "/dev/null")
    let writer = try sandbox.start("run", "-f", "-", input: .pipe, output: .file("/dev/null"))
    let isOver = Atomic(false)
    let sender = Thread {
      var number = 0
      while !isOver.load(ordering: .acquiring) {
        // Each line waits for the one before, so that it is a commit of its own.
        writer.send(
          "save '{\"id\":\"book:x:\(number % 50)\",\"title\":\"\(number)\"}'\nwait\n")
        number += 1
      }
      writer.closeInput()
    }
    sender.start()
    let file = sandbox.path("cursor.json")
    var seen: [Int64] = []
    for _ in 0..<12 {
      let child = try sandbox.start(
        "watch", "--since", "start", "--cursor-file", file, "--heartbeat", "off")
      var records: [FreshetCLITests.Record] = []
      while records.count < 40, let record = try child.nextRecord() { records.append(record) }
      child.signal(SIGTERM)
      records += try child.rest()
      #expect(child.wait() == .signaled(SIGTERM))
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let last = try #require(records.compactMap(\.cursor).last)
      #expect(text == "{\"cursor\":\"\(last)\"}\n")
      seen += records.filter { $0.type.hasPrefix("item.") }.compactMap(\.revision)
    }
    isOver.store(true, ordering: .releasing)
    #expect(writer.wait() == .exited(0))
    // No commit twice, none left out.
    #expect(seen == (1...Int64(seen.count)).map { $0 })
  }
}
