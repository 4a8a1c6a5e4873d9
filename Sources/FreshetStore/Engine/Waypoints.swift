import Synchronization

/// Places between commits of one segment, remembered while it was read or written, so that whoever
/// looks for a revision need not begin at the segment's first byte.
final class Waypoints: Sendable {
  struct Point: Sendable {
    /// The last commit before the place.
    var revision: Int64
    var epoch: Int64
    var offset: Int64
  }

  /// How far apart they are.
  static let stride: Int64 = 64 << 10

  private let points = Mutex<[Point]>([])

  /// Remembers the end of a commit that is durable, unless there is a place near it.
  func note(_ point: Point) {
    points.withLock { points in
      let at = points.partition(after: point.offset)
      let isFar =
        (at == 0 ? 0 : points[at - 1].offset) + Waypoints.stride <= point.offset
        && (at == points.count || point.offset + Waypoints.stride <= points[at].offset)
      if isFar { points.insert(point, at: at) }
    }
  }

  /// The last place at or before the end of a commit; nil for the segment's beginning.
  func nearest(to revision: Int64) -> Point? {
    points.withLock { points in points.last { $0.revision <= revision } }
  }

  /// Forgets the places after an offset, where the segment was cut.
  func forget(after offset: Int64) {
    points.withLock { $0.removeAll { $0.offset > offset } }
  }
}

extension [Waypoints.Point] {
  /// The number of points up to an offset.
  fileprivate func partition(after offset: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
