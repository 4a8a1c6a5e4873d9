import Freshet
import Synchronization

extension DatabaseManager {
  /// Some of the live items that a query holds, in its order: the first `limit` behind a key.
  ///
  ///     var page = try await store.page(.all.ordered(by: .insertion), limit: 50).value()
  ///     while let key = page.next {
  ///       page = try await store.page(.all, after: key, limit: 50, at: page.token).value()
  ///     }
  ///
  /// Without a token each page is of the state at its own moment: what was inserted before the key
  /// does not shift it, and what was deleted is not missed. With the first page's token all pages
  /// are of one state. The single reads on the subscriber's thread; it fails with `invalidQuery` for
  /// a limit below 1 and a key of another order, with `compacted`, `diverged` or `differentStore`
  /// for a token, and with `damaged`, `ioError`, `closed`.
  ///
  /// - Complexity: By insertion O(log n + items read). Otherwise one pass over the items that the
  ///   query holds, and O(limit) memory; with a token the second page sorts them, and those after it
  ///   take O(log n + limit), which keeps O(n) memory until the last page, a compaction, or pages of
  ///   another state. With a token of an older state, its first page takes a pass over the journal.
  public func page(
    _ query: Query = .all, after key: PageKey? = nil, limit: Int, at token: Token? = nil
  ) -> Single<Page, StoreError> {
    Single { [self] resolver in
      whenReady { result in
        do throws(StoreError) {
          resolver.succeed(
            try result.get().wholePage(query, after: key, limit: limit, at: token))
        } catch {
          resolver.fail(error)
        }
      }
      return nil
    }
  }
}

extension Journal {
  fileprivate func wholePage(
    _ query: Query, after key: PageKey?, limit: Int, at token: Token?
  ) throws(StoreError) -> Page {
    try fallingBack { () throws(StoreError) in
      try page(query, after: key, limit: limit, at: token)
    }
  }

  private func page(
    _ query: Query, after key: PageKey?, limit: Int, at token: Token?
  ) throws(StoreError) -> Page {
    var selection = try PageSelection(query, after: key, limit: limit)
    try checkOpen()
    try refresh()
    var paging = try paging(at: token)
    let log = paging.log
    if query.order.by == .insertion {
      try visit(log.index, behind: key?.position, isReversed: query.order.isDescending) {
        selection.add($0)
        return !selection.isFull
      }
    } else if let key, token != nil {
      // Whoever asks for a second page of one state will ask for a third.
      if paging.query != query { try paging.sort(query) }
      for row in paging.rows(behind: key.position) {
        if selection.isFull { break }
        selection.add(try paging.record(row))
      }
    } else {
      try visit(log.index, behind: nil, isReversed: false) {
        selection.add($0)
        return true
      }
    }
    let page = selection.page(self.token(epoch: log.epoch, revision: log.revision))
    if token != nil { keep(page.next == nil ? nil : paging) }
    return page
  }

  /// The state that a page is of: with a token the one of the page before, when it is the same.
  private func paging(at token: Token?) throws(StoreError) -> Paging {
    guard let token else { return Paging(state.withLock { $0.log }) }
    try check(token)
    if let kept = self.paging.withLock({ $0 }), kept.log.revision == token.revision { return kept }
    return Paging(try log(at: token.revision))
  }

  /// Keeps a state for the next page, or lets go of it.
  func keep(_ paging: Paging?) {
    // Released outside the lock: it may hold the last reference to files.
    let old = self.paging.withLock { kept in
      defer { kept = paging }
      return kept
    }
    withExtendedLifetime(old) {}
  }

  /// Visits live items in list order, or against it, from behind a place on, until told to stop.
  private func visit(
    _ index: Index, behind place: Position?, isReversed: Bool, _ visit: (Record) -> Bool
  ) throws(StoreError) {
    var window = RecordWindow()
    var number = isReversed ? index.count - 1 : 0
    if let place {
      number = try index.number(notBefore: place)
      if isReversed { number -= 1 }
    }
    while number >= 0, number < index.count {
      let entry = index[number]
      if entry.state == .live {
        let known = try index.knownOrigin(of: number, entry)
        let record = try window.read(index.location(of: entry)) { Record($0, entry, known) }
        if !visit(record) { return }
      }
      number += isReversed ? -1 : 1
    }
  }
}

extension Index {
  /// The first entry that was inserted at a place or behind it.
  fileprivate func number(notBefore place: Position) throws(StoreError) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let origin = try origin(of: middle, self[middle])
      if (origin.created, origin.index) < place.origin {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
