import BenchFigures
import BenchSupport
import Foundation
import Freshet
import FreshetStore
import Synchronization

/// How long after a commit returned in one process another one has seen it.
func feedCases(_ bench: Bench) {
  let count = 1000
  bench.compare(
    "feed/other-process/p50-after-commit", unit: "us", reach: 50, isDurable: true,
    ours: { extra in
      let folder = Folder(in: bench.directory)
      let path = folder.path + "/store"
      openStore(path).close()
      let child = Child(["stamped-save", path, String(count)])
      child.waitForLine()
      var options = StoreOptions()
      options.isReadOnly = true
      guard let manager = try? DatabaseManager.open(at: path, options: options) else {
        stop("cannot open \(path)")
      }
      let arrivals = Mutex<[Int64]>([])
      let all = Box<Bool>()
      let feed = manager.changes(since: .oldest).subscribe(
        onValue: { _ in
          let number = arrivals.withLock { arrivals in
            arrivals.append(nanoseconds())
            return arrivals.count
          }
          if number == count { all.put(true) }
        }, onEnd: { _ in })
      let idle = processorSeconds()
      usleep(1_000_000)
      extra.add("idle_cpu_percent", (processorSeconds() - idle) * 100)
      let cpu = processorSeconds()
      var times: [Int64] = []
      _ = extra.seconds(of: count) {
        child.go()
        times = all.take() ? arrivals.withLock { $0 } : []
      }
      let delays = zipDelays(child.numbers(), times)
      extra.add("p99", delays.percentile(0.99))
      extra.add("cpu_seconds_per_1000", (processorSeconds() - cpu) * 1000 / Double(count))
      feed.dispose()
      manager.close()
      return delays.median
    },
    sqlite: sqliteFeed(bench, count))
}

private func zipDelays(_ commits: [Double], _ arrivals: [Int64]) -> Samples {
  Samples(values: zip(commits, arrivals).map { max(0, (Double($1) - $0) / 1000) })
}

/// SQLite tells another process nothing: it is asked every millisecond.
private func sqliteFeed(_ bench: Bench, _ count: Int) -> ((inout Extra) -> Double)? {
  #if SQLITE
    { extra in
      let folder = Folder(in: bench.directory)
      let path = folder.path + "/db"
      let database = SQLite(path)
      let child = Child(["sqlite-stamped-save", path, String(count)])
      child.waitForLine()
      child.go()
      let cpu = processorSeconds()
      var arrivals: [Int64] = []
      var version = database.dataVersion
      while arrivals.count < count {
        let now = database.dataVersion
        if now != version {
          version = now
          let rows = database.lastRow
          while arrivals.count < rows { arrivals.append(nanoseconds()) }
        }
        usleep(1000)
      }
      let delays = zipDelays(child.numbers(), arrivals)
      extra.add("p99", delays.percentile(0.99))
      extra.add("cpu_seconds_per_1000", (processorSeconds() - cpu) * 1000 / Double(count))
      return delays.median
    }
  #else
    nil
  #endif
}
