import FreshetStore

/// `freshet search`: a catalogue's matches, page by page.
enum SearchCommand {
  static let spec = CommandSpec(
    name: "search",
    summary: "Search a catalogue.",
    arguments: [ArgumentSpec(name: "QUERY", help: "what to search for", count: 0...1)],
    options: [
      .value(
        "source", "NAME", choices: CatalogAccess.Source.allCases.map(\.rawValue),
        "which catalogue: kakao and google have books, tmdb has films and series")
    ] + SearchSubject.options + [
      .value("pages", "N", "read so many pages: 1 (default) or more"),
      .value("limit", "N", "read on until so many items are told"),
      .flag("all", "read on to the end"),
      .value(
        "page-size", "N",
        "how many rows to ask for at a time: kakao up to 50, google up to 40; tmdb always sends 20"),
      .value(
        "scroll", "WHERE", choices: ["stdin"],
        "after each page wait for a line: more, retry or stop"),
      .value("retry", "N", "how often a failed request is made again: 3 (default), at most 1000"),
      .value("country", "CC", "two letters of the country, where Google wants it named"),
    ] + CatalogAccess.options,
    examples: [
      .init(line: "freshet search \"해리 포터\" --source kakao", meaning: "the first page"),
      .init(
        line: "freshet search dune --source tmdb --all | jq -c 'select(.type==\"search.item\")'",
        meaning: "all matches, one a line"),
      .init(
        line: "freshet search --trending week --limit 10 | freshet download -f -",
        meaning: "ten films and series that are talked about, with their posters"),
      .init(
        line:
          "freshet search --discover movie --where with_genres=18 --where sort_by=popularity.desc",
        meaning: "dramas, the most popular first"),
    ],
    notes: [
      "With --scroll a page that cannot be had is a search.failed, and retry asks for it again; it is "
        + "a failure of the run only if it stays the last word.",
      "Each page is a search.page with what was dropped and why, then its items as search.item, no "
        + "id twice; search.end says why it is over. A page that cannot be had leaves what was "
        + "told, and the exit code is 1.",
      "TMDB has lists too, which are read as searches are: --trending and --discover take the place "
        + "of QUERY, and need no --source. A parameter TMDB does not know is refused, since TMDB "
        + "would pass over it.",
      CatalogAccess.note,
    ],
    run: run)

  /// The options that a search in a script takes too.
  static let scriptOptions = ["source", "page-size", "trending", "discover", "media", "where"]

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    let (subject, source) = try subject(of: invocation)
    let ways = ["pages", "limit", "all"].filter { invocation.has($0) }
    if ways.count > 1 {
      throw .usage("bad_option", "options --\(ways[0]) and --\(ways[1]) exclude each other")
    }
    let isScrolled = invocation.value("scroll") != nil
    if isScrolled, let way = ways.first {
      throw .usage("bad_option", "options --scroll and --\(way) exclude each other")
    }
    let limit = try invocation.wholeNumber("limit", atLeast: 1)
    let pages = try invocation.wholeNumber("pages", atLeast: 1)
    let size: Int?
    do throws(SearchSubject.Fault) {
      size = try source.pageSize(invocation.value("page-size"), named: "option --page-size")
    } catch {
      throw .usage(error.code, error.message)
    }
    let access = try CatalogAccess(invocation, session)
    session.sayHello(command: "search")
    let search = SearchRun(
      subject, source, access, session, pageSize: size, limit: limit)
    do throws(Stop) {
      let outcome = try search.start("s1:A1")
      if isScrolled { return try scroll(search, outcome, session) }
      let last = pages ?? (limit == nil && !invocation.has("all") ? 1 : Int.max)
      return try readOn(search, outcome, session, pages: last)
    } catch {
      // Whoever keeps count of searches hears of the end of each.
      if case .signal = error { search.tellEnd("signal", nil, "s1:A1") }
      throw error
    }
  }

  private static func subject(
    of invocation: Invocation
  ) throws(Stop) -> (SearchSubject, CatalogAccess.Source) {
    do throws(SearchSubject.Fault) {
      return try SearchSubject.of(
        query: invocation.arguments.first, source: invocation.value("source"),
        trending: invocation.value("trending"), discover: invocation.value("discover"),
        media: invocation.value("media"),
        parameters: try SearchSubject.pairs(invocation.allValues("where")), dashes: "--")
    } catch {
      throw .usage(error.code, error.message)
    }
  }

  private static func readOn(
    _ search: SearchRun, _ first: SearchRun.Outcome, _ session: Session, pages: Int
  ) throws(Stop) -> Finish {
    var outcome = first
    while outcome == .more {
      if search.hasReachedLimit { return finish(search, session, "limit") }
      if search.readPages >= pages { return finish(search, session, "pages") }
      outcome = try search.more("s1:A1")
    }
    if case .failed(let problem) = outcome { return finish(search, session, "failed", problem) }
    return finish(search, session, search.hasReachedLimit ? "limit" : search.endReason)
  }

  /// A page a line of standard input, until it ends.
  private static func scroll(
    _ search: SearchRun, _ first: SearchRun.Outcome, _ session: Session
  ) throws(Stop) -> Finish {
    let input = try Input("-", session: session)
    var splitter = LineSplitter()
    var outcome = first
    var failure: Problem?
    if case .failed(let problem) = first {
      failure = problem
      tell(problem, of: search, "s1:A1", session)
    }
    while let bytes = try input.next() {
      for line in splitter.feed(bytes) {
        let word = line.bytes.map { String(decoding: $0, as: UTF8.self).trimmingSpaces } ?? ""
        let correlation = "s1:L\(line.number)"
        switch word {
        case "more", "": outcome = try search.more(correlation)
        case "retry": outcome = try search.again(correlation)
        case "stop": return finish(search, session, "stop", failure, isTold: true)
        default:
          session.tell(
            CommandResult("scroll", line: line.number, correlation: correlation).failed(
              Problem(
                code: "bad_words",
                message: "the lines are more, retry and stop, not “\(word.prefix(80))”")))
          continue
        }
        failure = nil
        if case .failed(let problem) = outcome {
          failure = problem
          tell(problem, of: search, correlation, session)
        }
      }
    }
    return finish(
      search, session, outcome == .end ? search.endReason : "input_end", failure, isTold: true)
  }

  /// A failure that may be mended by the next line.
  private static func tell(
    _ problem: Problem, of search: SearchRun, _ correlation: String, _ session: Session
  ) {
    search.tellFailure(problem, correlation)
    session.diagnostics.error(problem.message)
  }

  private static func finish(
    _ search: SearchRun, _ session: Session, _ reason: String, _ problem: Problem? = nil,
    isTold: Bool = false
  ) -> Finish {
    search.tellEnd(problem == nil ? reason : "failed", problem, "s1:A1")
    guard let problem else { return session.counted("failed") == 0 ? .done : .someFailed }
    session.count("failed")
    if !isTold { session.diagnostics.error(problem.message) }
    if problem.code == "invalid_query" {
      return Finish(reason: "invalid_query", exit: ExitCode.usage)
    }
    return problem.isCredential ? .credentials : .someFailed
  }
}
