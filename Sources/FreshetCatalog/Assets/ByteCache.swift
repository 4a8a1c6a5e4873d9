import Synchronization

/// Pictures in memory, up to so many bytes; what was used longest ago goes first.
final class ByteCache: Sendable {
  private struct State {
    var entries: [String: (bytes: [UInt8], used: UInt64)] = [:]
    var bytes = 0
    var clock: UInt64 = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// The bytes of a key, nil when they are not there; O(1).
  func bytes(_ key: String) -> [UInt8]? {
    state.withLock { state in
      guard let entry = state.entries[key] else { return nil }
      state.clock += 1
      state.entries[key]?.used = state.clock
      return entry.bytes
    }
  }

  /// Keeps bytes; O(1), and O(entries) for each that has to go.
  ///
  /// A picture that takes more than a quarter of the room is not kept.
  func keep(_ bytes: [UInt8], for key: String) {
    guard bytes.count <= limit / 4 else { return }
    state.withLock { state in
      state.clock += 1
      state.bytes -= state.entries[key]?.bytes.count ?? 0
      state.entries[key] = (bytes, state.clock)
      state.bytes += bytes.count
      while state.bytes > limit,
        let oldest = state.entries.min(by: { $0.value.used < $1.value.used })
      {
        state.bytes -= oldest.value.bytes.count
        state.entries[oldest.key] = nil
      }
    }
  }
}
