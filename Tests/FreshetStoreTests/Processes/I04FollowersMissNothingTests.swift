import Freshet
import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I4: a follower gets every change once, in order")
struct I04FollowersMissNothingTests {
  @Test("after every power loss the changes lead from state to state")
  func powerLoss() { CrashResults.expectNone(4) }

  @Test("without inotify the sweep sees everything")
  func sweep() async throws {
    let directory = try TemporaryDirectory()
    let writer = try DatabaseManager.open(at: directory.store, options: .fixed())
    let options = StoreOptions.fixed {
      $0.fileSystem = FaultyFileSystem(hasNoNotifier: true)
      $0.sweepMilliseconds = 2
      $0.isReadOnly = true
    }
    let reader = try DatabaseManager.open(at: directory.store, options: options)
    let changes = Collector(reader.changes(since: .oldest))
    for number in 1...100 {
      _ = try await writer.save(id: "id-\(number)", body: body(number)).value()
    }
    #expect(await changes.values(100).map(\.revision) == Array(1...100))
    reader.close()
    writer.close()
  }

  @Test("a queue of signs that overflows is one sign like any other, and the next one comes too")
  func overflow() throws {
    let directory = try TemporaryDirectory()
    try DatabaseManager.open(at: directory.store, options: .fixed()).close()
    let disk = LiveFileSystem()
    let watch = try disk.watch(directory: directory.store, file: directory.file("HEAD"))
    // Made and removed in turn, so that the system cannot merge them; its queue holds 16 384.
    for _ in 0..<10_000 {
      _ = try disk.open(directory.file("x"), .createNew)
      try disk.remove(directory.file("x"))
    }
    let clock = ContinuousClock()
    let start = clock.now
    try watch.wait(milliseconds: 60_000)
    let head = try disk.open(directory.file("HEAD"), .update)
    try head.writeFully([0], at: 600)
    try watch.wait(milliseconds: 60_000)
    #expect(clock.now - start < .seconds(60), "a wait went on to its end")
  }
}
