import Freshet
import Glibc
import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I11: reading takes no lock")
struct I11ReadersTakeNoLockTests {
  @Test("with a stopped process holding LOCK, readers and followers go on; a writer says who it is")
  func stoppedHolder() async throws {
    let directory = try TemporaryDirectory()
    let writer = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await writer.save(id: "a", body: body(1)).value()
    let holder = try ChildProcess(ExerciserProgram.path, ["hold", directory.store])
    #expect(holder.lines(wait: true) == ["held"])
    holder.signal(SIGSTOP)
    let options = StoreOptions.fixed { $0.isReadOnly = true }
    let reader = try DatabaseManager.open(at: directory.store, options: options)
    #expect(try await reader.contents() == [#"a={"n":1}"#])
    let changes = Collector(reader.changes(since: .oldest))
    #expect(await changes.values(1).map(\.revision) == [1])
    let error = await #expect(throws: StoreError.self) {
      _ = try await writer.save(id: "b", body: body(2)).value()
    }
    #expect(error?.code == .locked)
    holder.signal(SIGKILL)
    holder.wait()
    #expect(try await writer.save(id: "b", body: body(2)).value() == .saved)
    #expect(await changes.values(2).map(\.revision) == [1, 2])
    reader.close()
    writer.close()
  }

  @Test("a stopped reader keeps no writer waiting")
  func stoppedReader() async throws {
    let directory = try TemporaryDirectory()
    let writer = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await writer.save(id: "a", body: body(1)).value()
    let reader = try ChildProcess(ExerciserProgram.path, ["follow", directory.store])
    #expect(reader.lines(wait: true) == ["1 added:a"])
    reader.signal(SIGSTOP)
    for number in 2...20 {
      #expect(try await writer.save(id: "id-\(number)", body: body(number)).value() == .saved)
    }
    reader.signal(SIGCONT)
    var lines: [String] = []
    while lines.count < 19 {
      let more = reader.lines(wait: true)
      if more.isEmpty { break }
      lines += more
    }
    #expect(lines == (2...20).map { "\($0) added:id-\($0)" })
    writer.close()
  }
}
