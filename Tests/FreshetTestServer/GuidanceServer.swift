import Foundation
import Synchronization

/// A small guidance server on loopback: its routes over a list in memory, and odd answers on demand.
public final class GuidanceServer: Sendable {
  /// One student and what is asked of the server about it.
  private struct State {
    var guidances: [[String: String]] = []
    var nextID = 40
    var odd: [String: TestAnswer] = [:]
  }

  private let state = Mutex(State())
  private let holder = Mutex<TestServer?>(nil)

  /// The students it knows: number, grade, class, number in class, name.
  public static let students: [(id: Int, grade: Int, classNumber: Int, number: Int, name: String)] =
    [(202_110_101, 1, 1, 1, "가나다"), (202_120_817, 2, 8, 17, "라마바")]

  /// Starts it.
  public init() throws {
    let server = try TestServer { [weak self] request in
      self?.answer(request) ?? .json("{}", status: 500)
    }
    holder.withLock { $0 = server }
  }

  /// The address of its root.
  public var url: String { holder.withLock { $0?.url ?? "" } }

  /// The requests so far.
  public var requests: [TestRequest] { holder.withLock { $0?.requests ?? [] } }

  /// Answers a route, such as `GET /guidances`, like this from here on.
  public func answer(_ route: String, with answer: TestAnswer) {
    state.withLock { $0.odd[route] = answer }
  }

  private func answer(_ request: TestRequest) -> TestAnswer {
    let route = request.method + " " + request.path
    if let odd = state.withLock({ $0.odd[route] }) { return odd }
    let body =
      (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any] ?? [:]
    switch route {
    case "GET /students/totalNumber":
      return Self.success(
        "{\"numOfClasses\":{\"1\":1,\"2\":8},\"numOfStudents\":{\"1\":{\"1\":31},\"2\":{\"8\":29}}}"
      )
    case "GET /students/search":
      guard let student = Self.student(Int(request.query["id"] ?? "")) else {
        return .json("{\"isSuccess\":true,\"code\":1000,\"message\":\"성공\"}")
      }
      return Self.success(
        "{\"id\":\(student.id),\"grade\":\(student.grade),\"classNumber\":\(student.classNumber),"
          + "\"number\":\(student.number),\"name\":\"\(student.name)\",\"profileImageURL\":null}")
    case "GET /guidances": return list()
    case "POST /guidances": return register(body)
    case "PATCH /guidances/completion", "PATCH /guidances/delay":
      remove((body["guidanceID"] as? Int).map(String.init) ?? "", route.hasSuffix("completion"))
      return list()
    default:
      guard request.method == "DELETE", request.path.hasPrefix("/guidances/") else {
        return .body(404, Array("Not Found".utf8), type: "text/plain")
      }
      remove(String(request.path.dropFirst("/guidances/".count)), true)
      return list()
    }
  }

  private func register(_ body: [String: Any]) -> TestAnswer {
    // The first client sends every field as text.
    guard let text = body["studentID"] as? String, let student = Self.student(Int(text)),
      let reason = body["reason"] as? String
    else {
      return .json("{\"isSuccess\":false,\"code\":2001,\"message\":\"빈 값이 있습니다.\"}")
    }
    let detail = (body["detail"] as? String).map { "\"\($0)\"" } ?? "null"
    let record = state.withLock { state -> String in
      let id = state.nextID
      state.nextID += 1
      let record =
        "{\"studentID\":\(student.id),\"grade\":\(student.grade),"
        + "\"classNumber\":\(student.classNumber),\"number\":\(student.number),"
        + "\"name\":\"\(student.name)\",\"profileImageURL\":\"https://img.example/p.png\","
        + "\"guidanceID\":\(id),\"reason\":\"\(reason)\",\"detail\":\(detail)}"
      state.guidances.append(["id": String(id), "record": record])
      return record
    }
    return Self.success(record)
  }

  private func remove(_ id: String, _ isGone: Bool) {
    if isGone { state.withLock { state in state.guidances.removeAll { $0["id"] == id } } }
  }

  private func list() -> TestAnswer {
    let rows = state.withLock { $0.guidances.compactMap { $0["record"] } }
    return Self.success("[\(rows.joined(separator: ","))]")
  }

  private static func student(
    _ id: Int?
  ) -> (id: Int, grade: Int, classNumber: Int, number: Int, name: String)? {
    students.first { $0.id == id }
  }

  private static func success(_ result: String) -> TestAnswer {
    .json("{\"isSuccess\":true,\"code\":1000,\"message\":\"성공\",\"result\":\(result)}")
  }
}
