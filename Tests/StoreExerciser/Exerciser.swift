import Glibc
import StoreFaults

@main
enum Exerciser {
  static func main() {
    var explorer = CrashExplorer()
    explorer.randomStates = 4
    let check = MutationCheck(explorer: explorer, steps: Script.long(240, seed: 1))
    for site in check.sites() {
      let f = check.check(site)
      say("\(site): \(f.violation.map { "\($0)" } ?? "MISSED BY NOBODY") @ \(f.place ?? "")")
    }
  }
  static func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
