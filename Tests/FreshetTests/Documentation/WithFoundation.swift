import Foundation
import Freshet
import FreshetTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// docs/with-foundation.md shows what follows, up to the suite.

/// Runs work on an operation queue.
struct OperationScheduler: Scheduler {
  let queue: OperationQueue

  func schedule(_ work: @escaping @Sendable () -> Void) {
    queue.addOperation(work)
  }
}

extension NotificationCenter {
  /// What is read from the notifications of a name; those that it reads nothing from are left out.
  func flow<Value: Sendable>(
    of name: Notification.Name, read: @escaping @Sendable (Notification) -> Value?
  ) -> Create<Value, Never> {
    Create { emitter in
      // Given back to the center that made it, once, and used for nothing else.
      nonisolated(unsafe) let observer = self.addObserver(
        forName: name, object: nil, queue: nil
      ) { notification in
        if let value = read(notification) { emitter.send(value) }
      }
      return Disposable { self.removeObserver(observer) }
    }
  }
}

extension URLSession {
  /// One request per subscription, stopped by a dispose.
  func single(for request: URLRequest) -> Single<Data, any Error> {
    Single(async: { try await self.data(for: request).0 })
  }
}

// The end of what docs/with-foundation.md shows.

@Suite("docs/with-foundation.md")
struct WithFoundationTests {
  @Test("an operation queue delivers in order, also one that runs several works at a time")
  func operations() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 4
    let values = try (0..<1000).flow.observe(on: OperationScheduler(queue: queue))
      .blocking(atMost: .seconds(60)).toArray()
    #expect(values == Array(0..<1000))
  }

  @Test("notifications, until the dispose")
  func notifications() {
    let center = NotificationCenter()
    let name = Notification.Name("freshet.test")
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: center.flow(of: name) { $0.userInfo?["number"] as? Int })
    center.post(name: name, object: nil, userInfo: ["number": 1])
    center.post(name: name, object: nil, userInfo: ["text": "no number"])
    center.post(name: name, object: nil, userInfo: ["number": 2])
    recorder.dispose()
    center.post(name: name, object: nil, userInfo: ["number": 3])
    #expect(recorder.values == [1, 2])
  }

  @Test("a request fails with the session's error")
  func request() async throws {
    let url = try #require(URL(string: "no-such-scheme://nowhere"))
    await #expect(throws: (any Error).self) {
      try await URLSession.shared.single(for: URLRequest(url: url)).value()
    }
  }

  @Test("the page shows what is compiled")
  func shown() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "docs/with-foundation.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let example =
      try #require(source.components(separatedBy: "up to the suite.\n").dropFirst().first)
      .components(separatedBy: "// The end of what").first ?? ""
    let pieces = example.components(separatedBy: "\n\n").map {
      $0.trimmingCharacters(in: .newlines)
    }
    .filter { !$0.isEmpty }
    #expect(pieces.count >= 4, "expected to find the adapters in this file")
    for piece in pieces {
      let isShown = page.contains(piece)
      #expect(isShown, "docs/with-foundation.md does not show: \(piece)")
    }
  }
}
