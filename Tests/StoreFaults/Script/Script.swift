import FreshetStore
import Synchronization

/// What is done to a store, step by step.
package enum Step: Sendable {
  /// Opens the store as manager `number`, whose compactions keep so many commits.
  case open(Int, StoreOptions.Durability = .everyCommit, keeping: Int = 0)
  case close(Int)
  /// One request.
  case apply(Int, [FreshetStore.Operation])
  /// Several requests, of which all but the first come while that one waits for LOCK, so that they
  /// share an append.
  case group(Int, [[FreshetStore.Operation]])
  case compact(Int)
  /// Takes a lease on everything after the last commit.
  case lease(Int)
  /// From here on calls fail as the rule says; nil ends it.
  case faults(SimulatedDisk.Rule?)
  /// The processes end without a chance to do anything; the cache stays.
  case kill
  /// Reads everything in every way there is, then closes the store.
  case verify(Int)
}

/// Builds scripts that do everything a store can do.
package enum Script {
  private static func body(_ number: Int, _ size: Int) -> [UInt8] {
    let padding = String(repeating: "x", count: size)
    return Array(#"{"n":\#(number),"p":"\#(padding)"}"#.utf8)
  }

  private static func operation(
    _ number: Int, _ generator: inout SeededGenerator
  ) -> FreshetStore.Operation {
    let id = "id-\(generator.below(9))"
    switch generator.below(20) {
    case 0..<12:
      // Mostly small; now and then several sectors.
      let size = generator.chance(1, of: 6) ? 600 + generator.below(900) : generator.below(60)
      return .save(id: id, body: body(number, size))
    case 12..<15: return .delete(id: id)
    case 15..<18: return .restore(id: id)
    default:
      return generator.chance(1, of: 4) ? .deleteAll : .save(id: id, body: body(number, 3))
    }
  }

  /// Saves, batches, deletes, restores, delete-alls by two processes; one step in `compacting` is a
  /// compaction, when that is not 0.
  package static func work(
    _ count: Int, by managers: [Int], from start: Int, _ generator: inout SeededGenerator,
    compacting: Int = 0
  ) -> [Step] {
    (0..<count).map { offset in
      if compacting > 0, generator.chance(1, of: compacting) {
        return .compact(managers[generator.below(managers.count)])
      }
      let size = generator.chance(1, of: 4) ? 2 + generator.below(4) : 1
      let operations = (0..<size).map { _ in operation(start + offset, &generator) }
      return .apply(managers[generator.below(managers.count)], operations)
    }
  }

  /// Writes that are torn, a disk that is full, syncs that fail, and what comes after.
  private static func mishaps(_ start: Int) -> [Step] {
    let save = { (id: String) -> [FreshetStore.Operation] in
      [.save(id: id, body: body(start, 40))]
    }
    let isLog = { @Sendable (call: DiskCall) in call.file == "log" }
    let torn = TurnCounter()
    return [
      // The first requests of the group are complete when the disk is full.
      .faults { call in
        guard call.kind == .write, isLog(call) else { return nil }
        return call.count > 200 ? .short(call.count - 20) : call.count <= 20 ? .fail(28) : nil
      },
      .group(0, [save("g-0"), save("g-1"), save("g-2")]),
      .faults(nil), .apply(0, save("g-3")),
      // A write that fails and cannot be taken back.
      .faults { call in
        if call.kind == .truncate, isLog(call) { return .fail(5) }
        guard call.kind == .write, isLog(call) else { return nil }
        return torn.next() == 0 ? .short(30) : .fail(28)
      },
      .apply(0, save("g-4")), .faults(nil), .close(0), .open(0), .apply(0, save("g-5")),
      // A sync that fails.
      .faults { $0.kind == .synchronizeData && isLog($0) ? .fail(5) : nil },
      .apply(0, save("g-6") + [.save(id: "g-7", body: body(start, 1200))]),
      .faults(nil), .apply(0, save("g-8")), .close(0), .open(0), .apply(0, save("g-9")),
    ]
  }

  /// A script of about `length` operations in segments of some commits each.
  package static func long(_ length: Int, seed: UInt64) -> [Step] {
    var generator = SeededGenerator(seed: seed)
    let part = max(4, length / 8)
    var steps: [Step] = [.open(0)]
    steps += work(part, by: [0], from: 0, &generator)
    steps += [.open(1, keeping: 9), .apply(1, [.save(id: "other", body: body(1, 5))])]
    steps += work(part, by: [0, 1], from: 1000, &generator, compacting: 12)
    steps += [.compact(1), .compact(0), .close(0), .open(0, keeping: 3)]
    steps += work(part, by: [0], from: 2000, &generator)
    steps += mishaps(3000)
    steps += [.close(1), .kill, .open(0), .compact(0)]
    steps += work(part, by: [0], from: 4000, &generator, compacting: 12)
    // A process that answers before the disk has confirmed, and one that does not, side by side.
    steps += [.open(2, .interval(.seconds(86_400)), keeping: 5)]
    steps += work(part, by: [2], from: 5000, &generator)
    steps += work(part, by: [0, 2, 2], from: 6000, &generator, compacting: 12)
    steps += [.apply(2, [.save(id: "unsynced", body: body(1, 5))]), .compact(2), .lease(0)]
    steps += work(part, by: [2], from: 7000, &generator)
    steps += [.kill, .open(2, .interval(.seconds(86_400)))]
    steps += work(part, by: [2], from: 8000, &generator)
    steps += [.apply(2, [.delete(id: "unsynced")]), .compact(2), .close(2), .open(0)]
    steps += work(2, by: [0], from: 9000, &generator)
    steps += [.compact(0), .apply(0, [.deleteAll]), .compact(0)]
    steps += [.close(0)]
    return steps
  }
}

extension Script {
  /// A short script that comes by every call the store makes: creation, batches, a roll, reopening,
  /// compaction.
  package static let calls: [Step] = {
    var generator = SeededGenerator(seed: 7)
    return [.open(0)] + work(7, by: [0], from: 0, &generator) + [.close(0), .open(0)]
      + [
        .apply(0, [.deleteAll]), .compact(0),
        .apply(0, [.restore(id: "id-1"), .save(id: "z", body: body(1, 9))]), .lease(0),
        .apply(0, [.delete(id: "z")]), .compact(0), .close(0), .open(0),
      ]
  }()
}

/// Counts calls of a rule.
package final class TurnCounter: Sendable {
  private let count = Mutex(0)

  package init() {}

  package func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
