// Question: what does a value cost in a flow, against the same work by hand?
// usage: swift run -c release --package-path Benchmarks streams [PART-OF-A-NAME]

let runner = Runner(slices: 100, only: CommandLine.arguments.dropFirst().first)
sequenceCases(runner)
depthCases(runner)
subjectCases(runner)
combiningCases(runner)
flatteningCases(runner)
timingCases(runner)
singleValueCases(runner)
memoryCases(runner)
