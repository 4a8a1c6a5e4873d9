import Foundation
import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

/// `docs/view-models.md` names what the code names, and nothing else.
@Suite("Docs: the page of the view models")
struct ViewModelsPageTests {
  private struct Section {
    let text: String
    let rows: [[String]]

    /// The words in backticks of a column.
    func words(_ column: Int) -> Set<String> {
      Set(rows.flatMap { ViewModelsPageTests.quoted($0[column]) })
    }

    /// The words in backticks of the sentence that lists the states.
    var states: Set<String> {
      guard let start = text.range(of: "tates: ") else { return [] }
      let rest = text[start.upperBound...]
      return Set(ViewModelsPageTests.quoted(String(rest.prefix { $0 != "." })))
    }
  }

  private static func quoted(_ text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  private let sections: [String: Section]

  init() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../docs/view-models.md")
    var sections: [String: Section] = [:]
    for part in try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n## ")
      .dropFirst()
    {
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
      let rows = lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| from") }.map { line in
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
          .map(String.init)
      }
      sections[String(lines[0])] = Section(text: part, rows: rows)
    }
    self.sections = sections
  }

  private func check<S: Screen>(
    _ name: String, _ screen: S.Type, states: [S.State.Phase], notices: [S.Notice],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws where S.Cause: CaseIterable {
    let section = try #require(sections[name], sourceLocation: sourceLocation)
    let causes = Set(S.Cause.allCases.map(\.rawValue))
    #expect(section.words(4) == causes, sourceLocation: sourceLocation)
    let names = Set(states.map(\.name))
    #expect(section.states == names, sourceLocation: sourceLocation)
    #expect(
      section.words(0).union(section.words(3)).isSubset(of: names), sourceLocation: sourceLocation)
    for notice in Set(notices.map(\.name)) where !section.text.contains("`\(notice)`") {
      Issue.record("\(name) does not tell of \(notice)", sourceLocation: sourceLocation)
    }
  }

  private let error = ScreenError(code: "x", message: "x")
  private let guidance = Make.guidance(1)

  @Test("states, causes and notices of each screen")
  func screens() throws {
    try check(
      "search", SearchModel.self,
      states: [.idle, .loadingFirst, .loadingMore, .loaded, .empty, .failed(error)],
      notices: [
        .staleIgnored(request: 1), .invalidQuery, .tooShort(least: 2), .alreadyLoading, .atEnd,
        .nothingToDo, .notFound(id: ""), .showDetail(id: ""),
      ])
    try check(
      "detail", DetailModel.self,
      states: [
        .idle, .loading, .shown, .saving, .deleting, .missing, .failed(error), .dismissed,
      ],
      notices: [
        .savedOnce, .alreadySaved, .alreadySaving, .notSaved, .nothingToDo, .staleIgnored,
      ])
    try check(
      "summary", SummaryModel.self,
      states: [.idle, .configuring, .shown(.short), .shown(.folded), .shown(.expanded)],
      notices: [
        .nothingToFold, .unchanged, .notPersisted(error), .notRead(error), .staleIgnored,
      ])
    try check(
      "downloads", DownloadsModel.self,
      states: [
        .idle, .loading, .loaded, .empty, .deleting(id: ""), .deletingAll,
        .failed(StoreError(.closed, "")),
      ],
      notices: [.stale, .alreadyShown, .notShown, .alreadyDownloading, .notDownloading, .noRow])
    try check(
      "books", BooksModel.self, states: [.idle, .loading, .loaded, .empty, .failed(error)],
      notices: [.invalidIndex(0), .alreadySelected, .notPersisted(error), .kept, .staleIgnored])
    try check(
      "register", RegisterGuidanceModel.self,
      states: [.ready, .enteringDetail, .submitting, .registered(guidance), .failed(error)],
      notices: [
        .detailRequired, .refused(error), .alreadySubmitting, .staleIgnored, .nothingToDo,
        .backToStart,
      ])
    try check(
      "guidance", GuidanceListModel.self,
      states: [
        .idle, .loading, .loaded, .confirming(id: 1), .deleting(id: 1), .changing(id: 1),
        .failed(error),
      ],
      notices: [
        .staleIgnored, .alreadyLoading, .notFound(id: 1), .nothingToDo, .goneMeanwhile(id: 1),
      ])
    try check(
      "image", ImageModel.self, states: [.idle, .loading, .cached, .loaded, .failed(error)],
      notices: [.staleIgnored, .alreadyShown, .noAddress])
    try check(
      "page", PageModel.self, states: [.idle, .loading, .loaded, .failed(error)],
      notices: [.staleIgnored, .alreadyLoading, .nothingToDo])
    for word in ["rowsSkipped", "notFound", "switchTab"] {
      #expect(sections["saved"]?.text.contains("`\(word)`") == true)
    }
  }
}
