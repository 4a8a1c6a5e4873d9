import CFreshetAllocations

/// Counts what the whole process takes from malloc between two moments: instances, closures with a
/// context, and the storage of collections and strings among it.
struct Allocations {
  /// What one value costs.
  struct Count: Sendable, Equatable {
    let blocks: Double
    let bytes: Double
  }

  /// Begins to count; nil where that cannot be done.
  ///
  /// Only one count may be open.
  static func counting() -> Allocations? {
    freshet_allocations_begin() == 1 ? Allocations() : nil
  }

  /// Forgets what was counted so far, if something is counting: it was preparation.
  static func restart() { freshet_allocations_restart() }

  /// Ends the count.
  func perValue(_ values: Int) -> Count? {
    var blocks: UInt64 = 0
    var bytes: UInt64 = 0
    freshet_allocations_end(&blocks, &bytes)
    guard values > 0 else { return nil }
    return Count(blocks: Double(blocks) / Double(values), bytes: Double(bytes) / Double(values))
  }
}
