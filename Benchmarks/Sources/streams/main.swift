// Question: what does a value cost in a flow, against the same work by hand?
// usage: swift run -c release --package-path Benchmarks streams [PART-OF-A-NAME]

let runner = Runner(rounds: 5, only: CommandLine.arguments.dropFirst().first)
sequenceCases(runner)
subjectCases(runner)
kernelCases(runner)
