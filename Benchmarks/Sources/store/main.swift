// Question: what does the store cost, beside SQLite's C library called from Swift with prepared
// statements? One line of JSON a row, or a table; see Benchmarks/README.md.

let bench = Bench(CommandLine.arguments)
if let child = bench.child {
  runChild(child, bench)
} else if let counting = bench.counting {
  count(counting, bench)
} else {
  writeCases(bench)
  processCases(bench)
  feedCases(bench)
  sizeCases(bench)
  readCases(bench)
  bench.report.end()
}
