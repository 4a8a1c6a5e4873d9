import Freshet
import FreshetStore

/// The guidances of a server, by its HTTP routes.
///
/// Changes are asked for once and never repeated by themselves: a request whose answer is lost may
/// have been obeyed. An answer without a result is a failure that the caller hears.
public struct GuidanceClient: GuidanceService {
  private let service: any HTTPService
  private let base: WebAddress

  /// Makes a client; nothing is asked yet.
  ///
  /// - Parameters:
  ///   - service: Sends the requests.
  ///   - base: The server's address, such as `http://127.0.0.1:8080`.
  public init(service: any HTTPService, base: WebAddress) {
    self.service = service
    self.base = base
  }

  /// See ``GuidanceService``.
  public func student(id: Int64) -> Single<Student, GuidanceError> {
    let address = base.appending(path: "/students/search").appending(query: [("id", String(id))])
    return ask(HTTPRequest(.get, address)) { result throws(GuidanceError) in
      // A server that knows no such student answers success without a result.
      guard let result else { throw .noStudent(id) }
      return try Student(try GuidanceEnvelope.object(result))
    }
  }

  /// See ``GuidanceService``.
  public func classes() -> Single<[ClassCount], GuidanceError> {
    ask(HTTPRequest(.get, base.appending(path: "/students/totalNumber"))) {
      result throws(GuidanceError) in
      try GuidanceEnvelope.classes(try GuidanceEnvelope.required(result))
    }
  }

  /// See ``GuidanceService``.
  public func guidances() -> Single<[Guidance], GuidanceError> {
    list(HTTPRequest(.get, base.appending(path: "/guidances")))
  }

  /// See ``GuidanceService``.
  public func register(_ draft: GuidanceDraft) -> Single<Guidance, GuidanceError> {
    let reason: GuidanceReason
    do {
      reason = try draft.reason.with(detail: draft.reason.detail)
    } catch {
      return .fail(error)
    }
    var body: JSONObject = [
      "studentID": .string(String(draft.studentID)), "reason": .string(reason.title),
    ]
    if let detail = reason.detail { body["detail"] = .string(detail) }
    return ask(request(.post, "/guidances", body)) { result throws(GuidanceError) in
      try Guidance(joined: try GuidanceEnvelope.object(try GuidanceEnvelope.required(result)))
    }
    .mapFailure(\.ofRegistration)
    .single
  }

  /// See ``GuidanceService``.
  public func delete(id: Int64) -> Single<[Guidance], GuidanceError> {
    list(HTTPRequest(.delete, base.appending(path: "/guidances/\(id)"), mayRepeat: false))
  }

  /// See ``GuidanceService``.
  public func restore(id: Int64) -> Single<[Guidance], GuidanceError> {
    .fail(
      GuidanceError(
        .notSupported, "the server has no way to restore guidance \(id); register it again"))
  }

  /// See ``GuidanceService``.
  public func complete(id: Int64) -> Single<[Guidance], GuidanceError> {
    list(request(.patch, "/guidances/completion", ["guidanceID": .number(JSONNumber(id))]))
  }

  /// See ``GuidanceService``.
  public func delay(id: Int64, to date: CalendarDay) -> Single<[Guidance], GuidanceError> {
    list(
      request(
        .patch, "/guidances/delay",
        ["guidanceID": .number(JSONNumber(id)), "date": .string(date.text)]))
  }

  // MARK: Pieces

  private func request(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONObject
  ) -> HTTPRequest {
    HTTPRequest(
      method, base.appending(path: path),
      headers: [HTTPRequest.Header("Content-Type", "application/json")],
      body: JSONValue.object(body).jsonBytes, mayRepeat: false)
  }

  private func list(_ request: HTTPRequest) -> Single<[Guidance], GuidanceError> {
    ask(request) { result throws(GuidanceError) in
      try GuidanceEnvelope.guidances(try GuidanceEnvelope.required(result))
    }
  }

  private func ask<Value: Sendable>(
    _ request: HTTPRequest,
    _ read: @escaping @Sendable (JSONValue?) throws(GuidanceError) -> Value
  ) -> Single<Value, GuidanceError> {
    service.response(to: request, refusal: GuidanceEnvelope.refusal)
      .mapFailure { GuidanceError($0) }
      .tryMap { response throws(GuidanceError) in
        try read(try GuidanceEnvelope.result(of: response))
      }
      .single
  }
}

extension GuidanceError {
  /// The same of a registration, which must not be sent again where it may have been done.
  fileprivate var ofRegistration: GuidanceError {
    let unknown: [Code] = [
      .badResponse, .transport(CatalogError.Code.connectionLost.name),
      .transport(CatalogError.Code.timedOut.name), .transport(CatalogError.Code.serverError.name),
    ]
    guard isRetryable, unknown.contains(code) else { return self }
    return GuidanceError(
      code, "\(message); the guidance may have been registered: look whether it was done",
      isRetryable: false, serverCode: serverCode)
  }

  /// A transport's error.
  init(_ error: CatalogError) {
    self.init(.transport(error.code.name), error.message, isRetryable: error.isRetryable)
  }
}

/// The shape of a guidance server's answers: `{isSuccess, code, message, result?}`.
enum GuidanceEnvelope {
  /// Why an answer is a failure of the way there: none that the server put into its envelope.
  @Sendable static func refusal(_ response: HTTPResponse) -> CatalogError? {
    let value = try? JSONValue(parsing: response.body)
    if value?.objectValue?["isSuccess"]?.boolValue != nil { return nil }
    return CatalogError.passingFault(response)
  }

  /// What the server has to say; nil where a success has no result.
  static func result(of response: HTTPResponse) throws(GuidanceError) -> JSONValue? {
    let value: JSONValue
    do {
      value = try response.json()
    } catch {
      throw GuidanceError(
        .badResponse, "the server answered \(response.status) without a JSON body",
        isRetryable: response.status >= 500)
    }
    guard let object = value.objectValue, let isSuccess = object["isSuccess"]?.boolValue else {
      throw GuidanceError(
        .badResponse, "the server answered \(response.status) without isSuccess",
        isRetryable: response.status >= 500)
    }
    let code = object["code"]?.numberValue?.int64.flatMap { Int(exactly: $0) }
    guard isSuccess, response.isSuccess else {
      let message =
        object["message"]?.stringValue.map { Redactor().redact(serverText: $0) }
        ?? "no reason given"
      throw GuidanceError(
        .refused, "the server refused: \(message)\(code.map { " (\($0))" } ?? "")",
        isRetryable: response.status >= 500, serverCode: code)
    }
    guard let result = object["result"], !result.isNull else { return nil }
    return result
  }

  static func required(_ result: JSONValue?) throws(GuidanceError) -> JSONValue {
    guard let result else {
      throw GuidanceError(
        .missingResult, "the server answered success without a result; look whether it was done")
    }
    return result
  }

  static func object(_ value: JSONValue) throws(GuidanceError) -> JSONObject {
    guard let object = value.objectValue else {
      throw .badResponse("the result must be an object, found \(value.kindName)")
    }
    return object
  }

  /// The open guidances of a list, by number, no number twice.
  static func guidances(_ value: JSONValue) throws(GuidanceError) -> [Guidance] {
    guard let rows = value.arrayValue else {
      throw .badResponse("the result must be a list, found \(value.kindName)")
    }
    var seen: Set<Int64> = []
    var guidances: [Guidance] = []
    for row in rows {
      let guidance = try Guidance(joined: try object(row))
      if guidance.status.isOpen, seen.insert(guidance.id).inserted { guidances.append(guidance) }
    }
    return guidances.sorted { $0.id < $1.id }
  }

  /// `{numOfStudents: {"1": {"2": 30}}}`: grade, class, number of students.
  static func classes(_ value: JSONValue) throws(GuidanceError) -> [ClassCount] {
    guard let grades = try object(value)["numOfStudents"]?.objectValue else {
      throw .badResponse("field numOfStudents is missing")
    }
    var classes: [ClassCount] = []
    for grade in grades.members {
      for row in try object(grade.value).members {
        guard let gradeNumber = StrictNumber.positive(grade.key),
          let classNumber = StrictNumber.positive(row.key),
          let count = row.value.numberValue?.int64, count >= 0
        else { throw .badResponse("numOfStudents holds what is no number") }
        classes.append(
          ClassCount(
            grade: Int(gradeNumber), classNumber: Int(classNumber), students: Int(count)))
      }
    }
    return classes.sorted { ($0.grade, $0.classNumber) < ($1.grade, $1.classNumber) }
  }
}
