import Foundation
import Freshet
import FreshetStore
import FreshetTestServer
import Synchronization
import Testing

@testable import FreshetCatalog

@Suite("Pictures, from a real server")
struct AssetLoaderTests {
  @Test("progress, then the picture, under the hash of its address; the next time without asking")
  func load() throws {
    let picture = AssetRig.picture(200_000)
    let rig = try AssetRig { .file(picture, for: $0) }
    let loader = rig.loader()
    let address = rig.server.url + "/p.jpg?a=1&b=%c3%a9"
    let loading = Loading(loader.load(address))
    #expect(try loading.bytes() == picture)
    #expect(loading.events.first == .progress(doneBytes: 0, totalBytes: 200_000))
    #expect(loading.doneBytes == 200_000)
    #expect(try rig.names() == [rig.key("/p.jpg?a=1&b=%C3%A9")])
    // From memory, in whatever spelling; then from disk, by a loader that knows nothing.
    #expect(try Loading(loader.load(rig.server.url + "/./p.jpg?a=1&b=%C3%A9#x")).bytes() == picture)
    let other = rig.loader()
    #expect(other.isKept(address))
    #expect(try Loading(other.load(address)).bytes() == picture)
    #expect(other.cached(address) == loading.events.last)
    #expect(other.cached(rig.server.url + "/other") == nil)
    #expect(rig.server.requests.count == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: rig.assets)[.posixPermissions]
    #expect(mode as? Int == 0o700)
  }

  @Test("nothing is asked before somebody subscribes")
  func lazy() throws {
    let rig = try AssetRig { .file(AssetRig.picture(10), for: $0) }
    _ = rig.loader().load(rig.server.url + "/p")
    #expect(rig.server.requests.isEmpty)
    #expect(try rig.names().isEmpty)
  }

  @Test("a transfer that brought nothing leaves nothing behind", arguments: [404, 500, 0])
  func nothing(status: Int) throws {
    let rig = try AssetRig { _ in
      status == 0 ? TestAnswer([.close]) : .body(status, [1], type: "image/jpeg")
    }
    #expect(try Loading(rig.loader(attempts: 2).load(rig.server.url + "/p")).code() != "finished")
    #expect(try rig.names() == [])
  }

  // MARK: Going on

  @Test("a cut transfer goes on where it was, checked by its ETag")
  func resume() throws {
    let picture = AssetRig.picture(200_000)
    let rig = try AssetRig {
      .file(picture, for: $0, cutAfter: $0.number < 2 ? 70_000 : nil)
    }
    #expect(try Loading(rig.loader().load(rig.server.url + "/p")).bytes() == picture)
    let asked = rig.server.requests
    #expect(asked.count == 3)
    #expect(asked[0].header("range") == nil)
    #expect(asked.dropFirst().allSatisfy { $0.header("if-range") == "\"v1\"" })
    let starts = asked.dropFirst().map { $0.header("range") ?? "" }
    #expect(starts.allSatisfy { $0.hasPrefix("bytes=") && $0 != "bytes=0-" })
    #expect(try rig.names() == [rig.key("/p")])
  }

  @Test("another loader, as after a crash, goes on with what there is")
  func resumeLater() throws {
    let picture = AssetRig.picture(200_000)
    let rig = try AssetRig {
      .file(picture, for: $0, cutAfter: $0.number == 0 ? 150_000 : nil)
    }
    let first = Loading(rig.loader(attempts: 1).load(rig.server.url + "/p"))
    #expect(try first.code() == "connection_lost")
    let key = rig.key("/p")
    #expect(try rig.names() == [key + ".note", key + ".part"])
    #expect(try Loading(rig.loader().load(rig.server.url + "/p")).bytes() == picture)
    #expect(rig.server.requests[1].header("range") == "bytes=\(first.doneBytes)-")
  }

  @Test(
    "a picture that has changed, or whose bytes cannot be trusted, is fetched from its beginning",
    arguments: ["changed", "weak tag", "no tag", "power cut"])
  func beginAnew(_ why: String) throws {
    let old = AssetRig.picture(200_000, seed: 1)
    let new = AssetRig.picture(180_000, seed: 2)
    let rig = try AssetRig { request in
      let isFirst = request.number == 0
      let tag =
        switch why {
        case "changed": isFirst ? "\"v1\"" : "\"v2\""
        case "weak tag": "W/\"v1\""
        case "no tag": String?.none
        default: "\"v1\""
        }
      return .file(isFirst ? old : new, for: request, etag: tag, cutAfter: isFirst ? 99_000 : nil)
    }
    _ = try Loading(rig.loader(attempts: 1).load(rig.server.url + "/p")).code()
    if why == "power cut" {
      let note = rig.assets + "/" + rig.key("/p") + ".note"
      try Data("{\"validator\":\"\\\"v1\\\"\",\"boot\":\"another\"}".utf8)
        .write(to: URL(fileURLWithPath: note))
    }
    #expect(try Loading(rig.loader().load(rig.server.url + "/p")).bytes() == new)
    #expect((rig.server.requests[1].header("range") != nil) == (why == "changed"))
  }

  @Test("a server that has less than we have makes us begin anew")
  func shrunk() throws {
    let picture = AssetRig.picture(50_000)
    let rig = try AssetRig { request in
      request.number == 0
        ? .file(AssetRig.picture(200_000), for: request, cutAfter: 99_000)
        : .file(picture, for: request)
    }
    #expect(try Loading(rig.loader().load(rig.server.url + "/p")).bytes() == picture)
    #expect(rig.server.requests.count == 3)
    #expect(rig.server.requests[2].header("range") == nil)
  }

  @Test("more than a server has announced is no picture of ours, and nothing of it is kept")
  func more() throws {
    let picture = AssetRig.picture(50_000)
    let rig = try AssetRig { request in
      switch request.number {
      case 0: .file(picture, for: request, cutAfter: 25_000)
      case 1:
        .body(
          206, AssetRig.picture(40_000), type: "image/jpeg",
          headers: [("Content-Range", "bytes 25000-49999/50000")])
      default: .file(picture, for: request)
      }
    }
    #expect(try Loading(rig.loader().load(rig.server.url + "/p")).bytes() == picture)
    #expect(rig.server.requests.count == 3)
    #expect(rig.server.requests[2].header("range") == nil)
  }

  // MARK: Many

  @Test("many who ask for one picture at a time share one transfer")
  func sharing() throws {
    let picture = AssetRig.picture(200_000)
    let gate = TestGate()
    let rig = try AssetRig { .file(picture, for: $0, hold: (after: 50_000, gate)) }
    let loader = rig.loader()
    let address = rig.server.url + "/p"
    let first = Loading(loader.load(address))
    try first.waitForBytes(50_000)
    let others = (0..<5).map { _ in Loading(loader.load(address)) }
    gate.open()
    for loading in [first] + others { #expect(try loading.bytes() == picture) }
    #expect(rig.server.requests.count == 1)
  }

  @Test("the last who leaves stops the transfer; what has come stays, and is gone on with")
  func dispose() throws {
    let picture = AssetRig.picture(200_000)
    let gate = TestGate()
    let rig = try AssetRig {
      .file(picture, for: $0, hold: $0.number == 0 ? Optional((after: 50_000, gate: gate)) : nil)
    }
    let loader = rig.loader()
    let first = Loading(loader.load(rig.server.url + "/p"))
    let second = Loading(loader.load(rig.server.url + "/p"))
    try first.waitForBytes(50_000)
    first.dispose()
    #expect(rig.server.requests.count == 1)
    second.dispose()
    try rig.server.waitForClose(of: 0)
    #expect(!first.hasEnded && !second.hasEnded)
    #expect(try rig.names().contains(rig.key("/p") + ".part"))
    #expect(try Loading(loader.load(rig.server.url + "/p")).bytes() == picture)
    #expect(rig.server.requests[1].header("range") == "bytes=50000-")
  }

  @Test("two hundred pictures over a server that cuts every fifth connection arrive whole")
  func storm() throws {
    let pictures = (0..<200).map { AssetRig.picture(20_000 + $0 * 97, seed: $0) }
    let rig = try AssetRig { request in
      let number = Int(request.path.dropFirst()) ?? 0
      return .file(
        pictures[number], for: request, cutAfter: request.number.isMultiple(of: 5) ? 9_000 : nil)
    }
    let loader = rig.loader(attempts: 8)
    let loadings = (0..<200).map { Loading(loader.load(rig.server.url + "/\($0)")) }
    for (number, loading) in loadings.enumerated() {
      #expect(try loading.bytes() == pictures[number], "\(number)")
    }
    #expect(rig.server.mostAtOnce <= 4)
    #expect(rig.server.requests.count >= 240)
    #expect(try rig.names().count == 200)
  }

  // MARK: Other processes

  @Test("another process fetches it already: its progress is told, and its picture taken")
  func otherFinishes() throws {
    let picture = AssetRig.picture(200_000)
    let gate = TestGate()
    let rig = try AssetRig { .file(picture, for: $0, hold: (after: 50_000, gate)) }
    let address = rig.server.url + "/p"
    let first = Loading(rig.loader().load(address))
    try first.waitForBytes(50_000)
    let second = Loading(rig.loader().load(address))
    try second.waitForBytes(50_000)
    #expect(second.events.first == .progress(doneBytes: 50_000, totalBytes: 200_000))
    gate.open()
    #expect(try first.bytes() == picture)
    #expect(try second.bytes() == picture)
    #expect(rig.server.requests.count == 1)
    #expect(try rig.names() == [rig.key("/p")])
  }

  @Test("the other process gives up, or ends: what it has is gone on with")
  func otherEnds() throws {
    let picture = AssetRig.picture(200_000)
    let gate = TestGate()
    let rig = try AssetRig {
      .file(picture, for: $0, hold: $0.number == 0 ? Optional((after: 50_000, gate: gate)) : nil)
    }
    let address = rig.server.url + "/p"
    let first = Loading(rig.loader().load(address))
    try first.waitForBytes(50_000)
    // More attempts than a failure would be given: waiting takes none.
    let second = Loading(rig.loader(attempts: 1).load(address))
    try second.waitForBytes(50_000)
    first.dispose()
    #expect(try second.bytes() == picture)
    #expect(rig.server.requests[1].header("range") == "bytes=50000-")
  }

  @Test("a process that stands still for longer than an answer may take is told of")
  func otherStandsStill() throws {
    let rig = try AssetRig { .file(AssetRig.picture(10), for: $0) }
    try FileManager.default.createDirectory(
      atPath: rig.assets, withIntermediateDirectories: true)
    let part = try LiveFileSystem().open(rig.assets + "/" + rig.key("/p") + ".part", .create)
    #expect(try part.lock(wait: false))
    let waiting = Loading(
      rig.loader(patience: .milliseconds(40)).load(rig.server.url + "/p"))
    guard case .failure(let error) = try waiting.result() else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .timedOut)
    #expect(error.message.contains("another process is fetching"))
    #expect(rig.server.requests.isEmpty)
    part.unlock()
    #expect(try Loading(rig.loader().load(rig.server.url + "/p")).bytes().count == 10)
  }

  // MARK: What is refused

  @Test("too large, announced or not, leaves nothing behind")
  func tooLarge() throws {
    let picture = AssetRig.picture(100_000)
    let rig = try AssetRig { request in
      request.path == "/announced"
        ? .file(picture, for: request) : .chunked([picture], type: "image/png")
    }
    let loader = rig.loader(.init(pictureBytes: 99_999))
    for path in ["/announced", "/chunked"] {
      let loading = Loading(loader.load(rig.server.url + path))
      #expect(try loading.code() == "response_too_large", "\(path)")
    }
    #expect(rig.server.requests.count == 2)
    let whole = rig.loader(.init(pictureBytes: 100_000))
    #expect(try Loading(whole.load(rig.server.url + "/chunked")).bytes() == picture)
  }

  @Test("what is no picture is refused, by its type or by its bytes, and not kept")
  func wrongType() throws {
    let rig = try AssetRig { request in
      switch request.path {
      case "/html": .file(AssetRig.picture(100), for: request, type: "text/html; charset=utf-8")
      case "/lie": .file(Array("<html>not found</html>".utf8), for: request)
      case "/short": .file([0x3C], for: request)
      default: .file([], for: request)
      }
    }
    let loader = rig.loader()
    for path in ["/html", "/lie", "/short", "/empty"] {
      #expect(try Loading(loader.load(rig.server.url + path)).code() == "wrong_type", "\(path)")
    }
    #expect(rig.server.requests.count == 4)
    #expect(try rig.names().filter { !$0.hasSuffix(".part") && !$0.hasSuffix(".note") } == [])
  }

  @Test(
    "statuses are told apart",
    arguments: [
      (404, "not_found", 1), (410, "not_found", 1), (403, "forbidden", 1),
      (429, "rate_limited", 4), (503, "server_error", 4), (204, "unexpected_status", 1),
    ])
  func statuses(_ example: (status: Int, code: String, requests: Int)) throws {
    let rig = try AssetRig { _ in .body(example.status, []) }
    #expect(try Loading(rig.loader().load(rig.server.url + "/p")).code() == example.code)
    #expect(rig.server.requests.count == example.requests)
  }

  @Test("a folder that cannot be made is told with its path")
  func noFolder() throws {
    let rig = try AssetRig { .file(AssetRig.picture(10), for: $0) }
    let loading = Loading(
      rig.loader(folder: "/dev/null/assets").load(rig.server.url + "/p"))
    guard case .failure(let error) = try loading.result() else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .ioError)
    #expect(error.message.contains("/dev/null/assets"))
    #expect(rig.server.requests.isEmpty)
  }

  @Test("C-25 http thumbnails")
  func upgrade() {
    func upgraded(_ text: String) -> String { AssetLoader.upgraded(.of(text)).text }
    #expect(
      upgraded("http://books.google.com/books/content?id=A&zoom=1")
        == "https://books.google.com/books/content?id=A&zoom=1")
    #expect(upgraded("http://t1.daumcdn.net/a?z=1&a=2") == "https://t1.daumcdn.net/a?z=1&a=2")
    for same in [
      "http://example.com/a", "http://notdaumcdn.net/a", "http://books.google.com:8080/a",
      "https://books.google.com/a",
    ] {
      #expect(upgraded(same) == same)
    }
  }

  // MARK: Room

  @Test("on disk, what was used longest ago makes room")
  func eviction() throws {
    let rig = try AssetRig { .file(AssetRig.picture(40_000), for: $0) }
    let limits = AssetLoader.Limits(memoryBytes: 0, diskBytes: 100_000)
    let loader = rig.loader(limits)
    for path in ["/a", "/b", "/a", "/c"] {
      _ = try Loading(loader.load(rig.server.url + path)).bytes()
    }
    #expect(try rig.names() == [rig.key("/a"), rig.key("/c")].sorted())
    // A new loader counts what is there.
    _ = try Loading(rig.loader(limits).load(rig.server.url + "/d")).bytes()
    #expect(try rig.names() == [rig.key("/c"), rig.key("/d")].sorted())
  }

  @Test("a use from memory is one of the file; a file that had to make room is made again from it")
  func memoryAndDisk() throws {
    let rig = try AssetRig { .file(AssetRig.picture(40_000), for: $0) }
    let loader = rig.loader(.init(diskBytes: 100_000))
    for path in ["/a", "/b", "/a", "/c"] {
      _ = try Loading(loader.load(rig.server.url + path)).bytes()
    }
    #expect(try rig.names() == [rig.key("/a"), rig.key("/c")].sorted())
    let asked = rig.server.requests.count
    // /b is in memory alone: `bytes()` looks whether its file is there again.
    #expect(try Loading(loader.load(rig.server.url + "/b")).bytes().count == 40_000)
    #expect(rig.server.requests.count == asked)
    #expect(try rig.names().contains(rig.key("/b")))
    #expect(try rig.names().count == 2)
  }

  @Test("in memory, what was used longest ago makes room; large ones are not kept")
  func memory() {
    let cache = ByteCache(limit: 100)
    for key in ["a", "b", "c", "d"] { cache.keep([UInt8](repeating: 1, count: 25), for: key) }
    #expect(cache.bytes("a") != nil)
    cache.keep([UInt8](repeating: 1, count: 20), for: "e")
    #expect(cache.bytes("b") == nil)
    #expect(["a", "c", "d", "e"].allSatisfy { cache.bytes($0) != nil })
    cache.keep([UInt8](repeating: 1, count: 26), for: "f")
    #expect(cache.bytes("f") == nil)
    cache.keep([2], for: "a")
    #expect(cache.bytes("a") == [2])
  }
}
