// Question: what does a value cost in a flow, against the same work by hand?
// One line of JSON a row, or a table; see Benchmarks/README.md.
import BenchFigures

let usage = """
  swift run -c release --package-path Benchmarks streams [PART-OF-A-NAME] [--table] [--slices 100]
         streams --allocations        blocks of malloc for one value, one line per flow
         streams --once NAME VALUES   one flow's work, for a counter of instructions
  """

func runAll(_ arguments: Arguments) {
  var arguments = arguments
  var only: String?
  var isTable = false
  var slices = 100
  while let word = arguments.next() {
    switch word {
    case "--allocations": return printAllocations()
    case "--once":
      let name = arguments.value(of: word)
      if !runOnce(name, arguments.number(of: word)) { stop("--allocations prints no \(name)") }
      return
    case "--table": isTable = true
    case "--slices": slices = arguments.number(of: word)
    default: only = arguments.part(word, after: only)
    }
  }
  let report = Report(columns: isTable ? Runner.columns : nil, only: only)
  let runner = Runner(slices: slices, report: report)
  sequenceCases(runner)
  depthCases(runner)
  subjectCases(runner)
  combiningCases(runner)
  flatteningCases(runner)
  timingCases(runner)
  singleValueCases(runner)
  memoryCases(runner)
  report.end()
}

runAll(Arguments(CommandLine.arguments, usage: usage))
