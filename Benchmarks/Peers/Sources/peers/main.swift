// Question: what does the same work cost in each library?
// usage: swift run -c release --package-path Benchmarks/Peers peers [PART-OF-A-NAME] [--table]

var arguments = Array(CommandLine.arguments.dropFirst())
let asTable = arguments.contains("--table")
arguments.removeAll { $0 == "--table" }

let report = Report(
  libraries: [.freshet, .openCombine, .rxSwift, .reactiveSwift, .asyncSequences],
  only: arguments.first, slices: 15, asTable: asTable)
report.run()
