import Freshet
import FreshetTesting
import Testing

/// A page of a long list, and where the next one is.
struct Page: Sendable {
  let rows: [Int]
  let next: Int?
}

/// The rows of all pages, each page asked for when the rows before it have been taken.
func rows(
  of load: @escaping @Sendable (Int) -> Single<Page, RequestError>
) -> some Flow<Int, RequestError> {
  load(0)
    .expand(maxConcurrent: 1) { page in
      page.next.map { load($0).erased() } ?? AnyFlow(Empty())
    }
    .concatMap { $0.rows.flow.promoteFailure(to: RequestError.self) }
}

@Test("no page is asked for that nobody needs")
func pages() {
  let asked = BehaviorRelay<[Int]>([])
  let load: @Sendable (Int) -> Single<Page, RequestError> = { number in
    Single(calling: { () throws(RequestError) -> Page in
      asked.accept(asked.value + [number])
      let first = number * 10
      return Page(rows: Array(first..<first + 10), next: number < 9 ? number + 1 : nil)
    })
  }
  let all = Recorder<Int, RequestError>()
  all.subscribe(to: rows(of: load))
  #expect(all.values == Array(0..<100) && all.end == .finished)

  asked.accept([])
  let some = Recorder<Int, RequestError>()
  some.subscribe(to: rows(of: load).take(25))
  #expect(some.values == Array(0..<25))
  #expect(asked.value.count <= 4, "asked for \(asked.value)")
}
