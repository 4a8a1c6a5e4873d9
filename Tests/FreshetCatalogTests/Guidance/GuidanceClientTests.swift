import Dispatch
import Foundation
import Freshet
import FreshetCatalog
import FreshetStore
import FreshetTestServer
import Testing

/// The client against a server on loopback, over real sockets.
@Suite("Guidance: a server's routes")
struct GuidanceClientTests {
  private let server: GuidanceServer
  private let client: GuidanceClient

  init() throws {
    server = try GuidanceServer()
    client = GuidanceClient(
      service: HTTPClient(
        transport: URLSessionTransport(), scheduler: QueueScheduler(.global()),
        policy: RetryPolicy(attempts: 1)),
      base: try WebAddress(parsing: server.url))
  }

  private func error(_ single: some Flow<some Sendable, GuidanceError>) async -> GuidanceError? {
    do {
      for try await _ in single.values {}
      return nil
    } catch {
      return error
    }
  }

  private func draft(_ reason: GuidanceReason) -> GuidanceDraft {
    GuidanceDraft(studentID: 202_110_101, reason: reason)
  }

  private func fixture(_ name: String) throws -> TestAnswer {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures"))
    return .body(200, Array(try Data(contentsOf: url)))
  }

  @Test("register: a body of strings, the detail only for 기타; the answer is the server's record")
  func register() async throws {
    let guidance = try await client.register(draft(.others(detail: "뛰어다님"))).value()
    #expect(guidance.id == 40)
    #expect(guidance.message == "1학년 1반 1번 가나다\n기타(뛰어다님)")
    #expect(guidance.student.profileImageURL == "https://img.example/p.png")
    _ = try await client.register(draft(.noShoes)).value()
    let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(
      bodies == [
        "{\"studentID\":\"202110101\",\"reason\":\"기타\",\"detail\":\"뛰어다님\"}",
        "{\"studentID\":\"202110101\",\"reason\":\"실내화 없음\"}",
      ])
    #expect(server.requests.map(\.method) == ["POST", "POST"])
    #expect(server.requests[0].header("content-type") == "application/json")
  }

  @Test("list, delete, complete, delay: each answers with the server's new list")
  func lists() async throws {
    for _ in 0..<3 { _ = try await client.register(draft(.wrongClothes)).value() }
    #expect(try await client.guidances().value().map(\.id) == [40, 41, 42])
    #expect(try await client.delete(id: 41).value().map(\.id) == [40, 42])
    #expect(try await client.complete(id: 40).value().map(\.id) == [42])
    let day = try #require(CalendarDay("2026-03-05"))
    #expect(try await client.delay(id: 42, to: day).value().map(\.id) == [42])
    let last = try #require(server.requests.last)
    #expect(last.path == "/guidances/delay")
    #expect(
      String(decoding: last.body, as: UTF8.self)
        == "{\"guidanceID\":42,\"date\":\"2026-03-05\"}")
    #expect(server.requests.dropLast(2).last?.target == "/guidances/41")
  }

  @Test("students: by number, counted by class, and none of that number")
  func students() async throws {
    #expect(try await client.student(id: 202_120_817).value().name == "라마바")
    #expect(await error(client.student(id: 5))?.code == .unknownStudent)
    #expect(
      try await client.classes().value() == [
        ClassCount(grade: 1, classNumber: 1, students: 31),
        ClassCount(grade: 2, classNumber: 8, students: 29),
      ])
  }

  @Test("C-35: success without a result is a failure that the caller hears")
  func missingResult() async throws {
    server.answer("POST /guidances", with: try fixture("guidance-create-no-result"))
    server.answer("GET /guidances", with: try fixture("guidance-create-no-result"))
    #expect(await error(client.register(draft(.noShoes)))?.code == .missingResult)
    #expect(await error(client.guidances())?.code == .missingResult)
  }

  @Test("a refusal carries the server's own number and words")
  func refused() async throws {
    server.answer("GET /guidances", with: try fixture("guidance-error-db"))
    let refusal = await error(client.guidances())
    #expect(refusal?.code == .refused)
    #expect(refusal?.serverCode == 4000)
    #expect(refusal?.message.contains("데이터 베이스 에러") == true)
    server.answer(
      "GET /guidances",
      with: .json("{\"isSuccess\":false,\"code\":4001,\"message\":\"서버 에러\"}", status: 500))
    #expect(await error(client.guidances())?.serverCode == 4001)
  }

  @Test("answers that are none: plain text, an unknown route, no envelope, a cut connection")
  func badAnswers() async throws {
    server.answer("GET /guidances", with: .body(404, Array("Not Found".utf8), type: "text/plain"))
    #expect(await error(client.guidances())?.code == .badResponse)
    server.answer(
      "GET /guidances", with: .json("{\"isSuccess\":true,\"code\":1000,\"result\":null}"))
    #expect(await error(client.guidances())?.code == .missingResult)
    server.answer("GET /guidances", with: .json("[]"))
    #expect(await error(client.guidances())?.code == .badResponse)
    server.answer("GET /guidances", with: .json("{\"isSuccess\":true,\"result\":{}}"))
    #expect(await error(client.guidances())?.code == .badResponse)
    server.answer("GET /guidances", with: .body(500, Array("oops".utf8), type: "text/plain"))
    #expect(await error(client.guidances())?.code.name == "server_error")
    server.answer("POST /guidances", with: TestAnswer([.cut]))
    let posts = server.requests.filter { $0.method == "POST" }.count
    let lost = await error(client.register(draft(.noShoes)))
    #expect(lost?.code.name == "connection_lost" && lost?.isRetryable == false)
    #expect(lost?.message.hasSuffix("look whether it was done") == true)
    // A lost answer may stand for a registration: it is not sent again by itself.
    #expect(server.requests.filter { $0.method == "POST" }.count == posts + 1)
    server.answer("POST /guidances", with: .body(502, Array("oops".utf8), type: "text/plain"))
    let unknown = await error(client.register(draft(.noShoes)))
    #expect(unknown?.code.name == "server_error" && unknown?.isRetryable == false)
    // A list changes nothing, and can be asked for again.
    server.answer("GET /guidances", with: TestAnswer([.cut]))
    #expect(await error(client.guidances())?.isRetryable == true)
  }

  @Test("a list in any order, with a number twice and a closed one: sorted, once, open ones only")
  func oddList() async throws {
    let rows = [(18, "VALID"), (16, "DELAYED"), (18, "VALID"), (17, "DELETE")].map { id, status in
      "{\"studentID\":1,\"grade\":1,\"classNumber\":1,\"number\":1,\"name\":\"a\","
        + "\"guidanceID\":\(id),\"reason\":\"무단횡단\",\"status\":\"\(status)\"}"
    }
    server.answer(
      "GET /guidances",
      with: .json("{\"isSuccess\":true,\"code\":1000,\"result\":[\(rows.joined(separator: ","))]}"))
    #expect(try await client.guidances().value().map(\.id) == [16, 18])
  }

  @Test("a restore is not to be had, and nothing is sent for it")
  func restore() async throws {
    #expect(await error(client.restore(id: 5))?.code == .notSupported)
    #expect(server.requests.isEmpty)
  }

  @Test("what may not be registered is refused before it is sent")
  func draftRefused() async throws {
    #expect(await error(client.register(draft(.others(detail: ""))))?.code == .detailRequired)
    #expect(server.requests.isEmpty)
  }
}
