import Freshet

@testable import FreshetStore

/// What the suites about compaction have in common.
protocol CompactionSuite {}

extension CompactionSuite {
  /// Everything that a read can tell, as text.
  func all(_ manager: DatabaseManager) async throws -> [String] {
    try await manager.fetch(includingDeleted: true).value().map {
      "\($0.id) \($0.revision) \($0.created) \($0.createdIndex) \($0.isDeleted) \(text($0.body))"
    }
  }

  func fill(_ manager: DatabaseManager) async throws {
    for number in 1...30 {
      _ = try await manager.save(id: #"i"\#(number)\"#, body: body(number)).value()
    }
    _ = try await manager.apply((1...5).map { .save(id: "batch\($0)", body: body($0)) }).value()
    for number in 5...15 {
      _ = try await manager.save(id: #"i"\#(number)\"#, body: body(number * 100)).value()
    }
    for number in 20...25 { _ = try await manager.delete(id: #"i"\#(number)\"#).value() }
    _ = try await manager.restore(id: #"i"22\"#).value()
    _ = try await manager.save(id: #"i"21\"#, body: body(7)).value()
  }
}
