import BenchFigures
import BenchSupport
import Foundation
import Freshet
import FreshetStore
import Synchronization

func writeCases(_ bench: Bench) {
  durableSave(bench)
  for callers in [16, 64] { manyCallers(bench, callers) }
  batches(bench)
  unsyncedSave(bench)
}

/// One caller that waits for each save: p50, with p99 beside it.
private func durableSave(_ bench: Bench) {
  let count = 1500
  let bodies = (0..<count).map { Records.body($0) }
  let ids = (0..<count).map { Records.id($0) }
  func round(_ extra: inout Extra, _ save: (Int) -> Void) -> Double {
    var samples = Samples()
    _ = extra.seconds(of: count) {
      for number in 0..<count { samples.values.append(seconds { save(number) } * 1e6) }
    }
    extra.add("p99", samples.percentile(0.99))
    return samples.median
  }
  bench.compare(
    "save/durable/1-caller", unit: "us", reachRatio: 1.1, isDurable: true,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      let manager = openStore(folder.path + "/store")
      defer { manager.close() }
      return round(&extra) { _ = answer(manager.save(id: ids[$0], body: bodies[$0])) }
    },
    sqlite: sqliteWork(bench, .full) { database, extra in
      round(&extra) { database.save(ids[$0], bodies[$0]) }
    })
}

/// Tasks that each wait for their own saves.
private func manyCallers(_ bench: Bench, _ callers: Int) {
  let each = callers == 16 ? 800 : 400
  let bodies = (0..<each).map { Records.body($0) }
  bench.compare(
    "save/durable/\(callers)-callers", unit: "saves/s", reach: callers == 16 ? 20_000 : 40_000,
    isDurable: true,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      let manager = openStore(folder.path + "/store")
      defer { manager.close() }
      let done = Box<Bool>()
      let taken = extra.seconds(of: callers * each) {
        Task.detached {
          await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
              group.addTask {
                for number in 0..<each {
                  do {
                    _ = try await manager.save(
                      id: Records.id(caller * each + number), body: bodies[number]
                    ).value()
                  } catch {
                    stop("the store failed: \(error)")
                  }
                }
              }
            }
          }
          done.put(true)
        }
        _ = done.take()
      }
      return Double(callers * each) / taken
    },
    sqlite: sqliteWork(bench, .full) { database, extra in
      // One writer at a time: the callers share one connection behind a lock.
      let lock = NSLock()
      let connection = Shared(database)
      let total = 2000
      let taken = seconds {
        DispatchQueue.concurrentPerform(iterations: callers) { caller in
          for number in 0..<(total / callers) {
            let id = Records.id(caller * each + number)
            lock.lock()
            connection.value.save(id, bodies[number])
            lock.unlock()
          }
        }
      }
      return Double(total / callers * callers) / taken
    })
}

/// Commits of 1,000 records, each waited for.
private func batches(_ bench: Bench) {
  let rounds = 10
  let operations = (0..<rounds).map { batch in
    (0..<1000).map {
      Operation.save(id: Records.id(batch * 1000 + $0), body: Records.body($0))
    }
  }
  bench.compare(
    "save/durable/batch-of-1000", unit: "records/s", reach: 400_000, isDurable: true,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      let manager = openStore(folder.path + "/store")
      defer { manager.close() }
      _ = answer(manager.apply(operations[0]))
      var samples = Samples()
      _ = extra.seconds(of: (rounds - 1) * 1000) {
        for batch in operations.dropFirst() {
          samples.values.append(seconds { _ = answer(manager.apply(batch)) })
        }
      }
      return 1000 / samples.median
    },
    sqlite: sqliteWork(bench, .full) { database, extra in
      var samples = Samples()
      for batch in operations.dropFirst() {
        samples.values.append(
          seconds {
            database.batch {
              for case .save(let id, let body) in batch { database.save(id, body) }
            }
          })
      }
      return 1000 / samples.median
    })
}

/// Saves that survive the process, not a power loss: `.interval` beside `synchronous = NORMAL`.
private func unsyncedSave(_ bench: Bench) {
  let count = 20_000
  let bodies = (0..<1000).map { Records.body($0) }
  let ids = (0..<count).map { Records.id($0) }
  bench.compare(
    "save/unsynced", unit: "saves/s", reach: 100_000, isDurable: true,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      let manager = openStore(folder.path + "/store", .interval(.milliseconds(200)))
      defer { manager.close() }
      let taken = extra.seconds(of: count) {
        for number in 0..<count {
          _ = answer(manager.save(id: ids[number], body: bodies[number % 1000]))
        }
      }
      return Double(count) / taken
    },
    sqlite: sqliteWork(bench, .normal) { database, extra in
      let taken = seconds {
        for number in 0..<count { database.save(ids[number], bodies[number % 1000]) }
      }
      return Double(count) / taken
    })
}
