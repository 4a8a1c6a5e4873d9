import Dispatch
import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// Guidances as they are written on the command line and in scripts.
enum GuidanceWords {
  /// Why words are no change.
  enum Fault: Error {
    /// There are too few words, or too many: the command itself is wrong.
    case shape(String)
    /// A word says something that cannot be: a number that is none, a reason that is none.
    case content(GuidanceError)
  }

  /// A change by its name and words; nil for an action that changes nothing.
  static func change(_ action: String, _ words: [String]) throws(Fault) -> GuidanceChange? {
    switch action {
    case "register":
      try check(words, 2...3, "register needs a student's number, a reason, and for 기타 a detail")
      return try content { () throws(GuidanceError) in
        .register(
          GuidanceDraft(
            studentID: try Student.id(words[0]),
            reason: try GuidanceReason(chosen: words[1], detail: words.dropFirst(2).first)))
      }
    case "delete", "restore", "complete":
      try check(words, 1...1, "\(action) needs a guidance's number")
      return try content { () throws(GuidanceError) in
        let id = try number(words[0])
        return action == "delete"
          ? .delete(id: id) : action == "restore" ? .restore(id: id) : .complete(id: id)
      }
    case "delay":
      try check(words, 2...2, "delay needs a guidance's number and a day, as in delay 3 2026-03-05")
      return try content { () throws(GuidanceError) in
        let id = try number(words[0])
        guard let day = CalendarDay(words[1]) else {
          throw GuidanceError(
            .invalidDate, "delay needs a day as in 2026-03-05, not “\(words[1].prefix(40))”")
        }
        return .delay(id: id, day)
      }
    default: return nil
    }
  }

  /// What is to be registered where its words lack nothing but the detail of 기타.
  ///
  /// - Parameter error: Why the words are no change.
  static func draftWithoutDetail(
    _ action: String, _ words: [String], _ error: GuidanceError
  ) -> GuidanceDraft? {
    // The number was read before the reason was.
    guard action == "register", words.count == 2, error.code == .detailRequired,
      let id = try? Student.id(words[0])
    else { return nil }
    return GuidanceDraft(studentID: id, reason: .others(detail: nil))
  }

  private static func check(
    _ words: [String], _ count: ClosedRange<Int>, _ message: String
  ) throws(Fault) {
    if !count.contains(words.count) { throw .shape(message) }
  }

  private static func content(
    _ body: () throws(GuidanceError) -> GuidanceChange
  ) throws(Fault) -> GuidanceChange {
    do throws(GuidanceError) {
      return try body()
    } catch {
      throw .content(error)
    }
  }

  /// The number of a guidance, with or without `guidance:` in front.
  private static func number(_ word: String) throws(GuidanceError) -> Int64 {
    try Guidance.id(word.hasPrefix("guidance:") ? String(word.dropFirst(9)) : word)
  }

  /// A filter by its name, with grade and class from the settings where they are not given.
  ///
  /// - Throws: ``Stop/usage(_:)`` for a name, a grade or a class that is none.
  static func filter(
    _ name: String, grade: Int? = nil, class number: Int? = nil, settings: Settings
  ) throws(Stop) -> GuidanceFilter {
    switch name {
    case "all": return .all
    case "my-grade", "myGrade": return .grade(try whole("grade", grade, settings))
    case "my-class", "myClass":
      return .classNumber(
        grade: try whole("grade", grade, settings), try whole("class", number, settings))
    default:
      throw .usage(
        "bad_value", "the filter must be all, my-grade or my-class, not “\(name.prefix(40))”")
    }
  }

  /// The filter that an option needs and is not there; nil when it is, or needs none.
  static func filterNeeded(by option: String, with filter: String) -> String? {
    let needed = option == "class" ? ["my-class"] : ["my-grade", "my-class"]
    let name = ["myGrade": "my-grade", "myClass": "my-class"][filter] ?? filter
    return needed.contains(name) ? nil : needed.joined(separator: " or ")
  }

  private static func whole(
    _ name: String, _ given: Int?, _ settings: Settings
  ) throws(Stop) -> Int {
    if let given { return given }
    guard let setting = settings.value(name) else { return 1 }
    guard let number = Int(setting.text), number > 0 else {
      throw .usage(
        "bad_setting",
        "\(setting.spelling(name)) must be a whole number from 1, not “\(setting.text.prefix(40))”")
    }
    return number
  }
}

extension CommandResult {
  /// The result of a change.
  func answered(_ answer: Result<String, Problem>, doing change: GuidanceChange) -> CommandResult {
    var result = self
    switch answer {
    case .success(let id):
      result.id = id
      result.isChanged = true
      result.outcome =
        switch change {
        case .register: "registered"
        case .delete: "deleted"
        case .restore: "restored"
        case .complete: "completed"
        case .delay: "delayed"
        }
      return result
    case .failure(let problem): return failed(problem)
    }
  }
}

extension Session {
  /// Asks on the terminal whether to delete, and waits for the answer.
  ///
  /// - Throws: ``Stop/signal(_:)``, ``Stop/input(_:)``.
  func ask(_ question: String) throws(Stop) -> Bool {
    typealias Question = GuidanceListModel.Question
    let lines = question.split(separator: "\n").map(String.init)
    diagnostics.ask(
      [Question.title] + lines + ["[\(Question.cancel)/\(Question.delete), n/y]"])
    return ["y", "yes", Question.delete].contains(try answer())
  }

  /// Asks on the terminal what 기타 is, and waits for the answer; empty when there is none.
  ///
  /// - Throws: ``Stop/signal(_:)``, ``Stop/input(_:)``.
  func askForDetail() throws(Stop) -> String {
    diagnostics.ask(["기타: say what it is, in a line"])
    return try answer()
  }

  /// A line from the terminal without spaces around it; empty at the end of the input.
  private func answer() throws(Stop) -> String {
    var splitter = LineSplitter()
    let input = try Input("-", session: self)
    while let bytes = try input.next() {
      if let line = splitter.feed(bytes).first { return Self.text(of: line) }
    }
    return splitter.finish().map(Self.text) ?? ""
  }

  private static func text(of line: LineSplitter.Line) -> String {
    line.bytes.map { String(decoding: $0, as: UTF8.self).trimmingSpaces } ?? ""
  }

  /// The service of a server.
  func guidanceClient(_ server: WebAddress) -> any GuidanceService {
    let client = HTTPClient(transport: URLSessionTransport(), scheduler: QueueScheduler(.global()))
    return GuidanceClient(service: client, base: server)
  }

  // MARK: Lists

  /// Prints the guidances that a screen shows.
  func showGuidances(_ state: GuidanceListModel.State, correlation: String?) throws(Stop) {
    try show(
      state.visible.rows.map {
        (
          $0.rowID, JSONValue.object($0.told).jsonBytes, GuidanceText.row($0)
        )
      }, correlation)
  }

  /// Prints students.
  func show(students: [Student]) throws(Stop) {
    try show(
      students.map {
        (
          "student:\($0.id)", JSONValue.object($0.object).jsonBytes,
          TextRow.line(["\($0.id)", $0.line], dim: [0])
        )
      }, nil)
  }

  /// Prints how many students each class has.
  func show(classes: [ClassCount]) throws(Stop) {
    try show(
      classes.map { row in
        let object: JSONObject = [
          "grade": .number(JSONNumber(Int64(row.grade))),
          "classNumber": .number(JSONNumber(Int64(row.classNumber))),
          "students": .number(JSONNumber(Int64(row.students))),
        ]
        return (
          "class:\(row.grade):\(row.classNumber)", JSONValue.object(object).jsonBytes,
          TextRow.line(["\(row.grade)학년 \(row.classNumber)반", "\(row.students)"])
        )
      }, nil)
  }

  private func show(
    _ rows: [(id: String, body: [UInt8], text: String)], _ correlation: String?
  ) throws(Stop) {
    var head = EventHead("snapshot.begin")
    head.view = View.guidance.name
    head.correlation = correlation
    output.emit(head) { $0.int("count", rows.count) }
    for (index, row) in rows.enumerated() {
      var head = EventHead("snapshot.item")
      head.view = View.guidance.name
      head.id = row.id
      head.correlation = correlation
      let waiting = output.emit(head, text: row.text) { data in
        data.int("index", index)
        data.body("item", row.body)
      }
      if waiting >= Output.highWaterBytes { try output.flush() }
    }
    count("items", rows.count)
  }
}

/// Students from a file into the store.
struct StudentImport {
  private let session: Session
  private let guidances: LocalGuidance

  init(_ session: Session, _ guidances: LocalGuidance) {
    self.session = session
    self.guidances = guidances
  }

  /// Saves the students of a file, one a line; a line that is none costs only itself.
  func run(_ file: String) throws(Stop) {
    let input = try Input(file, session: session)
    var splitter = LineSplitter()
    while let bytes = try input.next() { try save(splitter.feed(bytes)) }
    if let last = splitter.finish() { try save([last]) }
  }

  private func save(_ lines: [LineSplitter.Line]) throws(Stop) {
    var students: [Student] = []
    var results: [CommandResult] = []
    for line in lines where !line.isBlank {
      var result = CommandResult("save", line: line.number, correlation: "s1:L\(line.number)")
      switch Self.student(line) {
      case .success(let student):
        students.append(student)
        result.id = "student:\(student.id)"
      case .failure(let problem): result = result.failed(problem)
      }
      results.append(result)
    }
    var outcomes: ArraySlice<Outcome> = []
    if !students.isEmpty {
      switch try Blocking.result(of: guidances.save(students), session.waiter) {
      case .success(let all): outcomes = all[...]
      case .failure(let error):
        for result in results {
          session.tell(result.isOK ? result.failed(Problem(error)) : result)
        }
        return
      }
    }
    for result in results {
      guard result.isOK, let outcome = outcomes.popFirst() else {
        session.tell(result)
        continue
      }
      session.tell(result.done(outcome, revision: nil))
    }
  }

  private static func student(_ line: LineSplitter.Line) -> Result<Student, Problem> {
    guard let bytes = line.bytes else {
      return .failure(Problem(code: "too_large", message: "the line is longer than 1 MiB"))
    }
    do {
      guard let object = try JSONValue(parsing: bytes).objectValue else {
        return .failure(Problem(code: "not_an_object", message: "a student must be an object"))
      }
      let student = try Student(object)
      let body = JSONValue.object(student.object).jsonBytes
      if RecordDepth.exceeds(body) { return .failure(RecordDepth.problem) }
      if let fault = ContentItem.sizeFault(of: "the student", body.count) {
        return .failure(Problem(code: "too_large", message: fault))
      }
      return .success(student)
    } catch let error as JSONError {
      return .failure(Problem(error))
    } catch let error as GuidanceError {
      return .failure(Problem(code: "invalid_student", message: error.message))
    } catch {
      return .failure(Problem(code: "internal", message: "\(error)"))
    }
  }
}
