import FreshetStore

/// Where a run of `watch` begins and what ends it.
struct WatchBounds {
  /// Where to begin, and whether the state there is printed.
  struct Start {
    var position: StartPosition
    var showsSnapshot: Bool
  }

  let start: Start
  let cursorFile: CursorFile?
  let isOnlySnapshot: Bool
  let isStrict: Bool
  let count: Int?
  let timeout: Duration?
  let untilIdle: Duration?
  let heartbeat: Duration?

  init(_ invocation: Invocation, _ plan: WatchPlan) throws(Stop) {
    cursorFile = invocation.value("cursor-file").map(CursorFile.init)
    count = try invocation.wholeNumber("count", atLeast: 1)
    timeout = try invocation.duration("timeout")
    untilIdle = try invocation.duration("until-idle")
    heartbeat =
      invocation.value("heartbeat") == "off"
      ? nil : try invocation.duration("heartbeat") ?? .seconds(15)
    isStrict = invocation.has("strict")
    isOnlySnapshot = invocation.value("initial") == "only"
    start = try Self.start(invocation, cursorFile, plan)
  }

  /// A cursor file that exists wins over `--since`, which is for the first run.
  private static func start(
    _ invocation: Invocation, _ file: CursorFile?, _ plan: WatchPlan
  ) throws(Stop) -> Start {
    let initial = invocation.value("initial")
    let wantsSnapshot = initial == "snapshot" || initial == "only"
    if let cursor = try file?.read() {
      return Start(position: .after(try plan.place(of: cursor)), showsSnapshot: wantsSnapshot)
    }
    switch invocation.value("since") {
    case nil: return Start(position: .snapshot, showsSnapshot: initial != "none")
    case "now": return Start(position: .now, showsSnapshot: wantsSnapshot)
    case "start": return Start(position: .oldest, showsSnapshot: wantsSnapshot)
    case .some(let text):
      let cursor: Cursor
      do {
        cursor = try Cursor(parsing: text)
      } catch {
        let shown = "“\(text.prefix(80))”"
        throw .usage(
          "bad_cursor",
          error == .damaged
            ? "the cursor \(shown) of --since is damaged: its check does not match"
            : "--since takes a cursor of an earlier event, now or start, not \(shown)")
      }
      return Start(position: .after(try plan.place(of: cursor)), showsSnapshot: wantsSnapshot)
    }
  }
}
