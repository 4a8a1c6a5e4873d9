import Glibc
import StoreFaults

@main
enum Exerciser {
  static func main() {
    let a = CommandLine.arguments
    var explorer = CrashExplorer()
    if a[1] == "m" {
    explorer.randomStates = 12
    let check = MutationCheck(explorer: explorer, steps: Script.long(80, seed: 1))
    for site in check.sites() {
      let f = check.check(site)
      say("\(site): \(f.violation.map { "\($0)" } ?? "MISSED BY NOBODY") @ \(f.place ?? "")")
    }
    } else {
      for seed in 1...Int(a[2])! {
    explorer.seed = UInt64(seed)
    explorer.randomStates = Int(a[3])!
    let run = ScriptRun()
    run.run(Script.long(Int(a[4])!, seed: UInt64(seed)))
    let report = explorer.explore(run.points)
    say("seed \(seed) \(report.points) points, \(report.states) states, \(report.nested) nested, \(report.violations.count) violations \(run.violations)")
    for (v, p) in zip(report.violations, report.places) { say("\(v) @ \(p)") }
      }
    }
  }
  static func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
