// Question: does the event stream of the built program reach its bars, from end to end? One JSON
// line per bar; see Benchmarks/README.md.
// usage: swift build -c release && swift run -c release --package-path Benchmarks events
//          [PART-OF-A-NAME] [--program .build/release/freshet] [--events 1000000] [--rounds 40]
//          [--serde PROGRAM] [--dir DIR]

let suite = Suite(CommandLine.arguments)
if suite.wants("version") { version(suite) }
if suite.wants("encode") { encode(suite) }
if suite.wants("line-per-write") { linePerWrite(suite) }
if suite.wants("latency") { latency(suite) }
if suite.wants("reader-dies") { readerDies(suite) }
if suite.wants("sigterm") { sigterm(suite) }
if suite.wants("stalled-reader") { stalledReader(suite) }
