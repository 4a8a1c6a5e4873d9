import Foundation
import FreshetStore
import FreshetTestServer
import Testing

@testable import FreshetCLI

@Suite("freshet guidance")
struct GuidanceTests {
  private let sandbox: Sandbox

  private static let students = """
    {"id":202110101,"grade":1,"classNumber":1,"number":1,"name":"가나다"}
    {"id":202120817,"grade":2,"classNumber":8,"number":17,"name":"라마바","club":"chess"}
    """

  init() throws {
    sandbox = try Sandbox()
    _ = try sandbox.run("guidance", "students", "-f", "-", input: Self.students)
  }

  private func phases(_ run: Run, _ view: String = "guidance") -> [String] {
    run.all("view.changed").filter { $0.object["view"]?.stringValue == view }.map { record in
      ["from", "cause", "to"].map { record[$0]?.stringValue ?? "" }.joined(separator: " ")
    }
  }

  @Test("students: added, listed, shown by number; a bad line costs only itself")
  func students() throws {
    let run = try sandbox.run(
      "guidance", "students", "-f", "-",
      input: "nope\n{\"id\":5}\n\(Self.students)\n{\"id\":7,\"grade\":1,\"classNumber\":1,"
        + "\"number\":2,\"name\":\"x\"}")
    #expect(run.status == .exited(1))
    #expect(run.results.map { $0["outcome"] } == [nil, nil, "unchanged", "unchanged", "saved"])
    #expect(run.results.map(\.errorCode).prefix(2) == ["invalid_json", "invalid_student"])
    let list = try sandbox.run("guidance", "students")
    #expect(list.items == ["student:7", "student:202110101", "student:202120817"])
    #expect(list.all("snapshot.item")[2]["item"]?.objectValue?["club"] == "chess")
    #expect(try sandbox.run("guidance", "students", "202120817").items == ["student:202120817"])
    let none = try sandbox.run("guidance", "students", "9")
    #expect(none.status == .exited(1))
    #expect(none.results.map(\.errorCode) == ["unknown_student"])
    let malformed = try sandbox.run("guidance", "students", "12abc")
    #expect(malformed.status == .exited(1))
    #expect(malformed.results.map(\.errorCode) == ["invalid_student_id"])
  }

  @Test("register: through the screen's states, with the record in the end")
  func register() throws {
    let run = try sandbox.run("guidance", "register", "202110101", "기타", "뛰어다님")
    #expect(
      phases(run, "register") == [
        "ready choose enteringDetail", "enteringDetail detail submitting",
        "submitting registered registered", "registered ok ready",
      ])
    #expect(run.results.first?.id == "guidance:1")
    #expect(
      run.all("view.changed")[2]["state"]?.objectValue?["message"]
        == "1학년 1반 1번 가나다\n기타(뛰어다님)")
    #expect(run.all("view.notice").map { $0["notice"] } == ["backToStart"])
  }

  @Test(
    "words that say what cannot be: exit 1, nothing written, and the same in a script",
    arguments: [
      (["register", "202110101", "복장 불량", "x"], "detail_not_allowed"),
      (["register", "202110101", "기타"], "detail_required"),
      (["register", "202110101", "기타", " "], "detail_required"),
      (["register", "202110101", "지각"], "invalid_reason"),
      (["register", "202110101", "기타", String(repeating: "x", count: 4097)], "detail_too_long"),
      (["register", "x", "shoes"], "invalid_student_id"),
      (["restore", "12abc"], "invalid_guidance_id"),
      (["delete", "abc", "--yes"], "invalid_guidance_id"),
      (["complete", "-1"], "invalid_guidance_id"),
      (["delay", "guidance:x", "2026-03-05"], "invalid_guidance_id"),
      (["delay", "1", "2026-02-30"], "invalid_date"),
    ])
  func refused(words: [String], code: String) throws {
    // A number below zero would be taken for an option.
    let run = try sandbox.run(
      ["guidance"] + words.filter { $0 == "--yes" } + ["--"] + words.filter { $0 != "--yes" },
      bytes: nil)
    #expect(run.status == .exited(1))
    #expect(run.results.map(\.errorCode) == [code])
    #expect(run.results.map { $0["op"]?.stringValue } == [words[0]])
    let line = words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
      .replacing("delete abc", with: "delete guidance:abc")
      .replacing("restore 12abc", with: "restore guidance:12abc")
    let script = try sandbox.run("run", "-f", "-", input: line + "\n")
    #expect(script.status == .exited(1))
    #expect(script.results.map(\.errorCode) == [code])
    #expect(try sandbox.run("guidance", "list").items.isEmpty)
  }

  @Test(
    "too few words, or too many: exit 2, on the command line and in a script",
    arguments: [
      (["register", "202110101"], "register needs a student's number, a reason"),
      (["register", "202110101", "shoes", "x", "y"], "guidance does not take “y”"),
      (["complete"], "complete needs a guidance's number"),
      (["complete", "1", "2"], "complete needs a guidance's number"),
      (["delay", "1"], "delay needs a guidance's number and a day"),
      (["list", "x"], "guidance list does not take “x”"),
      ([], "guidance needs ACTION: students, register"),
    ])
  func shape(words: [String], message: String) throws {
    let run = try sandbox.run(["guidance"] + words, bytes: nil)
    #expect(run.status == .exited(2))
    let error = run.all("stream.error").first
    #expect(error?.errorCode == "bad_arguments")
    let told = error?["error"]?.objectValue?["message"]?.stringValue ?? ""
    #expect(told.hasPrefix(message), "\(told)")
    guard ["register", "complete", "delay"].contains(words.first), words.count < 5 else { return }
    let script = try sandbox.run(
      "run", "-f", "-", input: words.joined(separator: " ") + "\n")
    #expect(script.status == .exited(2))
    #expect(script.results.map(\.errorCode) == ["bad_words"])
  }

  @Test(
    "an option that would do nothing is refused",
    arguments: [
      ["list", "--grade", "2"], ["list", "--class", "8"],
      ["list", "--filter", "all", "--grade", "2"],
      ["list", "--filter", "my-grade", "--class", "8"], ["list", "--yes"],
      ["students", "--yes"], ["restore", "1", "--yes"], ["students", "--filter", "my-class"],
      ["register", "202110101", "shoes", "--filter", "my-class"],
      ["register", "202110101", "shoes", "--grade", "1"],
    ])
  func meaningless(words: [String]) throws {
    let run = try sandbox.run(["guidance"] + words, bytes: nil)
    #expect(run.status == .exited(2))
    #expect(run.all("stream.error").map(\.errorCode) == ["bad_option"])
    #expect(try sandbox.run("guidance", "list").items.isEmpty)
  }

  @Test("R-25 on a terminal a delete asks first: with the record, and only 삭제 deletes")
  func question() throws {
    _ = try sandbox.run("guidance", "register", "202110101", "기타", "뛰어다님")
    for (answer, isDeleted) in [("취소\n", false), ("\u{4}", false), ("n\n", false), ("삭제\n", true)] {
      let child = try sandbox.start("guidance", "delete", "1", input: .terminal)
      try child.waitForScreen("[취소/삭제, n/y]")
      for line in ["정말 삭제하시겠습니까?", "1학년 1반 1번 가나다", "기타(뛰어다님)"] {
        #expect(child.screen.contains(line), "\(child.screen)")
      }
      child.send(answer)
      let records = try child.rest()
      #expect(child.wait() == .exited(isDeleted ? 0 : 1), "\(answer)")
      let steps = records.filter { $0.type == "view.changed" }.compactMap {
        $0["cause"]?.stringValue
      }
      #expect(
        steps == ["appear", "fetched", "requestDelete"]
          + (isDeleted ? ["confirm", "deleted"] : ["cancel"]))
      let result = try #require(records.first { $0.type == "cmd.result" })
      #expect(result.errorCode == (isDeleted ? nil : "needs_confirmation"))
      #expect(try sandbox.run("guidance", "list").items == (isDeleted ? [] : ["guidance:1"]))
    }
  }

  @Test("R-21 on a terminal 기타 asks for its detail; a blank one, or none, is refused")
  func detail() throws {
    for (answer, isRegistered) in [(" 뛰어다님 \n", true), ("\n", false), ("\u{4}", false)] {
      let child = try sandbox.start("guidance", "register", "202110101", "기타", input: .terminal)
      try child.waitForScreen("기타: say what it is")
      child.send(answer)
      let records = try child.rest()
      #expect(child.wait() == .exited(isRegistered ? 0 : 1), "\(answer)")
      let result = try #require(records.first { $0.type == "cmd.result" })
      #expect(result.errorCode == (isRegistered ? nil : "detail_required"))
      let steps = records.filter { $0.type == "view.changed" }.compactMap {
        $0["to"]?.stringValue
      }
      #expect(steps.prefix(1) == ["enteringDetail"])
      guard isRegistered else { continue }
      let told = try #require(records.last { $0["to"] == "registered" })
      #expect(told["state"]?.objectValue?["detail"] == "뛰어다님")
    }
    // Where there is no terminal nobody is asked.
    let run = try sandbox.run("guidance", "register", "202110101", "기타", input: "x\n")
    #expect(run.results.map(\.errorCode) == ["detail_required"])
    #expect(run.status == .exited(1))
  }

  @Test("register: an unknown student is exit 1")
  func unknownStudent() throws {
    let run = try sandbox.run("guidance", "register", "5", "shoes")
    #expect(run.status == .exited(1))
    #expect(run.results.map(\.errorCode) == ["unknown_student"])
  }

  @Test("list: filtered by grade and class, which are settings")
  func filters() throws {
    _ = try sandbox.run("guidance", "register", "202110101", "shoes")
    _ = try sandbox.run("guidance", "register", "202120817", "clothes")
    #expect(try sandbox.run("guidance", "list").items == ["guidance:1", "guidance:2"])
    #expect(
      try sandbox.run("guidance", "list", "--filter", "my-class", "--grade", "2", "--class", "8")
        .items == ["guidance:2"])
    #expect(try sandbox.run("guidance", "list", "--filter", "my-grade").items == ["guidance:1"])
    let environment = [
      "FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path, "FRESHET_GRADE": "2",
      "FRESHET_CLASS": "8",
    ]
    #expect(
      try sandbox.run(["guidance", "list", "--filter", "my-class"], bytes: nil, environment).items
        == ["guidance:2"])
    let none = try sandbox.run("guidance", "list", "--filter", "my-grade", "--grade", "3")
    #expect(none.items.isEmpty)
    #expect(
      none.all("view.changed").last?["state"]?.objectValue?["emptyForFilter"] == true)
    #expect(try sandbox.run("guidance", "list", "--filter", "mine").status == .exited(2))
    #expect(
      try sandbox.run("guidance", "list", "--filter", "my-grade", "--grade", "0").status
        == .exited(2))
  }

  @Test("delete: only when confirmed; restore, delay and complete; what is not there is exit 1")
  func changes() throws {
    _ = try sandbox.run("guidance", "register", "202110101", "shoes")
    let unconfirmed = try sandbox.run("guidance", "delete", "1")
    #expect(unconfirmed.status == .exited(2))
    #expect(unconfirmed.all("stream.error").map(\.errorCode) == ["needs_confirmation"])
    let deleted = try sandbox.run("guidance", "delete", "1", "--yes")
    #expect(
      phases(deleted) == [
        "idle appear loading", "loading fetched loaded", "loaded requestDelete confirming",
        "confirming confirm deleting", "deleting deleted loaded",
      ])
    #expect(try sandbox.run("guidance", "list").items.isEmpty)
    let again = try sandbox.run("guidance", "delete", "1", "--yes")
    #expect(again.results.map(\.errorCode) == ["not_found"])
    #expect(
      try sandbox.run("guidance", "restore", "guidance:1").results[0]["outcome"] == "restored")
    #expect(try sandbox.run("guidance", "restore", "1").results[0].errorCode == "wrong_status")
    #expect(try sandbox.run("guidance", "delay", "1", "2026-03-05").status == .exited(0))
    let list = try sandbox.run("guidance", "list").all("snapshot.item")
    #expect(list[0]["item"]?.objectValue?["date"] == "2026-03-05")
    #expect(try sandbox.run("guidance", "complete", "1").results[0]["outcome"] == "completed")
    #expect(try sandbox.run("guidance", "complete", "1").status == .exited(1))
    #expect(try sandbox.run("guidance", "fly").status == .exited(2))
  }

  @Test("students and guidances are no items: lists do not show them, delete --all spares them")
  func otherKinds() throws {
    _ = try sandbox.run("guidance", "register", "202110101", "shoes")
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"book:local:1\"}")
    #expect(try sandbox.run("list").items == ["book:local:1"])
    let dry = try sandbox.run("delete", "--all", "--dry-run")
    #expect(dry.results[0]["count"] == 1)
    let all = try sandbox.run("delete", "--all", "--yes")
    #expect(all.results[0]["count"] == 1)
    #expect(try sandbox.run("delete", "--all", "--yes").results[0]["changed"] == false)
    #expect(try sandbox.run("guidance", "list").items == ["guidance:1"])
    #expect(try sandbox.run("guidance", "students").items.count == 2)
    let script = try sandbox.run(
      "run", "-f", "-", input: "save '{\"id\":\"book:local:2\"}'\ndeleteAll\n")
    #expect(script.results[1]["count"] == 1)
    #expect(try sandbox.run("guidance", "students").items.count == 2)
  }

  @Test("on a server: the same commands, over its routes")
  func server() throws {
    let server = try GuidanceServer()
    let registered = try sandbox.run(
      "guidance", "register", "202110101", "기타", "뛰어다님", "--server", server.url)
    #expect(registered.results[0].id == "guidance:40")
    let list = try sandbox.run("guidance", "list", "--server", server.url)
    #expect(list.items == ["guidance:40"])
    #expect(
      list.all("snapshot.item")[0]["item"]?.objectValue?["profileImageURL"]
        == "https://img.example/p.png")
    #expect(
      try sandbox.run("guidance", "students", "--server", server.url).items
        == ["class:1:1", "class:2:8"])
    #expect(
      try sandbox.run("guidance", "students", "202120817", "--server", server.url).items
        == ["student:202120817"])
    let restore = try sandbox.run("guidance", "restore", "40", "--server", server.url)
    #expect(restore.results.map(\.errorCode) == ["not_supported"])
    let deleted = try sandbox.run("guidance", "delete", "40", "--yes", "--server", server.url)
    #expect(deleted.status == .exited(0))
    server.answer("GET /guidances", with: .json("{\"isSuccess\":true,\"code\":1000}"))
    let missing = try sandbox.run("guidance", "list", "--server", server.url)
    #expect(missing.status == .exited(1))
    #expect(missing.results.map(\.errorCode) == ["missing_result"])
    // The store was not touched.
    #expect(try sandbox.run("guidance", "list").items.isEmpty)
    #expect(try sandbox.run("guidance", "list", "--server", "ftp://x").status == .exited(2))
  }

  @Test("the whole flow as a script, against its golden transcript")
  func golden() throws {
    let script = """
      # register with 기타, filter, delete with confirmation, restore
      register 202110101 기타 '복도에서 뛰어다님'
      {"id":"r2","op":"register","student":"202120817","reason":"복장 불량"}
      {"op":"register","student":202120817,"reason":"무단횡단","detail":"x"}
      {"op":"register","student":"999","reason":"무단횡단"}
      filter my-class --grade 1 --class 1
      list --view guidance
      delete guidance:1
      {"id":"d1","op":"delete","item":"guidance:1","yes":true}
      delete guidance:1 --yes
      restore guidance:1
      {"op":"filter","filter":"all"}
      {"op":"delay","item":"guidance:2","date":"2026-03-05"}
      delay 2 2026-02-30
      complete 2
      list --view guidance
      """
    let run = try sandbox.run("run", "-f", "-", input: script)
    #expect(run.status == .exited(1))
    try Transcript.check(run, "guidance-script")
  }

  @Test("a grade with a filter that has none is refused, by the command and in a script")
  func filterOptions() throws {
    for (filter, option) in [("all", "grade"), ("all", "class"), ("my-grade", "class")] {
      let command = try sandbox.run(
        "guidance", "list", "--filter", filter, "--\(option)", "2")
      #expect(command.status == .exited(2))
      for line in [
        "filter \(filter) --\(option) 2", #"{"op":"filter","filter":"\#(filter)","\#(option)":2}"#,
      ] {
        let script = try sandbox.run("run", "-f", "-", input: line + "\n")
        #expect(script.results.map(\.errorCode) == ["bad_value"], "\(line)")
      }
    }
    let fine = try sandbox.run("run", "-f", "-", input: "filter my-class --grade 2 --class 8\n")
    #expect(fine.status == .exited(0))
  }

  @Test(
    "a number that cannot be: the message says which it is, and what is allowed",
    arguments: [
      (["list", "--filter", "my-grade", "--grade", "0"], 2, "--grade must be a whole number from"),
      (["list", "--filter", "my-class", "--class", "x"], 2, "--class must be a whole number from"),
      (["register", "202110101", "shoes", "--grade", "0"], 2, "--grade is not for"),
      (["delete", "0", "--yes"], 1, "a guidance's number is a whole number from 1"),
      (["delay", "x", "2026-01-01"], 1, "a guidance's number is a whole number from 1"),
      (["students", "0"], 1, "a student's number is a whole number from 1"),
    ])
  func numbers(words: [String], exit: Int32, message: String) throws {
    let run = try sandbox.run(["guidance"] + words, bytes: nil)
    #expect(run.status == .exited(exit))
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test("a setting that cannot be is told by where it stands")
  func settings() throws {
    let environment = ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path]
    let words = ["guidance", "list", "--filter", "my-grade"]
    let variable = try sandbox.run(
      words, bytes: nil, environment.merging(["FRESHET_GRADE": "0"]) { $1 })
    #expect(variable.errors.contains("FRESHET_GRADE must be a whole number from 1, not “0”"))
    let file = try sandbox.file("config.json", #"{"grade":"first"}"#)
    let config = try sandbox.run(words + ["--config", file], bytes: nil, environment)
    #expect(config.errors.contains("grade in \(file) must be a whole number from 1, not “first”"))
  }

  @Test("a student that would not fit into a line is refused by itself")
  func longStudent() throws {
    let names = String(repeating: "\u{7F}", count: 200_000)
    let student = #"{"id":7,"grade":1,"classNumber":1,"number":1,"name":""#
    let run = try sandbox.run(
      "guidance", "students", "-f", "-", input: student + names + "\"}\n" + student + "x\"}\n")
    #expect(run.results.map(\.errorCode) == ["too_large", nil])
    #expect(!run.errors.contains("operation"))
  }

  @Test("a restore of what never was says so")
  func restoreUnknown() throws {
    let run = try sandbox.run("guidance", "restore", "999")
    #expect(run.results.map(\.errorCode) == ["not_found"])
    #expect(run.errors.contains("no guidance 999, open or deleted"))
  }

  @Test("a script: guidances cannot be part of a transaction; --dry-run writes nothing")
  func scriptLimits() throws {
    let run = try sandbox.run("run", "-f", "-", input: "begin\nregister 202110101 shoes\ncommit\n")
    #expect(run.results.compactMap(\.errorCode).first == "not_in_transaction")
    let dry = try sandbox.run(
      "run", "--dry-run", "-f", "-",
      input: "register 202110101 shoes\nregister 5 shoes\ncomplete 2\nselect 1\n")
    #expect(dry.results.map { $0["dry"] } == [true, true, true, true])
    #expect(
      dry.results.map(\.errorCode) == [nil, "unknown_student", "not_found", "invalid_index"])
    #expect(try sandbox.run("guidance", "list").items.isEmpty)
  }

  @Test("watch guidance: the state, then a transition per commit, resumable")
  func watch() throws {
    _ = try sandbox.run("guidance", "register", "202110101", "shoes")
    let child = try sandbox.start("watch", "guidance", "--grade", "1", "--count", "1")
    let bookmark = try child.record("stream.bookmark")
    _ = try sandbox.run("guidance", "register", "202110101", "clothes")
    let change = try child.record("view.changed")
    #expect(change["cause"] == "externalChange")
    #expect(change["state"]?.objectValue?["visible"] == 2)
    #expect(change["diff"]?.objectValue?["inserted"]?.arrayValue?.count == 1)
    #expect(try child.record("stream.end")["reason"] == "count")
    #expect(child.wait() == .exited(0))
    let cursor = try #require(bookmark.cursor)
    let again = try sandbox.run(
      "watch", "guidance", "--grade", "1", "--since", cursor, "--count", "1")
    #expect(again.all("view.changed").map { $0["cause"] } == ["externalChange"])
    // A cursor of one filter fits no other.
    #expect(try sandbox.run("watch", "guidance", "--since", cursor).status == .exited(2))
    #expect(try sandbox.run("watch", "--grade", "1").status == .exited(2))
    #expect(try sandbox.run("watch", "guidance", "--class", "1").status == .exited(2))
  }
}
