import BenchFigures
import BenchSupport
import Foundation
import Freshet
import FreshetStore

/// Deleting everything, the size on disk, and memory.
func sizeCases(_ bench: Bench) {
  let count = bench.records
  let rounds = min(3, bench.rounds)
  bench.compare(
    "delete-all/\(count)", unit: "ms", reach: 5, isDurable: true, rounds: rounds,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      let path = folder.path + "/store"
      fill(path, count)
      let manager = openStore(path)
      defer { manager.close() }
      _ = Disk.cool(bench.directory, patience: bench.patience)
      return extra.seconds(of: 1) { _ = answer(manager.deleteAll()) } * 1000
    },
    sqlite: sqliteSized(bench, count) { database, _ in
      _ = Disk.cool(bench.directory, patience: bench.patience)
      return seconds { database.deleteAll() } * 1000
    })
  bench.compare(
    "size/bytes-per-1-KB-record", unit: "bytes", reach: 1_120, isDurable: false, rounds: 1,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      fill(folder.path + "/store", 100_000)
      // Beside it, with the journal that is kept for followers: an hour of it by default.
      extra.add("with_journal", Double(folder.bytes) / 100_000)
      let manager = openStore(folder.path + "/store", keeping: .none)
      _ = answer(manager.compact())
      manager.close()
      return Double(folder.bytes) / 100_000
    },
    sqlite: sqliteSized(bench, 100_000) { database, folder in
      database.checkpoint()
      return Double(folder.bytes) / 100_000
    })
  bench.compare(
    "memory/\(count)", unit: "MiB", reach: 100, isDurable: false, rounds: 1,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      fill(folder.path + "/store", count)
      return Child(["memory", folder.path + "/store"]).numbers().first ?? .nan
    },
    sqlite: sqliteSized(bench, count) { _, folder in
      Child(["sqlite-memory", folder.path + "/db"]).numbers().first ?? .nan
    })
}

/// A round of SQLite's over a filled database.
func sqliteSized(
  _ bench: Bench, _ count: Int, _ work: @escaping (SQLite, Folder) -> Double
) -> ((inout Extra) -> Double)? {
  #if SQLITE
    { extra in
      let folder = Folder(in: bench.directory)
      SQLite.fill(folder.path + "/db", count)
      return work(SQLite(folder.path + "/db"), folder)
    }
  #else
    nil
  #endif
}
