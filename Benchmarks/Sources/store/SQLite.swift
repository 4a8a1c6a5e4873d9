import BenchFigures
import BenchSupport

#if SQLITE
  import CSQLite
  import Foundation

  /// The same work with SQLite's C library: one table, prepared statements, WAL.
  final class SQLite {
    enum Sync: String { case full = "FULL", normal = "NORMAL" }

    private var database: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    init(_ path: String, _ sync: Sync = .full) {
      check(
        sqlite3_open_v2(
          path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
      sqlite3_busy_timeout(database, 120_000)
      run("PRAGMA journal_mode=WAL")
      run("PRAGMA synchronous=\(sync.rawValue)")
      run("CREATE TABLE IF NOT EXISTS items(id TEXT PRIMARY KEY, body BLOB NOT NULL)")
    }

    deinit {
      for statement in statements.values { sqlite3_finalize(statement) }
      sqlite3_close(database)
    }

    func run(_ text: String) {
      let status = sqlite3_exec(database, text, nil, nil, nil)
      if status != SQLITE_OK {
        stop("SQLite: \(text): \(String(cString: sqlite3_errmsg(database)))")
      }
    }

    private func check(_ status: Int32) {
      if status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW {
        stop("SQLite: \(String(cString: sqlite3_errmsg(database)))")
      }
    }

    private func prepared(_ text: String) -> OpaquePointer? {
      if let present = statements[text] { return present }
      var statement: OpaquePointer?
      check(
        sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
      statements[text] = statement
      return statement
    }

    func save(_ id: String, _ body: [UInt8]) {
      let statement = prepared("INSERT OR REPLACE INTO items(id, body) VALUES(?1, ?2)")
      var id = id
      id.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) { text in
          _ = sqlite3_bind_text(statement, 1, text.baseAddress, Int32(text.count), nil)
          body.withUnsafeBytes { bytes in
            _ = sqlite3_bind_blob(statement, 2, bytes.baseAddress, Int32(bytes.count), nil)
            check(sqlite3_step(statement))
          }
        }
      }
      sqlite3_reset(statement)
    }

    func batch(_ work: () -> Void) {
      run("BEGIN IMMEDIATE")
      work()
      run("COMMIT")
    }

    func fetch(_ id: String) -> [UInt8]? {
      let statement = prepared("SELECT body FROM items WHERE id = ?1")
      var id = id
      var found: [UInt8]?
      id.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) { text in
          _ = sqlite3_bind_text(statement, 1, text.baseAddress, Int32(text.count), nil)
          if sqlite3_step(statement) == SQLITE_ROW { found = blob(statement, 0) }
        }
      }
      sqlite3_reset(statement)
      return found
    }

    private func blob(_ statement: OpaquePointer?, _ column: Int32) -> [UInt8] {
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, column),
        count: Int(sqlite3_column_bytes(statement, column)))
      return [UInt8](bytes)
    }

    /// All rows, as values of their own.
    func all() -> [(id: String, body: [UInt8])] {
      let statement = prepared("SELECT id, body FROM items")
      var rows: [(id: String, body: [UInt8])] = []
      while sqlite3_step(statement) == SQLITE_ROW {
        rows.append((String(cString: sqlite3_column_text(statement, 0)), blob(statement, 1)))
      }
      sqlite3_reset(statement)
      return rows
    }

    /// The bytes of all bodies, without making values of them.
    func touchAll() -> Int {
      let statement = prepared("SELECT id, body FROM items")
      var sum = 0
      while sqlite3_step(statement) == SQLITE_ROW {
        _ = sqlite3_column_blob(statement, 1)
        sum += Int(sqlite3_column_bytes(statement, 1))
      }
      sqlite3_reset(statement)
      return sum
    }

    func deleteAll() { run("DELETE FROM items") }

    /// Moves everything out of the WAL, for the size on disk.
    func checkpoint() { run("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Changes whenever another connection commits.
    var dataVersion: Int64 {
      let statement = prepared("PRAGMA data_version")
      defer { sqlite3_reset(statement) }
      return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1
    }

    var lastRow: Int64 {
      let statement = prepared("SELECT max(rowid) FROM items")
      defer { sqlite3_reset(statement) }
      return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1
    }

    static func fill(_ path: String, _ count: Int) {
      let database = SQLite(path, .normal)
      for start in stride(from: 0, to: count, by: 1000) {
        database.batch {
          for number in start..<min(start + 1000, count) {
            database.save(Records.id(number), Records.body(number))
          }
        }
      }
      database.checkpoint()
    }
  }
#endif
