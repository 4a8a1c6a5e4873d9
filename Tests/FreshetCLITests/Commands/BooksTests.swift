import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("freshet books, folds, views of books")
struct BooksTests {
  private let sandbox: Sandbox
  private let long = String(repeating: "가", count: 451)

  init() throws { sandbox = try Sandbox() }

  private func file(_ books: (title: String, summary: String)...) throws -> String {
    let rows = books.map { book in
      "{\"attributes\":{\"title\":\"\(book.title)\",\"summary\":\"\(book.summary)\","
        + "\"release_date\":\"2007-07-2\",\"chapters\":[{\"title\":\"1. One\"}]}}"
    }
    return try sandbox.file("series.json", "{\"data\":[\(rows.joined(separator: ","))]}")
  }

  private func text(_ run: Run) -> JSONObject {
    run.all("snapshot.item").first?["summary"]?.objectValue ?? [:]
  }

  @Test("load, list, select, show: kept from one command to the next")
  func whole() throws {
    let path = try file(("One", "short"), ("Two", long))
    let load = try sandbox.run("books", "load", path)
    #expect(load.results.map { $0["count"] } == [2])
    #expect(load.all("view.changed").map { $0["to"] } == ["loading", "loaded"])
    #expect(try sandbox.run("books", "list").items == ["series:One", "series:Two"])
    #expect(try sandbox.run("books", "show").items == ["series:One"])
    #expect(text(try sandbox.run("books", "show"))["fold"] == "short")
    #expect(try sandbox.run("books", "select", "2").results[0]["outcome"] == "selected")
    #expect(try sandbox.run("books", "select", "2").results[0]["changed"] == false)
    let shown = try sandbox.run("books", "show")
    #expect(shown.items == ["series:Two"])
    #expect(text(shown)["fold"] == "expanded")
    #expect(text(shown)["button"] == "접기")
    #expect(shown.all("snapshot.item")[0]["release_line"] == "July 2, 2007")
    let selected = try sandbox.run("books", "list").all("snapshot.item").map { $0["selected"] }
    #expect(selected == [false, true])
  }

  @Test("show --fold, --unfold, --toggle-fold: kept per book")
  func folds() throws {
    _ = try sandbox.run("books", "load", try file(("Two", long), ("One", long)))
    let folded = try sandbox.run("books", "show", "--fold")
    #expect(folded.results[0]["outcome"] == "folded")
    #expect(text(folded)["text"]?.stringValue?.count == 453)
    #expect(text(folded)["button"] == "더보기")
    #expect(try sandbox.run("books", "show", "--fold").results[0]["changed"] == false)
    _ = try sandbox.run("books", "select", "2")
    #expect(text(try sandbox.run("books", "show"))["fold"] == "expanded")
    _ = try sandbox.run("books", "select", "1")
    #expect(text(try sandbox.run("books", "show"))["fold"] == "folded")
    #expect(try sandbox.run("books", "show", "--toggle-fold").results[0]["outcome"] == "expanded")
    #expect(try sandbox.run("books", "show", "--fold", "--unfold").status == .exited(2))
    #expect(try sandbox.run("books", "list", "--fold").status == .exited(2))
  }

  @Test("what cannot be loaded, chosen or shown says so, and what was there stays")
  func failures() throws {
    #expect(try sandbox.run("books", "show").status == .exited(7))
    for path in [sandbox.path("none.json"), "/usr"] {
      let missing = try sandbox.run("books", "load", path)
      #expect(missing.status == .exited(2) && missing.results.isEmpty)
      #expect(missing.all("stream.error").map(\.errorCode) == ["unreadable_input"])
      #expect(missing.errors.contains(path), "\(missing.errors)")
    }
    let nothing = try sandbox.run("books", "show")
    #expect(nothing.results.map(\.errorCode) == ["not_found"])
    _ = try sandbox.run("books", "load", try file(("One", "x")))
    let bad = try sandbox.file("bad.json", "{\"data\":[{\"attributes\":{}}]}")
    #expect(try sandbox.run("books", "load", bad).results.map(\.errorCode) == ["bad_record"])
    #expect(
      try sandbox.run("books", "load", "-", input: "[").results.map(\.errorCode) == ["bad_json"])
    #expect(try sandbox.run("books", "list").items == ["series:One"])
    #expect(try sandbox.run("books", "select", "2").results.map(\.errorCode) == ["invalid_index"])
    #expect(try sandbox.run("books", "select", "x").results.map(\.errorCode) == ["bad_value"])
    #expect(try sandbox.run("books", "select").status == .exited(2))
    #expect(try sandbox.run("books", "burn").status == .exited(2))
  }

  @Test("a book that would not fit into a line is refused by its place, whatever is long in it")
  func limits() throws {
    let least = ContentItem.sizeLimitBytes
    for (book, words) in [
      (("One", String(repeating: "x", count: least)), "more than the 1 MiB"),
      ((String(repeating: "t", count: 513), ""), "its title, which stands for one, has 513 bytes"),
    ] {
      let run = try sandbox.run("books", "load", try file(("Zero", ""), book))
      #expect(run.status == .exited(1))
      #expect(run.results.map(\.errorCode) == ["bad_record"])
      #expect(run.errors.contains("book 2 of the file") && run.errors.contains(words))
      #expect(!run.errors.contains("operation"))
    }
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    let text = "{\"data\":[{\"attributes\":{\"title\":\"One\",\"x\":\(deep)}}]}"
    let nested = try sandbox.run("books", "load", try sandbox.file("deep.json", text))
    #expect(nested.results.map(\.errorCode) == ["bad_record"])
    #expect(nested.errors.contains("200 levels"))
  }

  @Test("the longest book that is taken fits into its lines, and so does a title as long as it")
  func longest() throws {
    let row = #"{"id":"1","attributes":{"title":"TITLE","release_date":"DATE"}}"#
    for (long, short) in [("TITLE", "DATE"), ("DATE", "TITLE")] {
      let room = ContentItem.sizeLimitBytes - row.utf8.count + long.utf8.count
      let text = row.replacing(short, with: short.lowercased())
        .replacing(long, with: String(repeating: "x", count: room))
      let path = try sandbox.file("long.json", "{\"data\":[\(text)]}")
      let runs = [
        try sandbox.run("books", "load", path), try sandbox.run("books", "list"),
        try sandbox.run("books", "show"), try sandbox.run("watch", "books", "--initial", "only"),
      ]
      for run in runs {
        #expect(run.status == .exited(0), "\(run.errors)")
        #expect(run.records.allSatisfy { $0.text.utf8.count <= 1 << 20 })
      }
      let items = runs.flatMap { $0.all("snapshot.item") }
      #expect(items.count == 3)
      #expect(
        items.allSatisfy { $0["item"].map { $0.jsonBytes.count } == ContentItem.sizeLimitBytes })
    }
  }

  @Test("show ID: the text of an item is folded and unfolded too")
  func show() throws {
    _ = try sandbox.run(
      "save", "-f", "-", input: "{\"id\":\"book:local:1\",\"overview\":\"\(long)\"}")
    #expect(text(try sandbox.run("show", "book:local:1"))["fold"] == "expanded")
    let folded = try sandbox.run("show", "book:local:1", "--toggle-fold")
    #expect(folded.results[0]["outcome"] == "folded")
    #expect(
      folded.all("view.changed").map { $0["cause"] } == ["open", "found", "fold"])
    #expect(text(try sandbox.run("show", "book:local:1"))["fold"] == "folded")
    let none = try sandbox.run("show", "book:local:2", "--fold")
    #expect(none.status == .exited(1))
    #expect(none.results.map(\.errorCode) == ["not_found"])
  }

  @Test("books and folds as a script, against its golden transcript")
  func golden() throws {
    let overview = String(repeating: "x", count: 450)
    let script = """
      save '{"id":"book:local:1","title":"t","overview":"\(overview)"}'
      fold book:local:1
      {"op":"fold","item":"book:local:1"}
      toggleFold book:local:1
      unfold book:local:1
      fold book:local:9
      {"op":"select","book":2}
      select 9
      list --view books
      list --view nonsense
      """
    _ = try sandbox.run("books", "load", try file(("One", "a"), ("Two", "b")))
    let run = try sandbox.run("run", "-f", "-", input: script)
    try Transcript.check(run, "books-script")
  }

  @Test("watch books: books, and the summary of the one that is shown")
  func watchBooks() throws {
    _ = try sandbox.run("books", "load", try file(("One", long), ("Two", long)))
    let child = try sandbox.start("watch", "books", "--count", "2")
    _ = try child.record("stream.bookmark")
    _ = try sandbox.run("books", "show", "--fold")
    let fold = try child.record("view.changed")
    #expect(fold.object["view"] == "summary")
    #expect(fold["to"] == "folded")
    _ = try sandbox.run("books", "select", "2")
    #expect(try child.record("view.changed")["state"]?.objectValue?["title"] == "Two")
    #expect(try child.record("stream.end")["reason"] == "count")
    #expect(child.wait() == .exited(0))
  }

  @Test("watch detail ID and watch saved follow what other processes do")
  func watchOthers() throws {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"film:local:1\"}")
    let detail = try sandbox.start("watch", "detail", "book:local:1", "--count", "2")
    let first = try detail.record("view.changed")
    #expect(first["to"] == "loading")
    _ = try detail.record("stream.bookmark")
    let saved = try sandbox.start("watch", "saved", "--count", "2")
    _ = try saved.record("stream.bookmark")
    _ = try sandbox.run(
      "save", "-f", "-", input: "{\"id\":\"book:local:1\"}\n{\"id\":\"film:local:2\"}")
    _ = try sandbox.run("delete", "book:local:1")
    let steps = try detail.rest()
    #expect(
      steps.filter { $0.type == "view.changed" }.map { $0["to"] } == ["shown", "shown"])
    #expect(detail.wait() == .exited(0))
    let told = try saved.rest()
    #expect(
      told.map(\.type) == [
        "item.added", "view.changed", "item.removed", "view.changed", "stream.end",
      ])
    #expect(saved.wait() == .exited(0))
    #expect(try sandbox.run("watch", "detail").status == .exited(2))
    #expect(try sandbox.run("watch", "detail", "x").status == .exited(2))
    #expect(try sandbox.run("watch", "saved", "x").status == .exited(2))
  }
}
