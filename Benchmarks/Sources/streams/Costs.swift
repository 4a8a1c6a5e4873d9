import BenchFigures
import CAllocations
import Freshet

/// The flows whose cost is counted, not timed: a count is the same on every run, so that
/// `scripts/thresholds` can hold it to a limit.
let costs: [(name: String, work: @Sendable (Int) -> Int)] = [
  ("sequence/map-filter-reduce", flowChain),
  ("sequence/10-maps-reduce", flowTen),
  ("sequence/20-maps-and-filters-reduce", flowTwenty),
  ("subject/map-filter-1-observer", flowSubjectChain),
  ("subject/1-observer", { flowSubject($0, observers: 1) }),
  ("subject/100-observers-per-delivery", { flowSubject($0 / 100, observers: 100) }),
  ("subject/1-closure", flowSubjectClosure),
  ("subject/subscribe-and-dispose", { flowChurn($0, on: PublishSubject<Int, Never>()) }),
  ("behavior-subject/1-observer", flowBehavior),
  ("merge/4-cold", flowMerge),
  ("combine-latest/2-subjects", flowLatest),
  ("zip/2-subjects", flowZip),
  ("flat-map/1-element-inners", flowFlatMap),
  ("flat-map/1-element-sequences", flowFlatMapSequences),
  ("switch-map/1-element-inners", flowSwitchMap),
  ("switch-map/1-element-sequences", flowSwitchMapSequences),
  ("throttle/pushed-fast", flowThrottle),
  ("debounce/pushed-fast", flowDebounce),
  ("observe-on/one-thread", flowObserveOnHeld),
  ("single/created-resolved-observed", flowSingleResolver),
  ("promise/created-resolved-observed", flowPromise),
  // Guards against cliffs: what is not specialised costs several times as much.
  ("merge/3-in-a-row", flowMergeThrice),
  ("flat-map/3-in-a-row", flowFlatMapThrice),
  ("switch-map/3-in-a-row", flowSwitchMapThrice),
  ("depth/100-maps", flowHundred),
  ("depth/100-maps-and-filters", { flowMixedHundred($0, 17, 500) }),
  ("depth/10-erased-stages", { flowErasedStages($0, stages: 10) }),
]

/// Prints how many blocks each flow takes from malloc for one value; what it takes once, at its
/// beginning, falls out of the difference of two counts.
func printAllocations() {
  for (name, work) in costs {
    func taken(_ count: Int) -> Int {
      let before = allocations_of_this_thread()
      _ = work(count)
      return allocations_of_this_thread() - before
    }
    _ = taken(1000)
    let each = Double(taken(21_000) - taken(1000)) / 20_000
    say("\(name) \(rounded(each))")
  }
}

/// Does one flow's work once, for something outside to count.
func runOnce(_ name: String, _ count: Int) -> Bool {
  guard let cost = costs.first(where: { $0.name == name }) else { return false }
  _ = cost.work(count)
  return true
}
