import Freshet

@inline(__always)
func ten<F: Flow>(_ flow: F) -> some Flow<Int, Never>
where F.Element == Int, F.Failure == Never {
  flow.map { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }.map { $0 ^ 4 }.map { $0 &+ 5 }
    .map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }.map { $0 &+ 9 }.map { $0 ^ 10 }
}

@inline(never)
func flowStagesTen(_ count: Int) -> Int {
  only(ten((0..<count).flow).reduce(0) { mix($0, $1) }) == 1 ? 1 : 0
}

@inline(never)
func flowStagesForty(_ count: Int) -> Int {
  only(ten(ten(ten(ten((0..<count).flow)))).reduce(0) { mix($0, $1) }) == 1 ? 1 : 0
}

@inline(never)
func flowStagesHundred(_ count: Int) -> Int {
  let fifty = ten(ten(ten(ten(ten((0..<count).flow)))))
  return only(ten(ten(ten(ten(ten(fifty))))).reduce(0) { mix($0, $1) }) == 1 ? 1 : 0
}

/// A chain whose stages know nothing of one another.
@inline(never)
func flowErasedStages(_ count: Int, stages: Int) -> Int {
  var flow = (0..<count).flow.erased()
  for stage in 0..<stages { flow = flow.map { $0 &+ stage }.erased() }
  return sum(flow) == 1 ? 1 : 0
}

func depthCases(_ runner: Runner) {
  let count = 20_000
  runner.compare(
    "depth/40-maps-against-10-per-stage", values: count * 40, reach: 2,
    floor: { flowStagesTen(count * 4) }, flow: { flowStagesForty(count) })
  runner.compare(
    "depth/100-maps-against-10-per-stage", values: count * 100, reach: 2,
    floor: { flowStagesTen(count * 10) }, flow: { flowStagesHundred(count) })
  let few = 1000
  runner.compare(
    "depth/100-erased-against-10-per-stage", values: few * 100, reach: 2,
    floor: { flowErasedStages(few * 10, stages: 10) },
    flow: { flowErasedStages(few, stages: 100) })
}
