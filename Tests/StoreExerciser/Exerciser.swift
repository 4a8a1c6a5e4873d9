import Glibc
import StoreFaults

/// Puts a store through what tests of one process cannot, or not as often.
///
/// The first words are for people and for `.ci/run`; the others are the children of the tests.
@main
enum Exerciser {
  static let help = """
    StoreExerciser crash [STATES]       power losses at every boundary of scripted runs
    StoreExerciser mutations [WORD]     leaves out each sync in turn; each must be missed
    StoreExerciser calls                lets each call fail in turn
    StoreExerciser model [SEQUENCES]    random histories against a list
    StoreExerciser sweep                each byte flipped, each sector zeroed
    StoreExerciser writers [FOLDER]     four processes that compare and set, stopped and killed
    StoreExerciser kill [KILLS] [FOLDER]  kills writers, with a follower in a third process
    StoreExerciser live [SECONDS] [FOLDER]  writers, compaction, followers, lists, without a pause
    StoreExerciser soak MINUTES FOLDER  the same with pauses and kills
    FRESHET_SEED replays a run.
    """

  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      try run(words)
    } catch {
      Report.line("\(error)")
      exit(1)
    }
  }

  private static func run(_ words: [String]) throws {
    func number(_ at: Int, or other: Int) -> Int {
      words.count > at ? Int(words[at]) ?? other : other
    }
    switch words.first {
    case "crash": Runs.crash(number(1, or: 60_000))
    case "mutations": Runs.mutations(words.count > 1 ? words[1] : "")
    case "calls": Runs.calls()
    case "model": Runs.model(number(1, or: 10_000))
    case "sweep": Runs.sweep()
    case "writers": try Runs.writers(words.count > 1 ? words[1] : "/tmp")
    case "kill": try Runs.kill(number(1, or: 1000), words.count > 2 ? words[2] : "/tmp")
    case "live": try Runs.live(number(1, or: 10), words.count > 2 ? words[2] : "/tmp")
    case "soak" where words.count > 2: try Runs.soak(number(1, or: 30), words[2])
    case "write" where words.count > 4:
      try ChildWork.write(
        words[1], name: words[2], from: number(3, or: 0), isRelaxed: words[4] == "relaxed",
        isPaced: words[4] == "paced")
    case "follow" where words.count > 1: try ChildWork.follow(words[1])
    case "compete" where words.count > 2:
      try ChildWork.compete(words[1], count: number(2, or: 1))
    case "live-write" where words.count > 4:
      try LiveWork.write(
        words[1], name: words[2], from: number(3, or: 0), pause: UInt32(number(4, or: 0)))
    case "live-compact" where words.count > 2:
      try LiveWork.compact(words[1], pause: UInt32(number(2, or: 0)))
    case "live-follow" where words.count > 1:
      try LiveWork.follow(words[1], naps: number(2, or: 0))
    case "live-list" where words.count > 1: try LiveWork.list(words[1])
    case "live-observe" where words.count > 1: try LiveWork.observe(words[1])
    case "hold" where words.count > 1: try ChildWork.hold(words[1])
    case "fill" where words.count > 2:
      try ChildWork.fill(words[1], limit: UInt(number(2, or: 65_536)))
    case "descriptors": try ChildWork.descriptors()
    default:
      Report.line(help)
      exit(64)
    }
  }
}

enum Report {
  static func line(_ text: String) { _ = ChildWork.say(text) }

  /// Ends the program with 1 when anything went wrong.
  static func end(_ violations: [String]) {
    for violation in violations.prefix(20) { line("  " + violation) }
    if !violations.isEmpty { exit(1) }
  }
}
