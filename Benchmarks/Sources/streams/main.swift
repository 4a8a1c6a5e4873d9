// Question: what does a value cost in a flow, against the same work by hand?
// usage: swift run -c release --package-path Benchmarks streams [PART-OF-A-NAME]
//        streams --allocations        blocks of malloc for one value, one line per flow
//        streams --once NAME VALUES   one flow's work, for a counter of instructions

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "--allocations":
  printAllocations()
case "--once":
  guard arguments.count == 3, let count = Int(arguments[2]), runOnce(arguments[1], count) else {
    fatalError("usage: streams --once NAME VALUES, with a NAME that --allocations prints")
  }
default:
  let runner = Runner(slices: 100, only: arguments.first)
  sequenceCases(runner)
  depthCases(runner)
  subjectCases(runner)
  combiningCases(runner)
  flatteningCases(runner)
  timingCases(runner)
  singleValueCases(runner)
  memoryCases(runner)
}
