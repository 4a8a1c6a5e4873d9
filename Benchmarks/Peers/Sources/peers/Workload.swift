/// What each library is asked to do, with its name in the output.
enum Workload: String, CaseIterable {
  case chain = "sequence/map-filter-reduce"
  case tenMaps = "sequence/10-maps-reduce"
  case twentyMixed = "sequence/20-maps-and-filters-reduce"
  case subjectChain = "subject/map-filter-1-observer"
  case subject = "subject/1-observer"
  case subject10 = "subject/10-observers-per-delivery"
  case subject100 = "subject/100-observers-per-delivery"
  case subject1000 = "subject/1000-observers-per-delivery"
  case behavior = "behavior-subject/1-observer"
  case merge = "merge/4-cold"
  case combineLatest = "combine-latest/2-subjects"
  case zip = "zip/2-subjects"
  case flatMap = "flat-map/1-element-inners"
  case switchMap = "switch-map/1-element-inners"
  case observeOn = "observe-on/serial-queue"
  case churn = "subject/subscribe-and-dispose"
  case crowdedChurn = "subject/subscribe-and-dispose-among-10000"
  case throttle = "throttle/pushed-fast"
  case debounce = "debounce/pushed-fast"
  case single = "single/created-resolved-observed"
  case promise = "promise/created-resolved-observed"

  /// How many values one slice handles; small where a peer needs tens of microseconds for one.
  var values: Int {
    switch self {
    case .observeOn: 200_000
    case .flatMap, .switchMap, .churn, .throttle, .debounce, .single, .promise: 20_000
    case .crowdedChurn: 400
    default: 100_000
    }
  }

  /// Whether the libraries must agree on the result; what they do with the last value that is
  /// held when the source ends differs.
  var isCompared: Bool { self != .throttle && self != .debounce }
}

/// One library and how it does each workload; what it does not have is absent.
struct Library {
  let name: String
  let works: [Workload: (_ values: Int) -> Int]
  /// Makes so many live subscriptions subject → map → filter → closure and returns what keeps them.
  let subscriptions: (_ count: Int) -> Any
}
