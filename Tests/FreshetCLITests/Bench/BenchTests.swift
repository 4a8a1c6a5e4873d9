import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

/// Measuring: what is told, and what the figures mean.
@Suite struct BenchTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  @Test("each run is a sample, each case a summary, and the parts make both")
  func samplesAndSummary() throws {
    let run = try sandbox.run(
      "bench", "--pipeline", "range(1..6400) | map(*3) | filter(even)", "--runs", "3", "--warmup",
      "1")
    #expect(run.status == .exited(0))
    let samples = run.all("bench.sample")
    #expect(samples.map { $0["run"]?.numberValue?.int64 } == [1, 2, 3])
    for sample in samples {
      #expect(sample["parts"]?.arrayValue?.count == 64)
      #expect(sample["out"]?.numberValue?.int64 == 3200)
    }
    let summary = try #require(run.all("bench.summary").first)
    let times = try #require(summary["ns"]?.objectValue)
    let ordered = ["min", "p50", "p90", "p99"].compactMap { times[$0]?.numberValue?.double }
    #expect(ordered.count == 4 && ordered == ordered.sorted() && ordered[0] > 0)
    #expect(summary["machine"]?.stringValue?.isEmpty == false)
  }

  @Test("a pipeline that stops early counts what it took")
  func stopsEarly() throws {
    let run = try sandbox.run(
      "bench", "--pipeline", "range(1..1000000) | take(10)", "--runs", "1", "--warmup", "0")
    #expect(run.all("bench.summary").first?["events"]?.numberValue?.int64 == 10)
  }

  @Test("what a value takes from malloc is counted in the last run that warms up, or not told")
  func allocations() throws {
    let run = try sandbox.run(
      "bench", "subscribe", "--events", "6400", "--runs", "1", "--warmup", "1")
    let summary = try #require(run.all("bench.summary").first)
    let blocks = try #require(summary["allocations"]?.numberValue?.double)
    let bytes = try #require(summary["bytes"]?.numberValue?.double)
    // A subscription is a block at least, and no block is smaller than an object's header.
    #expect(blocks >= 1 && bytes >= 16 * blocks)
    let cold = try sandbox.run(
      "bench", "subscribe", "--events", "6400", "--runs", "1", "--warmup", "0")
    let uncounted = try #require(cold.all("bench.summary").first)
    #expect(uncounted["allocations"] == .null && uncounted["bytes"] == .null)
  }

  @Test("an event costs no block of malloc")
  func eventAllocations() throws {
    let run = try sandbox.run("bench", "encode", "--events", "64000", "--runs", "1")
    let summary = try #require(run.all("bench.summary").first)
    // What the run itself takes, spread over its events; null with a sanitizer's malloc.
    guard let blocks = summary["allocations"]?.numberValue?.double else { return }
    #expect(blocks < 0.05)
  }

  @Test(
    "a signal ends a pipeline from which nothing comes, with its records",
    arguments: [
      "range(1..900000000000000000) | filter(<0)", "subject(2 observers) | filter(<0)",
      "range(1..3) | flatMap(900000000000000000) | filter(<0)", "timer(1h)",
    ])
  func interrupted(_ pipeline: String) throws {
    let child = try sandbox.start(
      "bench", "--pipeline", pipeline, "--events", "900000000000000000", "-v")
    _ = try child.record("stream.hello")
    child.signal(SIGINT)
    let records = try child.rest()
    #expect(child.wait() == .signaled(SIGINT))
    #expect(records.last?.type == "stream.end")
    #expect(records.last?["reason"] == "signal")
  }

  @Test("as many stages as a pipeline may have", arguments: ["map(+1)", "share", "observe"])
  func manyStages(_ stage: String) throws {
    let pipeline = "range(1..3)" + String(repeating: " | " + stage, count: 100)
    let run = try sandbox.run("bench", "--pipeline", pipeline, "--runs", "1", "--warmup", "0")
    #expect(run.status == .exited(0))
    #expect(run.all("bench.summary").first?["out"] == 3)
  }

  @Test("lines of a file, a subject with observers, threads and timers")
  func otherSources() throws {
    let file = try sandbox.file("lines.txt", "one\ntwo\nthree\n")
    for (pipeline, output) in [
      ("lines(\(file)) | filter(contains \"t\") | map(length)", 2),
      ("subject(3 observers) | filter(odd)", 150), ("range(1..1000) | observe | buffer(7)", 15),
      ("timer(1ms) | take(5)", 5),
    ] {
      let run = try sandbox.run(
        "bench", "--pipeline", pipeline, "--runs", "1", "--warmup", "0", "--events", "100")
      #expect(run.status == .exited(0))
      let summary = try #require(run.all("bench.summary").first)
      #expect(summary["out"]?.numberValue?.int64 == Int64(output), "\(pipeline)")
    }
  }

  @Test("every case of the list runs, its floor too")
  func everyCase() throws {
    let list = try sandbox.run("bench", "--list")
    let names = list.all("bench.case").compactMap { $0["case"]?.stringValue }
    #expect(names.count >= 10)
    for name in names {
      let run = try sandbox.run("bench", name, "--runs", "1", "--warmup", "0", "--events", "200")
      #expect(run.status == .exited(0), "\(name)")
      #expect(run.all("bench.summary").contains { $0["case"]?.stringValue == name })
    }
  }

  @Test("with --alone nothing is done by hand, and all values go in, whatever their number")
  func alone() throws {
    let run = try sandbox.run(
      "bench", "subject", "replay", "--alone", "--runs", "1", "--warmup", "0", "--events", "203")
    #expect(run.status == .exited(0))
    let summaries = run.all("bench.summary")
    let cases = summaries.compactMap { $0["case"]?.stringValue }
    #expect(cases.contains("replay") && cases.count > 1)
    for summary in summaries {
      #expect(summary["floor_ns"] == JSONValue.null && summary["ratio"] == JSONValue.null)
      #expect(summary["events"]?.numberValue?.int64 == 203)
      #expect(summary["out"]?.numberValue?.int64 == 203)
    }
  }

  @Test(
    "a signal, sent twice at once as timeout(1) does, ends an endless run, and the end is told",
    arguments: [
      ["--pipeline", "range(1..9223372036854775806) | map(+1)"],
      ["subject-100", "--events", "9223372036854775807"], ["--pipeline", "timer(1s)"],
    ])
  func signal(_ words: [String]) throws {
    let child = try Child(
      ["bench"] + words, environment: ["HOME": sandbox.folder.path], input: .null)
    _ = try child.record("stream.hello")
    child.signal(SIGINT)
    child.signal(SIGINT)
    #expect(try child.record("stream.end")["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGINT))
  }

  @Test("figures that nobody measured are no samples, and the largest can be told")
  func absurdFigures() throws {
    func sample(_ parts: String) throws -> String {
      let line = #"{"type":"bench.sample","data":{"case":"merge","parts":["# + parts + "]}}"
      return try sandbox.file("absurd.ndjson", line + "\n")
    }
    let arguments = ["bench", "merge", "--events", "640", "--runs", "1", "--warmup", "0"]
    let nothing = try sandbox.run(
      arguments + ["--compare", try sample("1e400,-5,null,1e300")], bytes: nil)
    #expect(nothing.all("stream.error").first?.errorCode == "no_samples")
    for parts in ["0.0000001", "999999999999999"] {
      let before = try sample(parts)
      let page = sandbox.path("absurd.html")
      let run = try sandbox.run(
        arguments + ["--compare", before, "--html", page], bytes: nil)
      #expect(run.status == .exited(0), "\(parts)")
      let people = try sandbox.lines(
        "bench", "merge", "--events", "640", "--runs", "1", "--compare", before, "--format", "text")
      #expect(people.status == .exited(0), "\(parts)")
    }
    #expect(BenchText.decimals(1e300, 1) == "1e+300" && BenchText.short(1e20) == "1e+20")
    #expect(BenchText.short(123.4) == "123" && BenchText.decimals(-0.04, 1) == "0.0")
  }

  @Test("a result compares with an earlier one, and becomes a page")
  func comparisonAndPage() throws {
    let arguments = ["bench", "map-filter-reduce", "--events", "64000", "--runs", "4"]
    let first = try sandbox.run(arguments, bytes: nil)
    let before = try sandbox.file(
      "before.ndjson", first.records.map(\.text).joined(separator: "\n"))
    let page = sandbox.path("page.html")
    let second = try sandbox.run(
      arguments + ["--compare", before, "--html", page], bytes: nil)
    #expect(second.status == .exited(0))
    let change = try #require(second.all("bench.summary").first?["change"]?.objectValue)
    #expect(["same", "slower", "faster"].contains(change["verdict"]?.stringValue))
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("<svg") && html.contains("map-filter-reduce") && html.contains("before"))
    #expect(!html.contains("<script") && !html.contains("http://") && !html.contains("https://"))
  }

  @Test("what cannot be measured is refused and told why")
  func refusals() throws {
    let nothing = try sandbox.file("empty.ndjson", "{}\n")
    let blank = try sandbox.file("blank.txt", "")
    let other = try sandbox.file(
      "other.ndjson", #"{"type":"bench.sample","data":{"case":"subject","parts":[1,2,3]}}"#)
    for (arguments, code, words) in [
      (["bench", "no-such-case"], "unknown_case", "no-such-case"),
      (["bench", "--pipeline", "range(1..3) | mpa(*2)"], "bad_pipeline", "column 15"),
      (["bench", "subject", "--pipeline", "range(1..3)"], "bad_arguments", "either"),
      (["bench", "--compare", nothing], "no_samples", "bench.sample"),
      (["bench", "--compare", "/no/such"], "unreadable_input", "/no/such"),
      (["bench", "--pipeline", "lines(/no/such)"], "unreadable_input", "/no/such"),
      (
        ["bench", "--pipeline", "range(1..3)" + String(repeating: "|observe", count: 9000)],
        "bad_pipeline", "at most 100 stages"
      ),
      (["bench", "--runs", "0"], "bad_option", "runs"),
      (["bench", "--runs", "9223372036854775807"], "bad_option", "100000"),
      (["bench", "--warmup", "-1"], "bad_option", "warmup"),
      (["bench", "--events", "-5"], "bad_option", "events"),
      (["bench", "merge", "--html", "/dev/null"], "bad_option", "no file"),
      (["bench", "merge", "--html", "/"], "bad_option", "folder"),
      (["bench", "merge", "--html", "/no/such/page"], "bad_option", "/no/such/page"),
      (["bench", "merge", "--compare", other], "no_samples", "“subject”, not of “merge”"),
      (["bench", "--pipeline", "lines(-)"], "no_lines", "standard input"),
      (["bench", "--pipeline", "lines(\(blank))"], "no_lines", "blank"),
    ] {
      let run = try sandbox.run(arguments, bytes: nil)
      #expect(run.status == .exited(2), "\(arguments)")
      #expect(run.all("stream.error").first?.errorCode == code)
      #expect(run.errors.contains(words))
    }
  }

  @Test("a page replaces no file that it was not meant to")
  func pageInTheWay() throws {
    let sample = #"{"v":1,"type":"bench.sample","data":{"case":"merge","parts":[1,2,3]}}"#
    let before = try sandbox.file("before.ndjson", sample)
    let other = sandbox.path("other")
    try FileManager.default.linkItem(atPath: before, toPath: other)
    let link = sandbox.path("link.html")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: before)
    let words = try sandbox.file("words.txt", "one\ntwo\n")
    for (arguments, told) in [
      (["merge", "--html", "-"], "standard output"), (["merge", "--html", link], "symbolic link"),
      (["merge", "--compare", before, "--html", before], "--compare"),
      (["merge", "--compare", before, "--html", other], "--compare"),
      (["--pipeline", "lines(\(words))", "--html", words], "reads its lines"),
    ] {
      let run = try sandbox.run(["bench"] + arguments, bytes: nil)
      #expect(run.status == .exited(2), "\(arguments)")
      #expect(run.all("stream.error").first?.errorCode == "bad_option")
      #expect(run.errors.contains("--html") && run.errors.contains(told))
    }
    #expect(try String(contentsOfFile: before, encoding: .utf8) == sample)
    #expect(try String(contentsOfFile: words, encoding: .utf8) == "one\ntwo\n")
    #expect(!FileManager.default.fileExists(atPath: "-"))
    let out = sandbox.path("out.ndjson")
    let child = try Child(
      ["bench", "merge", "--html", out], environment: ["HOME": sandbox.folder.path],
      output: .file(out))
    #expect(child.wait() == .exited(2) && child.errorText.contains("standard output"))
  }

  @Test("the list is of the cases that are named, and takes no option of measuring")
  func listAlone() throws {
    let list = try sandbox.run("bench", "--list", "sub*", "merge")
    let names = list.all("bench.case").compactMap { $0["case"]?.stringValue }
    #expect(names.contains("merge") && names.allSatisfy { $0.hasPrefix("sub") || $0 == "merge" })
    for option in ["--pipeline=range(1..3)", "--events=3", "--runs=3", "--compare=x", "--alone"] {
      let run = try sandbox.run("bench", "--list", option)
      #expect(run.status == .exited(2) && run.errors.contains("means nothing with --list"))
    }
    let alone = try sandbox.run("bench", "--pipeline", "range(1..3)", "--alone")
    #expect(alone.status == .exited(2) && alone.errors.contains("--alone"))
  }

  @Test("a result of another envelope version is refused at its line")
  func otherVersion() throws {
    let file = try sandbox.file(
      "later.ndjson",
      """
      {"v":1,"type":"bench.sample","data":{"case":"merge","parts":[1]}}
      {"v":2,"type":"bench.sample","data":{"case":"merge","parts":[1]}}
      """)
    let run = try sandbox.run("bench", "merge", "--compare", file)
    #expect(run.status == .exited(2) && run.all("stream.error").first?.errorCode == "bad_record")
    #expect(run.errors.contains("line 2 of \(file)") && run.errors.contains("version 2"))
  }

  @Test("a difference that does not show is none")
  func noDifference() {
    func change(_ percent: Double, _ confidence: Double = 1) -> String {
      BenchSummary.Change(baseline: 1, percent: percent, confidence: confidence).words
    }
    #expect(change(0) == "same 0.0 %" && change(-0.04) == "same 0.0 %")
    #expect(change(0.06) == "slower +0.1 %" && change(-2) == "faster -2.0 %")
    #expect(change(3, 0.5) == "same +3.0 %")
  }

  @Test(
    "a signal leaves no folder behind, however long the work goes on",
    arguments: ["save", "save-1000", "replay", "watch"])
  func noFolderLeft(_ name: String) throws {
    let temporary = sandbox.path("tmp")
    try FileManager.default.createDirectory(
      atPath: temporary, withIntermediateDirectories: true)
    let child = try Child(
      ["bench", name, "--alone", "--events", "50000000", "--runs", "1", "--warmup", "0"],
      environment: ["HOME": sandbox.folder.path, "TMPDIR": temporary])
    _ = try child.record("stream.hello")
    // The folder is there before the work begins.
    let limit = ContinuousClock.now + .milliseconds(Int(Child.patience))
    while try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty {
      try #require(ContinuousClock.now < limit, "no folder was made")
      sched_yield()
    }
    child.signal(SIGTERM)
    #expect(try child.record("stream.end")["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGTERM))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
  }

  @Test("the test of differences knows equal from different, and says little of few")
  func confidence() {
    let low = (1...10).map(Double.init)
    let high = (11...20).map(Double.init)
    #expect(Statistics.confidence(low, high) > 0.999)
    #expect(Statistics.confidence(low, low) < 0.1)
    #expect(Statistics.confidence([1, 2], [8, 9]) == 0)
    #expect(Statistics.confidence([5, 5, 5], [5, 5, 5]) == 0)
    // By hand: U = 3 of 25, z = (9.5 − 0.5) / 4.787, two-sided p 0.0601.
    let p = 1 - Statistics.confidence([1, 2, 3, 4, 7], [5, 6, 8, 9, 10])
    #expect(abs(p - 0.0367) < 0.001)
  }

  @Test("percentiles by nearest rank")
  func percentiles() {
    let values = (1...10).map(Double.init)
    #expect(Statistics.percentile(50, of: values) == 5)
    #expect(Statistics.percentile(90, of: values) == 9)
    #expect(Statistics.percentile(99, of: values) == 10)
    #expect(Statistics.percentile(0, of: values) == 1)
  }

  @Test("names match by stars")
  func wildcards() {
    #expect(Wildcard.matches("sub*100", "subject-100"))
    #expect(Wildcard.matches("*", "subject-100"))
    #expect(Wildcard.matches("s*j*t*1*", "subject-100"))
    #expect(Wildcard.matches("", ""))
    #expect(!Wildcard.matches("*merge*", "subject-100"))
    #expect(!Wildcard.matches("subject-*", "subject"))
    #expect(!Wildcard.matches("subject", "subject-100"))
  }
}
