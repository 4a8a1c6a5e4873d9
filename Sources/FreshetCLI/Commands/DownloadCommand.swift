import FreshetCatalog
import FreshetStore

/// `freshet download`: items with their pictures into the store.
enum DownloadCommand {
  static let spec = CommandSpec(
    name: "download",
    summary: "Download items with their pictures.",
    arguments: [ArgumentSpec(name: "ID", help: "the items' ids", count: 0...Int.max)],
    options: [
      .value(
        "file", "FILE", short: "f",
        "read ids or records from FILE, one a line, - for standard input"),
      .value("jobs", "N", "how many at a time: 4 (default)"),
      .value("retry", "N", "how often a failed request is made again: 3 (default), at most 1000"),
      .flag("no-poster", "leave the pictures out"),
      .flag("dry-run", "tell what would be done, and do nothing"),
      .value("country", "CC", "two letters of the country, where Google wants it named"),
    ] + CatalogAccess.options,
    examples: [
      .init(line: "freshet download film:tmdb:movie:603", meaning: "a film and its poster"),
      .init(
        line: "freshet search dune --source tmdb | freshet download -f -",
        meaning: "everything a search finds"),
    ],
    notes: [
      "An item is saved after its picture is whole, so what is saved is all there. A transfer that "
        + "breaks goes on where it was, in this run or the next; what is there already is not "
        + "fetched again.",
      "Lines are ids, records, or events of a search; other events are passed over. Pictures lie "
        + "in the folder assets of the store.",
      CatalogAccess.note,
    ],
    run: run)

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    guard invocation.arguments.isEmpty == invocation.has("file") else {
      throw .usage("bad_arguments", "download needs either ids, or -f FILE")
    }
    let jobs = try invocation.wholeNumber("jobs", atLeast: 1) ?? 4
    let isDry = invocation.has("dry-run")
    let access = try CatalogAccess(invocation, session)
    let manager = try session.openStore(command: "download", mustExist: isDry)
    let run = DownloadRun(
      access: access, manager: manager, session: session,
      assets: invocation.has("no-poster") ? nil : access.assets(of: manager), jobs: jobs)
    let simulation = isDry ? DrySimulation(manager) : nil
    func download(_ entries: [DownloadRun.Entry]) throws(Stop) {
      if let simulation {
        try run.tell(entries, dry: simulation)
      } else {
        try run.run(entries)
      }
    }
    let reader = DownloadReader()
    if let file = invocation.value("file") {
      let input = try Input(file, session: session)
      var splitter = LineSplitter()
      while let bytes = try input.next() {
        try download(reader.entries(splitter.feed(bytes), session))
      }
      if let last = splitter.finish() { try download(reader.entries([last], session)) }
    } else {
      let entries = invocation.arguments.enumerated().compactMap { place, id in
        reader.entry(
          id, CommandResult("download", id: id, correlation: "s1:A\(place + 1)"), session)
      }
      try download(entries)
    }
    if session.counted("failed") == 0 { return .done }
    return session.hasRefusedKey ? .credentials : .someFailed
  }
}

/// Makes entries of ids and lines; what is neither is answered at once.
struct DownloadReader {
  func entries(_ lines: [LineSplitter.Line], _ session: Session) -> [DownloadRun.Entry] {
    lines.filter { !$0.isBlank }.compactMap { line in
      let result = CommandResult(
        "download", line: line.number, correlation: "s1:L\(line.number)")
      guard let bytes = line.bytes else {
        return refuse(
          result, Problem(code: "too_large", message: "the line is longer than 1 MiB"), session)
      }
      guard let text = String(validating: bytes, as: UTF8.self)?.trimmingSpaces else {
        return refuse(
          result, Problem(code: "invalid_utf8", message: "the line is not UTF-8"), session)
      }
      if text.hasPrefix("#") { return nil }
      return text.hasPrefix("{")
        ? record(Array(text.utf8), result, session) : entry(text, result, session)
    }
  }

  func entry(
    _ id: String, _ result: CommandResult, _ session: Session
  ) -> DownloadRun.Entry? {
    var result = result
    result.id = id
    do {
      return DownloadRun.Entry(target: .id(try ItemID(id)), result: result)
    } catch {
      return refuse(result, Problem(error), session)
    }
  }

  private func record(
    _ bytes: [UInt8], _ result: CommandResult, _ session: Session
  ) -> DownloadRun.Entry? {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      return refuse(result, Problem(error), session)
    }
    guard let object = value.objectValue else { return nil }
    var record = value
    if object["v"] != nil, let type = object["type"]?.stringValue {
      // An event: those with an item that was found are taken, others are about something else.
      guard type == "search.item", let item = object["data"]?.objectValue?["item"] else {
        return nil
      }
      record = item
    }
    do {
      let item = try ContentItem(record)
      var result = result
      result.id = item.id.text
      if RecordDepth.exceeds(item.jsonBytes) {
        return refuse(result, RecordDepth.problem, session)
      }
      return DownloadRun.Entry(target: .record(item), result: result)
    } catch {
      return refuse(result, Problem(error), session)
    }
  }

  private func refuse(
    _ result: CommandResult, _ problem: Problem, _ session: Session
  ) -> DownloadRun.Entry? {
    session.tell(result.failed(problem))
    return nil
  }
}
