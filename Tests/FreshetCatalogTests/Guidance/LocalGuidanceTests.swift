import Foundation
import Freshet
import FreshetCatalog
import FreshetStore
import FreshetTesting
import Testing

@Suite("Guidance: in a store")
struct LocalGuidanceTests {
  private let folder: URL
  private let manager: DatabaseManager
  private let local: LocalGuidance

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "freshet-guidance-\(UUID().uuidString)")
    manager = try DatabaseManager.open(at: folder.path)
    local = LocalGuidance(manager: manager)
    _ = try await local.save([
      Student(id: 101, grade: 1, classNumber: 1, number: 1, name: "가나다"),
      Student(id: 208, grade: 2, classNumber: 8, number: 17, name: "라마바"),
    ]).value()
  }

  private func cleanUp() throws {
    manager.close()
    try FileManager.default.removeItem(at: folder)
  }

  private func code(_ single: some Flow<some Sendable, GuidanceError>) async -> String? {
    do {
      for try await _ in single.values {}
      return nil
    } catch {
      return error.code.name
    }
  }

  private func register(_ student: Int64, _ reason: GuidanceReason = .noShoes) async throws -> Int64
  {
    try await local.register(GuidanceDraft(studentID: student, reason: reason)).value().id
  }

  @Test("nothing happens before somebody subscribes; each subscription does it once")
  func lazy() async throws {
    let single = local.register(GuidanceDraft(studentID: 101, reason: .noShoes))
    #expect(try await local.guidances().value().isEmpty)
    #expect(try await single.value().id == 1)
    #expect(try await single.value().id == 2)
    try cleanUp()
  }

  @Test("register answers with the joined record; lists are by number")
  func registered() async throws {
    let guidance = try await local.register(
      GuidanceDraft(studentID: 208, reason: .others(detail: "d"))
    ).value()
    #expect(guidance.student.name == "라마바")
    #expect(guidance.status == .valid)
    _ = try await register(101)
    #expect(try await local.guidances().value().map(\.id) == [1, 2])
    try cleanUp()
  }

  @Test("every write is checked, and a refused one writes nothing")
  func validated() async throws {
    let before = manager.token.revision
    #expect(
      await code(local.register(GuidanceDraft(studentID: 999, reason: .noShoes)))
        == "unknown_student")
    #expect(
      await code(local.register(GuidanceDraft(studentID: 101, reason: .others(detail: " "))))
        == "detail_required")
    #expect(
      await code(local.register(GuidanceDraft(studentID: 101, reason: .unlisted("지각"))))
        == "invalid_reason")
    for id in [0, 1, -5] as [Int64] {
      #expect(await code(local.delete(id: id)) == "not_found")
      #expect(await code(local.complete(id: id)) == "not_found")
      #expect(await code(local.restore(id: id)) == "not_found")
    }
    #expect(manager.token.revision == before)
    try cleanUp()
  }

  @Test("the life of a guidance: VALID, DELAYED, COMPLETE, DELETE, and back")
  func life() async throws {
    let day = try #require(CalendarDay("2026-03-05"))
    let id = try await register(101)
    #expect(try await local.delay(id: id, to: day).value().map(\.status) == [.delayed])
    #expect(try await local.delete(id: id).value().isEmpty)
    #expect(await code(local.delete(id: id)) == "not_found")
    #expect(await code(local.delay(id: id, to: day)) == "not_found")
    // Restored as it was.
    let restored = try await local.restore(id: id).value()
    #expect(restored.map(\.status) == [.delayed])
    #expect(restored.first?.date == day)
    #expect(await code(local.restore(id: id)) == "wrong_status")
    #expect(try await local.complete(id: id).value().isEmpty)
    #expect(await code(local.delete(id: id)) == "not_found")
    #expect(try await local.school().value().guidance(id: id)?.status == .complete)
    try cleanUp()
  }

  @Test("a number is never given twice, also after a delete and a restart")
  func idsNeverReused() async throws {
    _ = try await register(101)
    let second = try await register(101)
    _ = try await local.delete(id: second).value()
    #expect(try await register(101) == 3)
    _ = try await local.complete(id: 3).value()
    manager.close()
    let again = try DatabaseManager.open(at: folder.path)
    let later = LocalGuidance(manager: again)
    #expect(
      try await later.register(GuidanceDraft(studentID: 101, reason: .noShoes)).value().id == 4)
    again.close()
    try cleanUp()
  }

  @Test("many at a time, in two managers of one store: every number once")
  func concurrent() async throws {
    let other = try DatabaseManager.open(at: folder.path)
    let services = [local, LocalGuidance(manager: other)]
    let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await services[number % 2].register(
            GuidanceDraft(studentID: 101, reason: .noShoes)
          ).value().id
        }
      }
      var ids: [Int64] = []
      for try await id in group { ids.append(id) }
      return ids
    }
    #expect(ids.sorted() == (1...8).map { Int64($0) })
    other.close()
    try cleanUp()
  }

  @Test("a guidance whose student is gone is not shown, and back with the student")
  func joined() async throws {
    _ = try await register(101)
    _ = try await manager.delete(id: "student:101").value()
    #expect(try await local.guidances().value().isEmpty)
    _ = try await manager.restore(id: "student:101").value()
    #expect(try await local.guidances().value().count == 1)
    try cleanUp()
  }

  @Test("a record that cannot be read is left out and named, and what we do not know survives")
  func unreadable() async throws {
    _ = try await manager.save(id: "guidance:5", body: Array("{\"guidanceID\":5}".utf8)).value()
    let body =
      "{\"guidanceID\":6,\"studentID\":101,\"reason\":\"기타\",\"detail\":\"d\",\"room\":\"3-2\"}"
    _ = try await manager.save(id: "guidance:6", body: Array(body.utf8)).value()
    let school = try await local.school().value()
    #expect(school.unreadable == ["guidance:5"])
    #expect(school.open.map(\.id) == [6])
    let listed = try await local.delay(id: 6, to: try #require(CalendarDay("2026-01-01"))).value()
    #expect(listed.first?.extra["room"] == "3-2")
    // The number of the unreadable one is taken.
    #expect(try await register(101) == 7)
    try cleanUp()
  }

  @Test("C-33: a store that fails answers every call with a failure, and a thousand leak nothing")
  func storeFails() async throws {
    manager.close()
    for _ in 0..<1000 {
      #expect(
        await code(local.register(GuidanceDraft(studentID: 101, reason: .noShoes))) == "closed")
    }
    let again = try DatabaseManager.open(at: folder.path)
    #expect(try await LocalGuidance(manager: again).guidances().value().isEmpty)
    again.close()
    try cleanUp()
  }

  @Test("classes are counted by grade and class")
  func classes() async throws {
    #expect(
      try await local.classes().value() == [
        ClassCount(grade: 1, classNumber: 1, students: 1),
        ClassCount(grade: 2, classNumber: 8, students: 1),
      ])
    #expect(try await local.student(id: 208).value().name == "라마바")
    #expect(await code(local.student(id: 9)) == "unknown_student")
    try cleanUp()
  }

  @Test("a change that would be made is checked without being made")
  func check() async throws {
    let id = try await register(101)
    let before = manager.token.revision
    #expect(await code(local.check(.delete(id: id))) == nil)
    #expect(await code(local.check(.delete(id: 9))) == "not_found")
    #expect(await code(local.check(.restore(id: id))) == "wrong_status")
    #expect(manager.token.revision == before)
    try cleanUp()
  }
}
