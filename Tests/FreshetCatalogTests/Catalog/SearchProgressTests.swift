import Testing

@testable import FreshetCatalog

@Suite("Progress of a search")
struct SearchProgressTests {
  private func page(_ ids: [Int], next: Int?) throws -> SearchPage {
    SearchPage(
      items: try ids.map { ContentItem(id: try ItemID("book:local:\($0)")) },
      next: next.map(PageCursor.next))
  }

  private func ids(_ step: SearchProgress.Step) -> [String] { step.fresh.map(\.id.native) }

  @Test("C-11 Duplicate ids crash a diffable list")
  func duplicates() throws {
    // Within a page the client drops them already; from elsewhere they are dropped here.
    var progress = SearchProgress()
    let step = progress.take(try page([1, 2, 1], next: nil))
    #expect(ids(step) == ["1", "2"])
    #expect(step.duplicates == 1)
  }

  @Test("C-13 Page border repeats")
  func border() throws {
    var progress = SearchProgress()
    let first = progress.take(try page(Array(1...20), next: 2))
    let second = progress.take(try page(Array(20...39), next: nil))
    #expect(ids(first) + ids(second) == (1...39).map(String.init))
    #expect(second.duplicates == 1)
    #expect(second.next == nil)
    #expect(second.stall == nil)
    #expect(progress.pageCount == 2)
    #expect(progress.ids.count == 39)
  }

  @Test("a server that repeats itself for ever is noticed")
  func stall() throws {
    var progress = SearchProgress()
    _ = progress.take(try page([1, 2], next: 2))
    for number in 3...6 {
      let step = progress.take(try page([1, 2], next: number))
      #expect(step.stall == nil && step.next == .next(number))
    }
    let last = progress.take(try page([1, 2], next: 7))
    #expect(last.stall?.code == .noProgress)
    #expect(last.next == nil)
  }

  @Test("pages without an item in between are no stall")
  func emptyPages() throws {
    var progress = SearchProgress()
    for number in 2...40 {
      let items = number.isMultiple(of: 4) ? [number] : []
      #expect(progress.take(try page(items, next: number)).stall == nil)
    }
  }

  @Test("a cursor that leads back is noticed")
  func circle() throws {
    var progress = SearchProgress()
    _ = progress.take(try page([1], next: 2))
    _ = progress.take(try page([2], next: 3))
    let step = progress.take(try page([3], next: 2))
    #expect(step.stall?.code == .noProgress)
    #expect(ids(step) == ["3"])
  }
}
