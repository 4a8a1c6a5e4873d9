/// `freshet watch`: views and everything that happens to them.
enum WatchCommand {
  static let spec = CommandSpec(
    name: "watch",
    summary: "Follow views live.",
    arguments: [
      ArgumentSpec(
        name: "VIEW",
        help: "downloads (the default), saved, books, guidance, detail ID, or search QUERY alone",
        count: 0...Int.max, choices: WatchPlan.words, isOpen: true)
    ],
    options: [
      .value(
        "since", "CURSOR",
        "begin after a cursor, at the next change (now), or at the oldest (start)"),
      .value(
        "cursor-file", "FILE", "begin at the cursor in FILE if there is one, and keep it up to date"
      ),
      .value(
        "initial", "WHAT", choices: ["snapshot", "none", "only"],
        "print the state first, not at all, or nothing else"),
      .value("filter", "KEY=VALUE", "tell only what has this value; may be repeated"),
      .value("type", "TYPE", "tell only events of this type, or item.*; may be repeated"),
      .value("count", "N", "end after N item events, with the commit they are in"),
      .value("until-idle", "DUR", "end when nothing was told for this time"),
      .value("timeout", "DUR", "end after this time, with exit code 6"),
      .value("heartbeat", "DUR", "a bookmark after so much silence: 15s (default), or off"),
      .value(
        "on-slow", "WHAT", choices: ["block", "resync"],
        "search: when the reader stands still, wait (block), or tell a gap and the state after it"),
      .flag("strict", "end with exit code 3 where a gap or a reset would be told"),
      .value("from-file", "FILE", "replay the records in FILE, - for stdin, instead of a store"),
      .value("grade", "N", "guidance: only this grade"),
      .value("class", "N", "guidance: only this class of the grade"),
      .value(
        "source", "NAME", choices: CatalogAccess.Source.allCases.map(\.rawValue),
        "search: which catalogue"),
      .value(
        "scroll", "WHERE", choices: ["stdin"],
        "search: go on with lines of submit QUERY, more, retry, cancel, clear, select ID"),
      .value(
        "retry", "N",
        "search: how often a failed request is made again: 3 (default), at most 1000"),
      .value("country", "CC", "search: two letters of the country, where Google wants it named"),
    ] + CatalogAccess.options,
    examples: [
      .init(line: "freshet watch downloads", meaning: "the state, then every change as it happens"),
      .init(
        line: "freshet watch downloads saved detail film:tmdb:movie:603",
        meaning: "three views in one stream; a commit is told for all of them at once"),
      .init(
        line: "freshet watch --filter kind=book --filter source=kakao --type 'item.*'",
        meaning: "what happens to the books of one catalogue"),
      .init(
        line: "freshet watch guidance --grade 2 --class 8", meaning: "the guidances of one class"),
      .init(
        line: "freshet watch --since start --cursor-file cur.json >>log.ndjson",
        meaning: "a log that can be stopped and goes on where it was"),
      .init(
        line: "freshet watch --from-file log.ndjson --type item.added",
        meaning: "the same log again, as a reader of the stream would get it"),
      .init(
        line: "freshet watch | jq --unbuffered -c 'select(.type==\"item.added\")'",
        meaning: "only what is new"),
    ],
    notes: [
      "Changes are pulled from the store's log: a slow reader lags, and misses nothing.",
      "downloads are all saved items, saved the books among them; both tell the items. The other "
        + "views tell the transitions of their screen.",
      "A filter's KEY is a field of the item (kind, source, title, isbn.isbn13, extra.anything), "
        + "view, or a path in the record such as data.to. * in VALUE stands for anything. Of one "
        + "key any value will do; different keys must all fit; what lacks the field is not told.",
      "A cursor fits the views, filters and types it was taken with, and no others.",
      "A time is written with its unit: 250ms, 15s, 2m or 1h.",
      "There must be a store; freshet save makes one.",
    ],
    run: { (invocation, session) throws(Stop) in
      if invocation.has("from-file") { return try LogReplay(invocation, session).run() }
      if invocation.arguments.first == View.search.rawValue {
        return try SearchWatch(invocation, session).run()
      }
      return try StoreWatch(invocation, session).run()
    })
}
