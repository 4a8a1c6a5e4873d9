import Glibc
import StoreFaults

@main
enum Exerciser {
  static func main() {
    let run = ScriptRun()
    run.run(Script.long(240, seed: 1))
    say("\(run.points.count) points, violations \(run.violations.prefix(10))")
    var explorer = CrashExplorer()
    if CommandLine.arguments.count > 1 {
      explorer.randomStates = Int(CommandLine.arguments[1]) ?? 64
    }
    let report = explorer.explore(run.points)
    say(
      "\(report.points) points, \(report.states) states, \(report.nested) nested, \(report.violations.count) violations"
    )
    for (v, p) in zip(report.violations, report.places) { say("\(v) @ \(p)") }
    for s in report.sites.union(run.sites).map(\.description).sorted() { say(s) }
  }
  static func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
