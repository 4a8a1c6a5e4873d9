import Freshet
import FreshetCatalog
import FreshetStore
import Testing

@testable import FreshetModels

/// The screens over the guidances of a real store.
@Suite("Guidance: the screens over a store")
struct GuidanceModelTests {
  private let folder: StoreFolder
  private let local: LocalGuidance

  init() async throws {
    folder = try StoreFolder()
    local = LocalGuidance(manager: folder.manager)
    _ = try await local.save([Make.student(101), Make.student(102), Make.student(201, 2, 8)])
      .value()
  }

  @Test("register, filter, delete with confirmation, restore: as one goes through the screens")
  func wholeFlow() async throws {
    let register = RegisterGuidanceModel(service: local, studentID: 101)
    register.choose(.others(detail: nil))
    register.enter(detail: "뛰어다님")
    #expect(try await register.settled().value().message == "1학년 1반 1번 가나다\n기타(뛰어다님)")
    for id in [102, 201] as [Int64] {
      _ = try await local.register(GuidanceDraft(studentID: id, reason: .noShoes)).value()
    }
    let list = GuidanceListModel(service: local, filter: .classNumber(grade: 1, 1))
    list.appear()
    #expect(try await list.settled().value().visible.rows.map(\.id) == [1, 2])
    list.requestDelete(id: 1)
    list.confirm()
    let deleted = try await list.settled().value()
    #expect(deleted.visible.rows.map(\.id) == [2])
    #expect(deleted.master.rows.map(\.id) == [2, 3])
    list.restore(id: 1)
    #expect(try await list.settled().value().visible.rows.map(\.id) == [1, 2])
    list.delay(id: 2, to: try #require(CalendarDay("2026-03-05")))
    list.complete(id: 3)
    let end = try await list.settled().value()
    #expect(end.master.rows.map(\.status) == [.valid, .delayed])
    try folder.remove()
  }

  @Test("followed in the store: one step per commit, other processes' too")
  func followed() async throws {
    var seen: [String] = []
    let flow = GuidanceListModel.follow(folder.manager, filter: .grade(1), from: .snapshot).take(3)
    for try await step in flow.values {
      seen += step.transitions.map { "\($0.cause.rawValue) \($0.diff.inserted.count)" }
      if step.list.isInitial {
        _ = try await local.register(GuidanceDraft(studentID: 101, reason: .noShoes)).value()
        _ = try await local.register(GuidanceDraft(studentID: 201, reason: .noShoes)).value()
      }
    }
    #expect(seen == ["appear 0", "fetched 0", "externalChange 1", "externalChange 0"])
    try folder.remove()
  }

  @Test("the store closed beneath the screen is a failed state")
  func closed() async throws {
    let list = GuidanceListModel(service: local)
    folder.manager.close()
    list.appear()
    #expect(try await list.settled().value().phase.name == "failed")
    try folder.remove()
  }
}
