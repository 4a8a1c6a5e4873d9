import Foundation
import Freshet
import FreshetCatalog
import Testing

@testable import FreshetModels
@testable import FreshetStore

@Suite("Folding texts")
struct TextFoldTests {
  private func text(_ count: Int, of cluster: String = "가") -> String {
    String(repeating: cluster, count: count)
  }

  @Test("449, 450, 451 characters: the button shows from 450 on", arguments: [449, 450, 451])
  func limit(count: Int) {
    let canFold = count >= 450
    #expect(TextFold(of: text(count), isFolded: false) == (canFold ? .expanded : .short))
    #expect(TextFold(of: text(count), isFolded: true) == (canFold ? .folded : .short))
  }

  @Test("folded: the first 450 characters and an ellipsis; expanded and short: all of it")
  func shown() {
    let long = text(451)
    #expect(TextFold.folded.shown(of: long) == text(450) + "...")
    #expect(TextFold.expanded.shown(of: long) == long)
    // At exactly 450 the ellipsis hides nothing, and is there all the same.
    #expect(TextFold.folded.shown(of: text(450)) == text(450) + "...")
    #expect(TextFold.folded.button == "더보기")
    #expect(TextFold.expanded.button == "접기")
    #expect(TextFold.short.button == nil)
  }

  @Test(
    "characters are grapheme clusters, and none is cut",
    arguments: ["👨‍👩‍👧‍👦", "\u{1112}\u{1161}\u{11AB}", "\r\n", "e\u{301}"])
  func clusters(cluster: String) {
    #expect(TextFold(of: text(449, of: cluster), isFolded: true) == .short)
    #expect(TextFold(of: text(450, of: cluster), isFolded: true) == .folded)
    let shown = TextFold.folded.shown(of: text(460, of: cluster))
    #expect(Array(shown.unicodeScalars) == Array((text(450, of: cluster) + "...").unicodeScalars))
  }
}

@Suite("Summary: the state machine")
struct SummaryReduceTests {
  typealias Model = SummaryModel

  private let long = String(repeating: "x", count: 450)
  private let full = StoreError(.diskFull, "The disk is full.")

  private func shown(_ text: String, isFolded: Bool) -> Step<Model> {
    Step<Model>(state: Model.State())
      .after(.configure(key: "k", text: text), .read(.success(isFolded), request: 1))
  }

  @Test("configure: short, folded or expanded, and nothing is written")
  func configure() {
    #expect(shown("abc", isFolded: false).phases.last == "configuring read short")
    // A stored fold never hides a part of a text that is short.
    #expect(shown("abc", isFolded: true).phases.last == "configuring read short")
    #expect(shown(long, isFolded: true).phases.last == "configuring read folded")
    #expect(shown(long, isFolded: false).phases.last == "configuring read expanded")
    #expect(shown(long, isFolded: true).effects == [.read(key: "k", request: 1)])
  }

  @Test("short, toggle: ignored, nothing stored")
  func short() {
    let step = shown("abc", isFolded: false).then(.toggle)
    #expect(step.effects.isEmpty && step.transitions.isEmpty)
    #expect(step.notices == [.nothingToFold])
  }

  @Test("expanded, toggle: stored first, folded then; and the other way round")
  func toggle() {
    let step = shown(long, isFolded: false).then(.toggle)
    #expect(step.effects == [.write(key: "k", isFolded: true, request: 2)])
    #expect(step.transitions.isEmpty)
    let folded = step.then(.written(.success(true), request: 2))
    #expect(folded.phases == ["expanded fold folded"])
    let back = folded.then(.toggle, .written(.success(false), request: 3))
    #expect(back.phases == ["folded unfold expanded"])
    #expect(back.effects == [.write(key: "k", isFolded: false, request: 3)])
  }

  @Test("what cannot be kept is not shown: notPersisted, the text as before")
  func notPersisted() {
    let step = shown(long, isFolded: false).then(.toggle, .written(.failure(full), request: 2))
    #expect(step.transitions.isEmpty)
    #expect(step.notices == [.notPersisted(ScreenError(full))])
    #expect(step.state.fold == .expanded)
  }

  @Test("what cannot be looked up is shown whole, and said")
  func notRead() {
    let step = Step<Model>(state: Model.State())
      .after(.configure(key: "k", text: long), .read(.failure(full), request: 1))
    #expect(step.state.fold == .expanded)
    #expect(step.phases.last == "configuring read expanded")
    #expect(step.notices == [.notRead(ScreenError(full))])
  }

  @Test("taps while it is being kept wait for their turn: three taps are one change in the end")
  func taps() {
    var step = shown(long, isFolded: false).then(.toggle, .toggle, .toggle)
    #expect(step.effects.count == 1)
    step = step.then(.written(.success(true), request: 2), .written(.success(false), request: 3))
    step = step.then(.written(.success(true), request: 4))
    #expect(step.state.fold == .folded)
    #expect(step.state.isSettled)
  }

  @Test("set to what it is already: unchanged")
  func unchanged() {
    #expect(shown(long, isFolded: true).then(.set(isFolded: true)).notices == [.unchanged])
  }

  @Test("another text: its own fold; an answer about the one before is stale")
  func reconfigure() {
    let step = shown(long, isFolded: true).then(.configure(key: "l", text: long))
    #expect(step.state.shownText == long)
    #expect(step.then(.written(.success(true), request: 1)).notices == [.staleIgnored])
    #expect(step.then(.read(.success(true), request: 1)).notices == [.staleIgnored])
    #expect(step.state.phase == .configuring)
    let quiet = shown(long, isFolded: false)
    #expect(quiet.then(.read(.success(true), request: 1)).notices == [.staleIgnored])
    #expect(quiet.then(.written(.success(true), request: 1)).notices == [.staleIgnored])
    // A tap on the text before, and what waited behind it, are of no concern to this one.
    let tapped = shown(long, isFolded: false).then(
      .toggle, .toggle, .configure(key: "l", text: long))
    #expect(tapped.state.key == "l")
    let read = tapped.then(.read(.success(false), request: 3))
    #expect(read.effects.isEmpty)
    #expect(read.then(.written(.success(true), request: 2)).notices == [.staleIgnored])
    #expect(read.then(.toggle).effects == [.write(key: "l", isFolded: true, request: 4)])
    #expect(
      read.then(.toggle, .written(.success(true), request: 3)).notices == [.staleIgnored])
  }

  @Test("a tap while it is being looked up waits; folded elsewhere meanwhile, its own answer tells")
  func meanwhile() {
    let start = Step<Model>(state: Model.State())
    let early = start.after(.configure(key: "k", text: long), .toggle)
    #expect(early.effects == [.read(key: "k", request: 1)])
    #expect(
      early.then(.read(.success(false), request: 1)).effects
        == [.write(key: "k", isFolded: true, request: 2)])
    #expect(early.then(.changed(isFolded: true)).transitions.isEmpty)
    let writing = shown(long, isFolded: false).then(.toggle, .changed(isFolded: true))
    #expect(writing.transitions.isEmpty)
    #expect(writing.then(.written(.success(true), request: 2)).phases == ["expanded fold folded"])
    #expect(start.then(.changed(isFolded: true)).transitions.isEmpty)
    #expect(start.then(.toggle).notices == [.nothingToFold])
    #expect(shown(long, isFolded: true).then(.changed(isFolded: false)).state.fold == .expanded)
    // Said to be wanted unfolded and folded: the last wish is what stays.
    let wishes = shown(long, isFolded: false).then(.set(isFolded: true), .set(isFolded: false))
    let kept = wishes.then(.written(.success(true), request: 2))
    #expect(kept.effects == [.write(key: "k", isFolded: false, request: 3)])
  }

  @Test("folded elsewhere: shown as externalChange, once")
  func external() {
    let step = shown(long, isFolded: false).then(.changed(isFolded: true), .changed(isFolded: true))
    #expect(step.phases == ["expanded externalChange folded"])
  }
}

@Suite("Books: the state machine")
struct BooksReduceTests {
  typealias Model = BooksModel

  private func series(_ titles: String..., selected: Int = 0) throws -> BookSeries {
    let rows = titles.map { "{\"attributes\":{\"title\":\"\($0)\"}}" }.joined(separator: ",")
    let read = try BookSeries(parsing: Array("{\"data\":[\(rows)]}".utf8))
    return BookSeries(read.books, selected: selected)
  }

  private func loaded(_ keeps: Bool = false) throws -> Step<Model> {
    Step<Model>(state: Model.State(keepsBooks: keeps))
      .after(.load, .read(.success(try series("One", "Two", "Three")), request: 1))
  }

  @Test("idle, load: loading; books: loaded with the first one shown")
  func load() throws {
    let step = try loaded()
    #expect(step.phases == ["idle load loading", "loading read loaded"])
    #expect(step.state.book?.title == "One")
    #expect(step.transitions[1].diff.inserted.count == 3)
    #expect(step.effects == [.read(request: 1)])
  }

  @Test("loading: no books is empty, a file that is none is failed, books of before stay")
  func ends() throws {
    let empty = Step<Model>(state: Model.State())
      .after(.load, .read(.success(BookSeries([])), request: 1))
    #expect(empty.phases.last == "loading read empty")
    let bad = BookFileError(.badRecord, "book 2", index: 1)
    let failed = try loaded().then(.load, .read(.failure(bad), request: 2))
    #expect(failed.phases == ["loaded load loading", "loading failure failed"])
    #expect(failed.state.books.count == 3)
    #expect(failed.then(.load).phases == ["failed load loading"])
  }

  @Test("select: in range, out of range, the current one")
  func select() throws {
    let step = try loaded().then(.select(1))
    #expect(step.phases == ["loaded select loaded"])
    #expect(step.state.book?.title == "Two")
    #expect(step.effects == [.keepChoice("Two")])
    for index in [-1, 3, Int.max] {
      let out = try loaded().then(.select(index))
      #expect(out.notices == [.invalidIndex(index)])
      #expect(out.transitions.isEmpty && out.effects.isEmpty)
    }
    #expect(try loaded().then(.select(0)).notices == [.alreadySelected])
    #expect(try loaded().then(.select(0)).transitions.isEmpty)
  }

  @Test("what is to be kept is kept, or said not to be; the screen shows it either way")
  func keep() throws {
    let step = try loaded(true)
    #expect(step.effects.count == 2)
    #expect(!step.state.isSettled)
    #expect(step.then(.kept(.success(()))).notices == [.kept])
    let full = BookFileError(StoreError(.diskFull, "full"))
    let failed = step.then(.kept(.failure(full)))
    #expect(failed.notices == [.notPersisted(ScreenError(full))])
    #expect(failed.state.phase == .loaded)
  }

  @Test("loaded elsewhere: shown; an answer that is not asked for: stale")
  func external() throws {
    let step = try loaded().then(.changed(try series("One", "Four", selected: 1)))
    #expect(step.phases == ["loaded externalChange loaded"])
    #expect(step.state.book?.title == "Four")
    #expect(step.transitions[0].diff.inserted.map(\.id) == ["Four"])
    #expect(
      try loaded().then(.read(.success(BookSeries([])), request: 1)).notices == [.staleIgnored])
    // Nothing is shown of books before they are asked for, and what is being read tells by itself.
    let start = Step<Model>(state: Model.State(keepsBooks: false))
    let changed = Model.Event.changed(try series("Four"))
    for before in [start, start.after(.load), try loaded().then(.load)] {
      let step = before.then(changed)
      #expect(step.notices == [.staleIgnored])
      #expect(step.transitions.isEmpty)
    }
    let twice = try loaded().then(.load).then(
      .read(.success(try series("Four")), request: 1))
    #expect(twice.notices == [.staleIgnored])
    #expect(twice.state.phase == .loading)
    let failed = start.after(.load, .read(.failure(BookFileError(.missingFile, "no")), request: 1))
    #expect(failed.then(changed).phases == ["failed externalChange loaded"])
  }
}

/// Books and folds over a real store, across restarts.
@Suite("Books: the screens over a store")
struct BooksModelTests {
  private let long = String(repeating: "가", count: 460)

  private func file(_ titles: String...) -> [UInt8] {
    let rows = titles.map { "{\"attributes\":{\"title\":\"\($0)\",\"summary\":\"\(long)\"}}" }
    return Array("{\"data\":[\(rows.joined(separator: ","))]}".utf8)
  }

  private func load(_ bytes: [UInt8], into manager: DatabaseManager) async throws -> BooksModel {
    let source = Single(calling: { () throws(BookFileError) in try BookSeries(parsing: bytes) })
    let model = BooksModel(
      source: source, store: SeriesStore(manager: manager), keepsBooks: true)
    model.load()
    _ = try await model.settled().value()
    return model
  }

  private func read(_ manager: DatabaseManager) async throws -> BooksModel.State {
    let store = SeriesStore(manager: manager)
    let model = BooksModel(source: store.series(), store: store, keepsBooks: false)
    model.load()
    return try await model.settled().value()
  }

  @Test("books, choice and folds are there after a restart")
  func restart() async throws {
    let folder = try StoreFolder()
    let model = try await load(file("One", "Two"), into: folder.manager)
    model.select(1)
    _ = try await model.settled().value()
    let summary = SummaryModel(folds: FoldStore(manager: folder.manager))
    summary.configure(key: "Two", text: long)
    summary.toggle()
    #expect(try await summary.settled().value().fold == .folded)
    let manager = try folder.restarted()
    let state = try await read(manager)
    #expect(state.books.rows.map(\.title) == ["One", "Two"])
    #expect(state.book?.title == "Two")
    let again = SummaryModel(folds: FoldStore(manager: manager))
    again.configure(key: "Two", text: long)
    #expect(try await again.settled().value().fold == .folded)
    again.configure(key: "One", text: long)
    #expect(try await again.settled().value().fold == .expanded)
    // Unfolded, the record is gone.
    again.configure(key: "Two", text: long)
    again.unfold()
    #expect(try await again.settled().value().fold == .expanded)
    #expect(try await FoldStore(manager: manager).isFolded("Two").value() == false)
    manager.close()
    try folder.remove()
  }

  @Test("another file takes the place of the one before, and folds stay")
  func replace() async throws {
    let folder = try StoreFolder()
    _ = try await load(file("One", "Two", "Three"), into: folder.manager)
    _ = try await FoldStore(manager: folder.manager).set("Two", isFolded: true).value()
    _ = try await load(file("Two"), into: folder.manager)
    #expect(try await read(folder.manager).books.rows.map(\.title) == ["Two"])
    #expect(try await FoldStore(manager: folder.manager).isFolded("Two").value())
    try folder.remove()
  }

  @Test("followed in the store: the books, and the fold of the one that is shown")
  func followed() async throws {
    let folder = try StoreFolder()
    _ = try await load(file("One", "Two"), into: folder.manager)
    var seen: [String] = []
    for try await step in BooksModel.followBooks(folder.manager, from: .snapshot).take(4).values {
      seen += step.books.map { "books \($0.cause.rawValue) \($0.to.name)" }
      seen += step.summary.map { "summary \($0.cause.rawValue) \($0.to.name)" }
      guard step.list.isInitial else { continue }
      _ = try await FoldStore(manager: folder.manager).set("Two", isFolded: true).value()
      try await SeriesStore(manager: folder.manager).select("Two").value()
      _ = try await FoldStore(manager: folder.manager).set("Two", isFolded: false).value()
    }
    #expect(
      seen == [
        "books load loading", "books read loaded", "summary configure configuring",
        "summary read expanded", "books externalChange loaded", "summary configure configuring",
        "summary read folded", "summary externalChange expanded",
      ])
    try folder.remove()
  }

  @Test("an operation while the store is opening waits for it")
  func opening() async throws {
    let folder = try StoreFolder()
    folder.manager.close()
    let manager = DatabaseManager(path: folder.url.path, options: StoreOptions())
    let summary = SummaryModel(folds: FoldStore(manager: manager))
    summary.configure(key: "k", text: long)
    summary.fold()
    #expect(!summary.state.isSettled)
    try manager.openNow()
    #expect(try await summary.settled().value().fold == .folded)
    manager.close()
    try folder.remove()
  }
}
