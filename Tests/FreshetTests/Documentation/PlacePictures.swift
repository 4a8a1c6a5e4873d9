import Freshet
import FreshetTesting

/// The diagrams of operators that go to another place, whose jobs begin some ticks later.
enum PlacePictures {
  /// A place that is busy: what is scheduled begins after some ticks.
  private struct BusyPlace: Scheduler {
    let time: VirtualScheduler
    let ticks: Int
    private let jobs = DisposeBag()

    init(time: VirtualScheduler, ticks: Int) {
      self.time = time
      self.ticks = ticks
    }

    func schedule(_ work: @escaping @Sendable () -> Void) {
      jobs.insert(time.schedule(after: .ticks(ticks), work))
    }
  }

  static let pictures: [Picture] = [
    .one("ObserveOn 0") { source, time in source.observe(on: BusyPlace(time: time, ticks: 1)) },
    .one("SubscribeOn 0", isCold: true) { source, time in
      source.subscribe(on: BusyPlace(time: time, ticks: 1))
    },
    .one("BufferOverflow 2") { source, time in
      source.lazyMap(on: BusyPlace(time: time, ticks: 3)) { $0 + "x" }
    },
  ]
}
