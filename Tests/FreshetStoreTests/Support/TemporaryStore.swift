import Foundation
import Freshet
import Synchronization

@testable import FreshetStore

/// A directory for one test; it goes with the last reference.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("freshet-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // Best effort: a left-over directory in the temporary folder harms nobody.
    try? FileManager.default.removeItem(atPath: path)
  }

  var store: String { path + "/store" }

  func file(_ name: String) -> String { store + "/" + name }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store).sorted()
  }

  func names(_ prefix: String) throws -> [String] {
    try names().filter { $0.hasPrefix(prefix) }
  }

  /// Opens the store here, which compacts only when it is told to.
  func open(
    _ change: @escaping (inout StoreOptions) -> Void = { _ in }
  ) throws -> DatabaseManager {
    try DatabaseManager.open(
      at: store,
      options: .fixed {
        $0.compactsAutomatically = false
        change(&$0)
      })
  }

  func copy(to other: TemporaryDirectory) throws {
    if FileManager.default.fileExists(atPath: other.store) {
      try FileManager.default.removeItem(atPath: other.store)
    }
    try FileManager.default.copyItem(atPath: store, toPath: other.store)
  }
}

extension StoreOptions {
  /// The same bytes on each run: a clock that ticks once a second, a fixed id.
  static func fixed(_ change: (inout StoreOptions) -> Void = { _ in }) -> StoreOptions {
    let ticks = Counter()
    var options = StoreOptions()
    options.now = { 1_764_485_763_000_000 + ticks.next() * 1_000_000 }
    options.makeStoreID = { "00112233445566778899aabbccddeeff" }
    options.boot = { 0 }
    options.lockTimeout = .milliseconds(500)
    // No help from the sweep: whatever a follower sees, it was told of.
    options.sweepMilliseconds = 600_000
    change(&options)
    return options
  }
}

final class Counter: Sendable {
  private let count = Mutex<Int64>(0)

  func next() -> Int64 {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }

  var value: Int64 { count.withLock { $0 } }
}

/// The body `{"n":number}`.
func body(_ number: Int) -> [UInt8] { Array(#"{"n":\#(number)}"#.utf8) }

func text(_ bytes: [UInt8]?) -> String {
  bytes.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
}

extension DatabaseManager {
  /// The live items as `id=body`, in list order.
  func contents() async throws -> [String] {
    try await fetch().value().map { "\($0.id)=\(text($0.body))" }
  }
}

/// Collects what a flow delivers, and lets a test wait for it.
final class Collector<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var values: [Element] = []
    var end: End<StoreError>?
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  private let subscription = Mutex<Disposable?>(nil)

  init<F: Flow>(_ flow: F) where F.Element == Element, F.Failure == StoreError {
    let disposable = flow.subscribe(
      onValue: { [weak self] in self?.add($0) }, onEnd: { [weak self] in self?.finish($0) })
    subscription.withLock { $0 = disposable }
  }

  var values: [Element] { state.withLock { $0.values } }
  var end: End<StoreError>? { state.withLock { $0.end } }

  func dispose() { subscription.withLock { $0.take() }?.dispose() }

  /// Waits until so many values have come, or the flow has ended.
  func values(_ count: Int) async -> [Element] {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.values.count >= count || state.end != nil { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
    return values
  }

  /// Waits for the end.
  func ended() async -> End<StoreError>? {
    _ = await values(.max)
    return end
  }

  private func add(_ value: Element) {
    release { $0.values.append(value) }
  }

  private func finish(_ end: End<StoreError>) {
    release { $0.end = end }
  }

  private func release(_ change: (inout State) -> Void) {
    let ready = state.withLock { state in
      change(&state)
      let reached = state.end != nil ? Int.max : state.values.count
      let ready = state.waiters.filter { $0.count <= reached }
      state.waiters.removeAll { $0.count <= reached }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }
}
