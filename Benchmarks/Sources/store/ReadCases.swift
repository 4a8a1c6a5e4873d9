import BenchFigures
import BenchSupport
import Foundation
import Freshet
import FreshetStore

/// Reading, from a warm page cache.
func readCases(_ bench: Bench) {
  for count in [100_000, bench.records] {
    let names = ["open+read-all/\(count)", "fetch/by-id/\(count)", "open+fetch-one/\(count)"]
    guard names.contains(where: { bench.wants($0) }) else { continue }
    let folder = Folder(in: bench.directory)
    let path = folder.path + "/store"
    fill(path, count)
    #if SQLITE
      SQLite.fill(folder.path + "/db", count)
    #endif
    openAndReadAll(bench, names[0], count, path, folder.path + "/db")
    fetchByID(bench, names[1], count, path, folder.path + "/db")
    openAndFetchOne(bench, names[2], path, folder.path + "/db")
  }
  for count in [100_000, bench.records] {
    readNeverCompacted(bench, count)
    readUpdated(bench, count)
  }
}

/// A store that no snapshot was ever made of: its writer was killed, or told not to.
private func readNeverCompacted(_ bench: Bench, _ count: Int) {
  let name = "open+read-all/\(count)/no-snapshot"
  guard bench.wants(name) else { return }
  let folder = Folder(in: bench.directory)
  let path = folder.path + "/store"
  fill(path, count, compactsItself: false)
  bench.compare(
    name, unit: "ms", isDurable: false,
    ours: { extra in
      let start = processorSeconds()
      defer { extra.add("cpu", (processorSeconds() - start) * 1000) }
      return extra.seconds(of: count) { readAll(path, count, compactsItself: false) } * 1000
    })
}

/// A store with a snapshot and 100,000 updates of random items after it.
private func readUpdated(_ bench: Bench, _ count: Int) {
  let name = "open+read-all/\(count)/100000-updates"
  guard bench.wants(name) else { return }
  let folder = Folder(in: bench.directory)
  let path = folder.path + "/store"
  fill(path, count)
  let manager = openStore(path, .interval(.seconds(1)), compactsItself: false)
  var random = SmallRandom(state: 42)
  for _ in 0..<100 {
    var numbers = Set<Int>()
    while numbers.count < 1000 { numbers.insert(Int.random(in: 0..<count, using: &random)) }
    let batch = numbers.map {
      Operation.save(id: Records.id($0), body: Records.body(count + $0))
    }
    _ = answer(manager.apply(batch))
  }
  manager.close()
  bench.compare(
    name, unit: "ms", isDurable: false,
    ours: { extra in
      let start = processorSeconds()
      defer { extra.add("cpu", (processorSeconds() - start) * 1000) }
      return extra.seconds(of: count) { readAll(path, count, compactsItself: false) } * 1000
    })
}

private func readAll(_ path: String, _ count: Int, compactsItself: Bool = true) {
  let manager = openStore(path, compactsItself: compactsItself)
  let records = answer(manager.fetch())
  if records.count != count { stop("\(records.count) records instead of \(count)") }
  manager.close()
}

private func openAndReadAll(
  _ bench: Bench, _ name: String, _ count: Int, _ path: String, _ database: String
) {
  bench.compare(
    name, unit: "ms", reach: count == 100_000 ? 45 : 450, isDurable: false,
    ours: { extra in
      let start = processorSeconds()
      defer { extra.add("cpu", (processorSeconds() - start) * 1000) }
      return extra.seconds(of: count) { readAll(path, count) } * 1000
    },
    sqlite: sqliteReading { extra in
      #if SQLITE
        // Beside the rows as values, what it takes only to step over them.
        extra.add(
          "touch_only",
          seconds { if SQLite(database).touchAll() != count * 1024 { stop("bytes are missing") } }
            * 1000)
        let start = processorSeconds()
        defer { extra.add("cpu", (processorSeconds() - start) * 1000) }
        return seconds {
          if SQLite(database).all().count != count { stop("rows are missing") }
        } * 1000
      #else
        return 0
      #endif
    })
}

private func fetchByID(
  _ bench: Bench, _ name: String, _ count: Int, _ path: String, _ database: String
) {
  guard bench.wants(name) else { return }
  var generator = SmallRandom(state: 7)
  let ids = (0..<20_000).map { _ in Records.id(Int.random(in: 0..<count, using: &generator)) }
  func round(_ extra: inout Extra, _ fetch: (String) -> Bool) -> Double {
    var samples = Samples()
    _ = extra.seconds(of: ids.count) {
      for id in ids {
        samples.values.append(seconds { if !fetch(id) { stop("\(id) is missing") } } * 1e6)
      }
    }
    extra.add("p99", samples.percentile(0.99))
    return samples.median
  }
  let manager = openStore(path)
  defer { manager.close() }
  bench.compare(
    name, unit: "us", reach: 3, isDurable: false,
    ours: { extra in round(&extra) { answer(manager.fetch(id: $0)) != nil } },
    sqlite: sqliteReading { extra in
      #if SQLITE
        let database = SQLite(database)
        return round(&extra) { database.fetch($0) != nil }
      #else
        return 0
      #endif
    })
}

private func openAndFetchOne(_ bench: Bench, _ name: String, _ path: String, _ database: String) {
  bench.compare(
    name, unit: "ms", isDurable: false,
    ours: { extra in
      extra.seconds(of: 1) {
        let manager = openStore(path)
        if answer(manager.fetch(id: Records.id(7))) == nil { stop("a record is missing") }
        manager.close()
      } * 1000
    },
    sqlite: sqliteReading { extra in
      #if SQLITE
        return seconds {
          if SQLite(database).fetch(Records.id(7)) == nil { stop("a row is missing") }
        } * 1000
      #else
        return 0
      #endif
    })
}
