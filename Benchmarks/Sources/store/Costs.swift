import BenchFigures
import BenchSupport
import CAllocations
import Foundation
import Freshet
import FreshetStore

/// Something whose cost is counted, not timed: a count is nearly the same on every run, so that
/// `scripts/thresholds` can hold it to a limit.
struct Cost: Sendable {
  let name: String
  /// Makes what it needs, in a folder, as much for few operations as for many; what comes back does
  /// so many operations more each time it is called.
  let prepare: @Sendable (String) -> (Int) -> Void

  static let all: [Cost] = [
    Cost(name: "save/unsynced", prepare: saves),
    Cost(name: "save/batch-of-100-per-record", prepare: batches),
    Cost(name: "save/unchanged", prepare: unchangedSaves),
    Cost(name: "fetch/by-id", prepare: fetches),
    Cost(name: "fetch/all-of-100-per-row", prepare: lists),
    Cost(name: "page/of-50-per-row", prepare: pages),
    Cost(name: "feed/changes-per-commit", prepare: changes),
    Cost(name: "observe/100-items-per-commit", prepare: observed),
    Cost(name: "save/seen-by-an-observer", prepare: seenSaves),
  ]

  /// How many operations there are, one count with another; all numbers of operations are multiples
  /// of 100.
  static let few = 100
  static let many = 1100
  /// As many operations as all counts of a case need.
  static let enough = 2 * few + many
}

/// Counts what the store's operations cost, one line per case: the difference between many and few,
/// so that what is done once falls out.
func count(_ counting: Bench.Counting, _ bench: Bench) {
  switch counting {
  case .allocations:
    for cost in Cost.all where bench.wants(cost.name) {
      let folder = Folder(in: bench.directory)
      let work = cost.prepare(folder.path + "/store")
      func taken(_ count: Int) -> Int {
        begin_allocations_of_all_threads()
        work(count)
        return end_allocations_of_all_threads()
      }
      _ = taken(Cost.few)
      let few = taken(Cost.few)
      let each = Double(taken(Cost.many) - few) / Double(Cost.many - Cost.few)
      say("\(cost.name) \(rounded(each))")
    }
  case .once(let name, let count):
    guard let cost = Cost.all.first(where: { $0.name == name }) else {
      stop("--allocations prints no \(name)")
    }
    guard count % 100 == 0, count <= Cost.enough else {
      stop("\(name) takes 100, 200 and so on up to \(Cost.enough)")
    }
    let folder = Folder(in: bench.directory)
    cost.prepare(folder.path + "/store")(count)
  }
}

// MARK: Writing

/// Acknowledged before the disk has it, and nothing compacted meanwhile.
private func openForCounting(
  _ path: String, _ visibility: StoreOptions.Visibility = .durable
) -> DatabaseManager {
  openStore(path, .interval(.seconds(3600)), compactsItself: false, visibility: visibility)
}

private let ids = (0..<Cost.enough).map { Records.id($0) }
private let bodies = (0..<64).map { Records.body($0) }

private func saves(_ path: String) -> (Int) -> Void {
  let manager = openForCounting(path)
  var next = 0
  return { count in
    for number in next..<(next + count) {
      _ = answer(manager.save(id: ids[number], body: bodies[number % 64]))
    }
    next += count
  }
}

private func batches(_ path: String) -> (Int) -> Void {
  let manager = openForCounting(path)
  let batches = stride(from: 0, to: Cost.enough, by: 100).map { start in
    (start..<(start + 100)).map { Operation.save(id: ids[$0], body: bodies[$0 % 64]) }
  }
  var next = 0
  return { count in
    for number in next..<(next + count / 100) { _ = answer(manager.apply(batches[number])) }
    next += count / 100
  }
}

private func unchangedSaves(_ path: String) -> (Int) -> Void {
  let manager = filled(path, commits: 1)
  return { count in
    for number in 0..<count {
      _ = answer(manager.save(id: ids[number % 100], body: bodies[number % 100 % 64]))
    }
  }
}

// MARK: Reading

/// A store of 100 items: the first commit has them all, each that follows one of them anew.
private func filled(
  _ path: String, commits: Int, _ visibility: StoreOptions.Visibility = .durable
) -> DatabaseManager {
  let manager = openForCounting(path, visibility)
  _ = answer(manager.apply((0..<100).map { .save(id: ids[$0], body: bodies[$0 % 64]) }))
  for commit in 1..<max(1, commits) { saveAnew(commit, manager) }
  return manager
}

/// Saves one of the hundred items with another body than it has.
private func saveAnew(_ commit: Int, _ manager: DatabaseManager) {
  let number = commit % 100
  let body = bodies[(number + 1 + commit / 100) % 64]
  _ = answer(manager.save(id: ids[number], body: body))
}

/// The same with the last commit, and so all before it, on the disk: only those can be followed.
func durablyFilled(_ path: String, commits: Int) -> DatabaseManager {
  filled(path, commits: commits - 1).close()
  let manager = openStore(path, compactsItself: false)
  saveAnew(commits, manager)
  return manager
}

/// The same, read from a snapshot.
private func compacted(_ path: String) -> DatabaseManager {
  let manager = filled(path, commits: 1)
  _ = answer(manager.compact())
  return manager
}

private func fetches(_ path: String) -> (Int) -> Void {
  let manager = compacted(path)
  return { count in
    for number in 0..<count where answer(manager.fetch(id: ids[number * 37 % 100])) == nil {
      stop("a record is missing")
    }
  }
}

private func lists(_ path: String) -> (Int) -> Void {
  let manager = compacted(path)
  return { count in
    for _ in 0..<(count / 100) where answer(manager.fetch()).count != 100 {
      stop("records are missing")
    }
  }
}

private func pages(_ path: String) -> (Int) -> Void {
  let manager = compacted(path)
  return { count in
    for _ in 0..<(count / 100) {
      let first = answer(manager.page(.all, limit: 50))
      let second = answer(manager.page(.all, after: first.next, limit: 50, at: first.token))
      if first.records.count + second.records.count != 100 { stop("records are missing") }
    }
  }
}

// MARK: Following

/// Reads as many elements of a flow as are asked for, and waits for the last.
private func follow<F: Flow>(_ flow: F, _ count: Int) where F.Failure == StoreError {
  let done = Box<Bool>()
  let token = flow.take(count).subscribe(
    onValue: { _ in },
    onEnd: { end in
      if case .failed(let error) = end { stop("the store failed: \(error)") }
      done.put(true)
    })
  _ = done.take()
  token.dispose()
}

private func changes(_ path: String) -> (Int) -> Void {
  let manager = durablyFilled(path, commits: Cost.many)
  return { follow(manager.changes(since: .oldest), $0) }
}

private func observed(_ path: String) -> (Int) -> Void {
  let manager = durablyFilled(path, commits: Cost.many)
  let start: StartPosition = .oldest
  return { follow(manager.observe(.all, from: start), $0) }
}

private func seenSaves(_ path: String) -> (Int) -> Void {
  let manager = filled(path, commits: 1, .visible)
  let seen = DispatchSemaphore(value: 0)
  let token = manager.observe().subscribe(onValue: { _ in seen.signal() }, onEnd: { _ in })
  seen.wait()
  var next = 1
  return { count in
    for number in next..<(next + count) {
      saveAnew(number, manager)
      seen.wait()
    }
    next += count
    withExtendedLifetime(token) {}
  }
}
