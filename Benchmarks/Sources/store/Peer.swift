import BenchFigures
import BenchSupport

#if SQLITE
  import Foundation

  /// A round of SQLite's, in a database of its own.
  func sqliteWork(
    _ bench: Bench, _ sync: SQLite.Sync, _ work: @escaping (SQLite, inout Extra) -> Double
  ) -> ((inout Extra) -> Double)? {
    { extra in
      let folder = Folder(in: bench.directory)
      return work(SQLite(folder.path + "/db", sync), &extra)
    }
  }

  // A connection that is used behind a lock.
  struct Shared: @unchecked Sendable {
    let value: SQLite

    init(_ value: SQLite) { self.value = value }
  }
#else
  /// Without SQLite there is nothing to run: the rows have our figures only.
  final class SQLite {
    enum Sync { case full, normal }

    init(_ path: String) {}

    func save(_ id: String, _ body: [UInt8]) {}
    func batch(_ work: () -> Void) {}
    func deleteAll() {}
    func checkpoint() {}
  }

  func sqliteWork(
    _ bench: Bench, _ sync: SQLite.Sync, _ work: @escaping (SQLite, inout Extra) -> Double
  ) -> ((inout Extra) -> Double)? { nil }

  struct Shared: @unchecked Sendable {
    let value: SQLite

    init(_ value: SQLite) { self.value = value }
  }
#endif

/// The peer's round, when it is there.
func sqliteReading(
  _ work: @escaping (inout Extra) -> Double
) -> ((inout Extra) -> Double)? {
  #if SQLITE
    work
  #else
    nil
  #endif
}
