// Question: what does the store cost, beside SQLite's C library called from Swift with prepared
// statements? One JSON line per row; see Benchmarks/README.md.
// usage: FRESHET_SQLITE=1 swift run -c release --package-path Benchmarks store
//          [PART-OF-A-NAME] [--rounds 5] [--records 1000000] [--dir DIR] [--patience 60]
//          [--alone]

let bench = Bench(CommandLine.arguments)
if let child = bench.child {
  runChild(child, bench)
} else {
  writeCases(bench)
  processCases(bench)
  feedCases(bench)
  sizeCases(bench)
  readCases(bench)
}
