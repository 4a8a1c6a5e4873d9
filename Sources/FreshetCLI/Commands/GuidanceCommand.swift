import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// `freshet guidance`: a school's guidances, in the store or on a server.
enum GuidanceCommand {
  static let actions = [
    "students", "register", "list", "delete", "restore", "complete", "delay",
  ]

  static let spec = CommandSpec(
    name: "guidance",
    summary: "Register, list and change a school's guidances.",
    arguments: [
      ArgumentSpec(
        name: "ACTION", help: actions.joined(separator: ", "), count: 1...1, choices: actions),
      ArgumentSpec(
        name: "WORD",
        help: "students [ID]; register ID REASON [DETAIL]; delete, restore, complete NUMBER; "
          + "delay NUMBER DATE", count: 0...3),
    ],
    options: [
      .value(
        "filter", "WHICH", choices: ["all", "my-grade", "my-class"],
        "which guidances are shown: all (the default), or those of one's grade or class"),
      .value("grade", "N", "one's grade (default 1)"),
      .value("class", "N", "one's class (default 1)"),
      .value("server", "URL", "the guidances of a server, in place of the store's"),
      .value("file", "FILE", short: "f", "students: add those in FILE, one a line, - for stdin"),
      .flag("yes", "delete without asking"),
    ],
    examples: [
      .init(
        line: "freshet guidance students -f students.ndjson", meaning: "students into the store"),
      .init(
        line: "freshet guidance register 202110101 기타 '복도에서 뛰어다님'",
        meaning: "기타 is the one reason with a detail"),
      .init(
        line: "freshet guidance list --filter my-class --grade 2 --class 8", meaning: "one class"),
      .init(line: "freshet guidance delete 3 --yes", meaning: "restore 3 brings it back"),
    ],
    notes: [
      "REASON is one of "
        + GuidanceReason.allCases.map { "\($0.title) (\($0.name ?? ""))" }.joined(separator: ", ")
        + ". DATE is YYYY-MM-DD. A student is an object {\"id\":202110101,\"grade\":1,"
        + "\"classNumber\":1,\"number\":1,\"name\":\"…\"}.",
      "On a terminal 기타 without a detail asks for it; elsewhere it is refused.",
      "A delete asks first; where there is no terminal to ask on, it needs --yes.",
      "Grade and class are also FRESHET_GRADE and FRESHET_CLASS, or grade and class in the config "
        + "file.",
      "A server has no way to restore a guidance.",
    ],
    run: { (invocation, session) throws(Stop) in
      try GuidanceRun(invocation, session).run()
    })
}

/// One run of `guidance`.
private struct GuidanceRun {
  private let action: String
  private let words: [String]
  private let invocation: Invocation
  private let session: Session
  private let filter: GuidanceFilter
  private let change: GuidanceChange?
  /// Why the words are no change.
  private let refusal: GuidanceError?
  private let server: WebAddress?

  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    self.invocation = invocation
    self.session = session
    action = invocation.arguments[0]
    words = Array(invocation.arguments.dropFirst())
    try Self.checkOptions(invocation, action)
    filter = try GuidanceWords.filter(
      invocation.value("filter") ?? "all", settings: session.settings)
    do throws(GuidanceWords.Fault) {
      change = try GuidanceWords.change(action, words)
      refusal = nil
    } catch {
      guard case .content(let error) = error else {
        guard case .shape(let message) = error else { preconditionFailure("there is no other") }
        throw .usage("bad_arguments", message)
      }
      // Words that say what cannot be are a change that fails, as in a script; but a terminal can be
      // asked what 기타 is.
      let draft = Self.canAsk ? GuidanceWords.draftWithoutDetail(action, words, error) : nil
      (change, refusal) = (draft.map { .register($0) }, draft == nil ? error : nil)
    }
    server = try Self.server(session.settings.text("server"))
    let isChange = change != nil || refusal != nil
    if let place = words.indices.last, !isChange, action == "list" || place > 0 {
      throw .usage("bad_arguments", "guidance \(action) does not take “\(words[place].prefix(80))”")
    }
    if invocation.has("file"), action != "students" || server != nil || !words.isEmpty {
      throw .usage("bad_option", "option --file is for guidance students of the store alone")
    }
    if case .delete? = change, !invocation.has("yes"), !Self.canAsk {
      throw .usage(
        "needs_confirmation",
        "a guidance is deleted only after a confirmation; confirm it with --yes")
    }
  }

  /// Refuses options that would do nothing.
  private static func checkOptions(_ invocation: Invocation, _ action: String) throws(Stop) {
    if invocation.has("yes"), action != "delete" {
      throw .usage("bad_option", "option --yes is for guidance delete alone")
    }
    if invocation.has("filter"), action == "students" || action == "register" {
      throw .usage("bad_option", "option --filter is not for guidance \(action)")
    }
    let filter = invocation.value("filter") ?? "all"
    for option in ["grade", "class"] where invocation.has(option) {
      // Where there is no filter, none can be asked for.
      if action == "students" || action == "register" {
        throw .usage("bad_option", "option --\(option) is not for guidance \(action)")
      }
      guard let needed = GuidanceWords.filterNeeded(by: option, with: filter) else { continue }
      throw .usage("bad_option", "option --\(option) needs --filter \(needed) with it")
    }
  }

  private static var canAsk: Bool { System.isTerminal(0) && System.isTerminal(2) }

  private static func server(_ text: String?) throws(Stop) -> WebAddress? {
    guard let text else { return nil }
    do {
      return try WebAddress(parsing: text)
    } catch {
      throw .usage(error.code.name, error.message)
    }
  }

  func run() throws(Stop) -> Finish {
    let service: any GuidanceService
    var local: LocalGuidance?
    if let server {
      session.sayHello(command: "guidance")
      service = session.guidanceClient(server)
    } else {
      let isReading = change == nil && !invocation.has("file")
      let manager = try session.openStore(command: "guidance", mustExist: isReading)
      let guidances = LocalGuidance(manager: manager)
      local = guidances
      service = guidances
    }
    switch action {
    case "students": try students(service, local)
    case "list": try list(service)
    default:
      if let change { try make(change, service) }
      if let refusal {
        session.tell(CommandResult(action, correlation: "s1:A1").failed(Problem(refusal)))
      }
    }
    return session.counted("failed") == 0 ? .done : .someFailed
  }

  // MARK: Actions

  private func make(_ change: GuidanceChange, _ service: any GuidanceService) throws(Stop) {
    let screen = GuidanceScreen(session, service: service, filter: filter)
    let result = CommandResult(action, id: change.id.map { "guidance:\($0)" }, correlation: "s1:A1")
    let answer = try screen.make(change, result.correlation) { question throws(Stop) in
      if invocation.has("yes") { return true }
      return try session.ask(question)
    } detail: { () throws(Stop) in
      try session.askForDetail()
    }
    session.tell(result.answered(answer, doing: change))
  }

  private func list(_ service: any GuidanceService) throws(Stop) {
    let screen = GuidanceScreen(session, service: service, filter: filter)
    switch try screen.read(nil) {
    case .success(let state): try session.showGuidances(state, correlation: nil)
    case .failure(let problem):
      session.tell(CommandResult("list", correlation: "s1:A1").failed(problem))
    }
  }

  private func students(
    _ service: any GuidanceService, _ local: LocalGuidance?
  ) throws(Stop) {
    if let file = invocation.value("file"), let local {
      return try StudentImport(session, local).run(file)
    }
    if let word = words.first {
      let id: Int64
      do {
        id = try Student.id(word)
      } catch {
        return refuse(error, nil)
      }
      switch try Blocking.result(of: service.student(id: id), session.waiter) {
      case .success(let student): try session.show(students: [student])
      case .failure(let error): refuse(error, "student:\(id)")
      }
    } else if let local {
      switch try Blocking.result(of: local.students(), session.waiter) {
      case .success(let students): try session.show(students: students)
      case .failure(let error): refuse(error, nil)
      }
    } else {
      switch try Blocking.result(of: service.classes(), session.waiter) {
      case .success(let classes): try session.show(classes: classes)
      case .failure(let error): refuse(error, nil)
      }
    }
  }

  private func refuse(_ error: GuidanceError, _ id: String?) {
    session.tell(
      CommandResult("students", id: id, correlation: "s1:A1").failed(Problem(error)))
  }
}
