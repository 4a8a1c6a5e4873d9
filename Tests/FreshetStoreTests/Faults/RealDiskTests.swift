import Foundation
import Freshet
import StoreFaults
import Testing

@testable import FreshetStore

/// Mounts are for root; elsewhere these tests are passed over.
private enum Mounts {
  static let isAllowed = geteuid() == 0 && run("unshare -m true") == 0
  static let hasLoopDevices = isAllowed && run("losetup -f && command -v mkfs.ext4") == 0

  static func run(_ command: String) -> Int32 {
    guard let child = try? ChildProcess("/bin/sh", ["-c", command + " 2>&1"]) else { return -1 }
    while !child.lines(wait: true).isEmpty {}
    return child.wait()
  }
}

/// I8 and I1 on disks that really refuse.
@Suite("Real disks", .serialized)
struct RealDiskTests {
  private func save(_ manager: DatabaseManager, _ number: Int, size: Int) async -> StoreError? {
    let body = Array(#"{"n":\#(number),"p":"\#(String(repeating: "x", count: size))"}"#.utf8)
    do {
      _ = try await manager.save(id: "id-\(number)", body: body).value()
      return nil
    } catch let error as StoreError {
      return error
    } catch {
      Issue.record(error)
      return nil
    }
  }

  @Test(
    "a full disk takes nothing; with room again the open store goes on",
    .enabled(if: Mounts.isAllowed, "needs root, to mount a small file system"))
  func full() async throws {
    let directory = try TemporaryDirectory()
    let mount = directory.path + "/mount"
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
    try #require(Mounts.run("mount -t tmpfs -o size=128k,mode=0700 tmpfs \(mount)") == 0)
    defer { _ = Mounts.run("umount \(mount)") }
    try Data(count: 20_000).write(to: URL(fileURLWithPath: mount + "/filler"))
    let manager = try DatabaseManager.open(at: mount + "/store")
    var count = 0
    var error: StoreError?
    while error == nil, count < 1000 {
      count += 1
      error = await save(manager, count, size: 700)
    }
    #expect(error?.code == .diskFull)
    let before = try await manager.fetch().value().count
    #expect(before == count - 1)
    try FileManager.default.removeItem(atPath: mount + "/filler")
    for number in count..<(count + 5) { #expect(await save(manager, number, size: 700) == nil) }
    #expect(manager.token.revision == Int64(count + 4))
    manager.close()
    let reopened = try DatabaseManager.open(at: mount + "/store")
    #expect(reopened.lostFile == nil)
    #expect(try await reopened.fetch().value().count == count + 4)
    reopened.close()
  }

  @Test(
    "a device that loses what it was given: no answer after the first failed sync, and every one before it is kept",
    .enabled(if: Mounts.hasLoopDevices, "needs root and a loop device"))
  func failedSync() async throws {
    let directory = try TemporaryDirectory()
    let (outer, inner) = (directory.path + "/outer", directory.path + "/inner")
    for path in [outer, inner] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    // The image is larger than the file system it lies on: some writes can never reach it.
    let image = outer + "/image"
    try #require(
      Mounts.run(
        "mount -t tmpfs -o size=6m tmpfs \(outer) && truncate -s 64m \(image)"
          + " && mkfs.ext4 -q -E lazy_itable_init=1,nodiscard \(image)"
          + " && mount -o loop \(image) \(inner)") == 0)
    defer { _ = Mounts.run("umount \(inner); umount \(outer)") }
    let path = inner + "/store"
    let manager = try DatabaseManager.open(at: path)
    var answered: [String] = []
    var failed = 0
    for number in 1...200 {
      if let error = await save(manager, number, size: 60_000) {
        failed += 1
        #expect([.durabilityUnknown, .storeFailed, .ioError, .diskFull].contains(error.code))
      } else {
        #expect(failed == 0, "an answer after a failed sync")
        answered.append("id-\(number)")
      }
      if failed > 5 { break }
    }
    #expect(failed > 5)
    manager.close()
    // What the cache shows is not what the device has.
    #expect(Mounts.run("echo 3 > /proc/sys/vm/drop_caches") == 0)
    var options = StoreOptions()
    options.isReadOnly = true
    let reopened = try DatabaseManager.open(at: path, options: options)
    #expect(try await reopened.fetch().value().map(\.id) == answered)
    reopened.close()
  }
}
