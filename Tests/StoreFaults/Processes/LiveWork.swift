import Dispatch
import Freshet
import FreshetStore
import Glibc
import Synchronization

/// What the children of the live runs do: they write, compact, follow and list one store at a time.
///
/// What they say: `ack NUMBER REVISION` of a commit, `c REVISION +DELTA CHANGES` of a change set,
/// `list REVISION COUNT` of a state, `compacted OLDEST AFTER` of a token that is too old,
/// `bytes BEFORE AFTER OLDEST` of a compaction, `failed …` of anything else.
package enum LiveWork {
  /// So many commits are kept: little enough that those who sleep find theirs gone.
  package static let retainedCommits = 4000

  private static func options(isReadOnly: Bool = false) -> StoreOptions {
    var options = StoreOptions()
    options.segmentBytes = 64 << 10
    options.lockTimeout = .seconds(60)
    options.isReadOnly = isReadOnly
    // Only the compactor decides what goes, so that its rule can be held against it.
    options.compactsAutomatically = false
    options.retention.commits = retainedCommits
    options.retention.age = .zero
    options.retention.deleted = .seconds(1)
    return options
  }

  private static func body(_ name: String, _ number: Int) -> [UInt8] {
    Array(#"{"by":"\#(name)","n":\#(number)}"#.utf8)
  }

  /// Commits without end; number n saves `name-(n modulo 500)`, some delete and restore as well.
  package static func write(_ path: String, name: String, from first: Int, pause: UInt32) throws {
    let manager = try DatabaseManager.open(at: path, options: options())
    var number = first
    while true {
      var operations: [FreshetStore.Operation] = []
      if number % 8 == 3 { operations.append(.delete(id: "\(name)-\((number + 250) % 500)")) }
      if number % 8 == 5 { operations.append(.restore(id: "\(name)-\((number + 248) % 500)")) }
      if number % 3000 == 2999 { operations.append(.deleteAll) }
      let count = number % 50 == 0 ? 5 : 1
      for each in 0..<count {
        operations.append(
          .save(id: "\(name)-\((number + each * 7) % 500)", body: body(name, number)))
      }
      let receipt = try manager.apply(operations).wait()?.get()
      guard ChildWork.say("ack \(number) \(receipt?.token?.revision ?? 0)") else { return }
      number += 1
      if pause > 0 { usleep(pause) }
    }
  }

  /// Compacts without end.
  package static func compact(_ path: String, pause: UInt32) throws {
    let manager = try DatabaseManager.open(at: path, options: options())
    while true {
      switch manager.compact().wait() {
      case .success(let report)?:
        guard
          ChildWork.say(
            "bytes \(report.bytesBefore) \(report.bytesAfter) \(report.oldest.revision)")
        else { return }
      case .failure(let error)?:
        // One that was killed may not be gone yet.
        if error.code != .locked { throw error }
      case nil: return
      }
      usleep(pause)
    }
  }

  /// Follows the changes from the oldest on; after `compacted` reads the list, and goes on from
  /// there.
  ///
  /// For the first `naps` seconds it sleeps now and then, long enough for its place to be compacted
  /// away.
  package static func follow(_ path: String, naps: Int) throws {
    let clock = ContinuousClock()
    let wakesUp = clock.now + .seconds(naps)
    let manager = try DatabaseManager.open(at: path, options: options(isReadOnly: true))
    var start = StartPosition.oldest
    var after: Int64 = 0
    while true {
      let last = Mutex(after)
      let count = Mutex(0)
      let end = PendingAnswer(
        manager.changes(since: start).compactMap { set -> Bool? in
          last.withLock { $0 = set.revision }
          let seen = count.withLock { count in
            count += 1
            return count
          }
          if seen % 300 == 0, clock.now < wakesUp { usleep(2_500_000) }
          return ChildWork.say(line(of: set)) ? nil : true
        })
      guard case .failure(let error)? = end.wait() else { return }
      after = last.withLock { $0 }
      guard error.code == .compacted else { return fail(error) }
      guard ChildWork.say("compacted \(error.oldest?.revision ?? 0) \(after)") else { return }
      let page = try manager.page(.all, limit: 1 << 20).wait()?.get()
      guard let page, ChildWork.say("list \(page.token.revision) \(page.records.count)") else {
        return
      }
      after = page.token.revision
      start = .after(page.token)
    }
  }

  private static func fail(_ error: StoreError) {
    _ = ChildWork.say("failed \(error.code) \(error.message)")
  }

  private static func line(of set: ChangeSet) -> String {
    var delta = 0
    for change in set.changes {
      switch change.kind {
      case .added, .restored: delta += 1
      case .removed: delta -= 1
      case .changed: break
      }
    }
    let changes = set.changes.map { change in
      let body = change.kind == .removed ? [] : change.body ?? []
      return "\(change.kind.rawValue):\(change.id):\(String(decoding: body, as: UTF8.self))"
    }
    return "c \(set.revision) \(delta) \(changes.joined(separator: ","))"
  }

  /// Lists the store again and again, page by page as of one revision; every third time with a
  /// manager that it opens for that.
  package static func list(_ path: String) throws {
    let kept = try DatabaseManager.open(at: path, options: options(isReadOnly: true))
    var round = 0
    while true {
      round += 1
      let manager =
        round % 3 == 0
        ? try DatabaseManager.open(at: path, options: options(isReadOnly: true)) : kept
      defer { if manager !== kept { manager.close() } }
      var after: Token?
      do {
        var page = try pages(manager, nil, nil)
        after = page.token
        var ids = Set(page.records.map(\.id))
        var count = page.records.count
        while let key = page.next {
          page = try pages(manager, key, page.token)
          ids.formUnion(page.records.map(\.id))
          count += page.records.count
        }
        if ids.count != count { _ = ChildWork.say("failed an id is twice in a list") }
        guard ChildWork.say("list \(page.token.revision) \(count)") else { return }
      } catch let error as StoreError {
        // The state as it is now is always there.
        guard error.code == .compacted, let after else { return fail(error) }
        guard ChildWork.say("compacted \(error.oldest?.revision ?? 0) \(after.revision)") else {
          return
        }
      }
    }
  }

  private static func pages(
    _ manager: DatabaseManager, _ key: PageKey?, _ token: Token?
  ) throws -> Page {
    guard let page = try manager.page(.all, after: key, limit: 150, at: token).wait()?.get() else {
      throw ChildProcess.Failure(description: "no answer to a page")
    }
    return page
  }

  /// Observes the list, and says how long it is after each commit; begins anew when it is told that
  /// its place is gone.
  package static func observe(_ path: String) throws {
    let manager = try DatabaseManager.open(at: path, options: options(isReadOnly: true))
    while true {
      let last = Mutex(Int64(0))
      let end = PendingAnswer(
        manager.observe(.all).compactMap { list -> Bool? in
          last.withLock { $0 = list.token.revision }
          return ChildWork.say("list \(list.token.revision) \(list.rows.count)") ? nil : true
        })
      guard case .failure(let error)? = end.wait() else { return }
      let after = last.withLock { $0 }
      guard error.code == .compacted, after > 0 else { return fail(error) }
      guard ChildWork.say("compacted \(error.oldest?.revision ?? 0) \(after)") else { return }
    }
  }
}
