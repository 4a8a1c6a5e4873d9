/// Reads the journal as lists: the state at the start, then one list per commit that touches it.
struct LiveListSource: PullSource {
  private var lists: LiveListsSource

  init(journal: Journal, query: Query, start: StartPosition) {
    lists = LiveListsSource(journal: journal, queries: [query], start: start)
  }

  mutating func next() throws(StoreError) -> LiveList? {
    while let step = try lists.next() {
      if let list = step.lists[0] { return list }
    }
    return nil
  }
}
