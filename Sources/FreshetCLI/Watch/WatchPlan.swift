import FreshetCatalog
import FreshetModels
import FreshetStore

/// What a run of `watch` shows: which views, and which of their records.
struct WatchPlan: Sendable {
  /// In the order of the table of views; none twice.
  let views: [WatchedView]
  let filter: RecordFilter
  /// What tells this stream from others: its cursors fit no other.
  let cursorFilter: Cursor.Filter
  /// Whether a bound counts events of items; else it counts transitions.
  let countsItems: Bool
  /// Whether the search is among the views, which only a replay can show.
  let showsSearch: Bool

  /// The words an argument may be, for help and completions.
  static let words = ["downloads", "saved", "detail", "books", "guidance", "search"]

  /// Reads the views, `--filter` and `--type`; asks nothing.
  ///
  /// - Parameter isReplay: Whether records are replayed that somebody wrote earlier.
  /// - Throws: ``Stop/usage(_:)``.
  init(_ invocation: Invocation, isReplay: Bool = false) throws(Stop) {
    if let option = ["source", "scroll", "retry", "country"].first(where: invocation.has) {
      throw .usage("bad_option", "option --\(option) is for watch search alone")
    }
    filter = try RecordFilter(invocation)
    showsSearch = isReplay && invocation.arguments.contains(View.search.rawValue)
    views = try Self.views(invocation, isReplay: isReplay)
    if !views.contains(where: { $0.view == .guidance }),
      let option = ["grade", "class"].first(where: invocation.has)
    {
      throw .usage("bad_option", "option --\(option) is for watch guidance alone")
    }
    cursorFilter = Cursor.Filter(
      views: views.flatMap(\.names) + (showsSearch ? [View.search.rawValue] : []), filter)
    countsItems =
      views.contains(where: \.tellsItems)
      && ["added", "changed", "removed", "restored"].contains { [filter] in
        filter.admits(type: "item.\($0)")
      }
  }

  private static func views(
    _ invocation: Invocation, isReplay: Bool
  ) throws(Stop) -> [WatchedView] {
    var views: [WatchedView] = []
    var words = invocation.arguments[...]
    while let word = words.popFirst() {
      let view: WatchedView
      switch View(rawValue: word) {
      case .downloads: view = .downloads
      case .saved: view = .saved
      case .books: view = .books
      case .guidance: view = .guidance(try guidanceFilter(invocation))
      case .detail:
        guard let text = words.popFirst() else {
          throw .usage("bad_arguments", "watch detail needs an ID, as in watch detail book:local:1")
        }
        do {
          view = .detail(try ItemID(text))
        } catch {
          throw .usage(error.code.name, "watch detail needs an ID: \(error.message)")
        }
      case .search:
        if isReplay { continue }
        throw .usage(
          "bad_arguments", "watch search is followed alone: it shows nothing of the store")
      case .summary, .register, nil:
        let near = NearestMatch.of(word, among: Self.words).map { "; did you mean \($0)?" }
        throw .usage(
          "bad_arguments",
          "unknown view “\(word.prefix(80))”"
            + (near ?? "; the views are \(Self.words.joined(separator: ", "))"))
      }
      if !views.contains(where: { $0.names == view.names }) { views.append(view) }
    }
    if invocation.arguments.isEmpty { return [.downloads] }
    let order = View.allCases
    return views.sorted { left, right in
      let places = [left, right].map { order.firstIndex(of: $0.view) ?? 0 }
      return (places[0], left.name ?? "") < (places[1], right.name ?? "")
    }
  }

  private static func guidanceFilter(_ invocation: Invocation) throws(Stop) -> GuidanceFilter {
    let number = try invocation.wholeNumber("class", atLeast: 1)
    guard let grade = try invocation.wholeNumber("grade", atLeast: 1) else {
      if number == nil { return .all }
      throw .usage("missing_option", "option --class needs --grade N with it")
    }
    return number.map { .classNumber(grade: grade, $0) } ?? .grade(grade)
  }

  /// The view that records of the whole stream name: none where there are several.
  var onlyView: View? { views.count == 1 ? views[0].view : nil }

  /// A place of this stream as text.
  func cursor(at token: Token) -> String { Cursor(token: token, filter: cursorFilter).text }

  /// A place to begin at.
  /// - Throws: ``Stop/usage(_:)`` for a cursor of another stream.
  func place(of cursor: Cursor) throws(Stop) -> Token {
    guard cursor.filterHash == Cursor(token: cursor.token, filter: cursorFilter).filterHash else {
      throw .usage(
        "filter_mismatch",
        "the cursor was taken from a stream with other views or filters and would skip events here")
    }
    return cursor.token
  }

  /// How many events of a commit count for a bound.
  func counted(_ events: CommitEvents) -> Int {
    countsItems ? events.itemCount : events.transitionCount
  }
}
