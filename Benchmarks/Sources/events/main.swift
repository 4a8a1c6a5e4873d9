// Question: does the event stream of the built program reach its bars, from end to end? One line of
// JSON a bar, or a table; see Benchmarks/README.md.

let suite = Suite(CommandLine.arguments)
if suite.wants("version") { version(suite) }
if suite.wants("encode/JSONEncoder") || suite.wants("encode/serde_json") { encode(suite) }
if suite.wants("line-per-write") { linePerWrite(suite) }
if suite.wants("latency") { latency(suite) }
if suite.wants("reader-dies") { readerDies(suite) }
if suite.wants("sigterm") { sigterm(suite) }
if suite.wants("stalled-reader") { stalledReader(suite) }
suite.report.end()
