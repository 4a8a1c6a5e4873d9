import Foundation
import Freshet
import FreshetTestServer
import Synchronization
import Testing

@testable import FreshetCatalog

/// A loader over a real server, with a folder of its own.
final class AssetRig: Sendable {
  let server: TestServer
  let folder: URL
  let scheduler = QueueScheduler(label: "asset-rig")
  private let transport = URLSessionTransport()

  init(_ answer: @escaping @Sendable (TestRequest) -> TestAnswer) throws {
    server = try TestServer(answer)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "freshet-assets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // Left behind at worst, in the system's folder for such things.
    try? FileManager.default.removeItem(at: folder)
  }

  var assets: String { folder.appendingPathComponent("assets").path }

  func loader(
    _ limits: AssetLoader.Limits = .init(), attempts: Int = 4, isNamed: Bool = true,
    folder: String? = nil, patience: Duration = .seconds(60),
    resolve: @escaping @Sendable (String) -> [NetworkAddress] = NetworkAddress.resolve
  ) -> AssetLoader {
    let client = HTTPClient(
      transport: transport, scheduler: scheduler, limits: .init(total: patience),
      policy: RetryPolicy(attempts: attempts, firstPause: .milliseconds(1), random: { 0 }))
    return AssetLoader(
      folder: folder ?? assets, client: client, limits: limits,
      named: isNamed ? [.of(server.url)] : [],
      workers: QueueScheduler(DispatchQueue(label: "asset-workers", attributes: .concurrent)),
      resolve: resolve)
  }

  /// A picture of so many bytes, the same for the same seed.
  static func picture(_ count: Int, seed: Int = 1) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0]
      + (4..<max(count, 5)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761 &+ seed) >> 8) }
  }

  func names() throws -> [String] {
    guard FileManager.default.fileExists(atPath: assets) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: assets).sorted()
  }

  func key(_ path: String) -> String { AssetLoader.key(of: .of(server.url + path)) }
}

/// What a load brought, and a way to wait for its end.
final class Loading: Sendable {
  private struct State: Sendable {
    var events: [AssetEvent] = []
    var end: End<CatalogError>?
    var token: Disposable?
  }

  private let state = Mutex(State())
  private let change = DispatchSemaphore(value: 0)

  init(_ flow: some Flow<AssetEvent, CatalogError>) {
    let token = flow.subscribe(
      onValue: { [self] event in
        state.withLock { $0.events.append(event) }
        change.signal()
      },
      onEnd: { [self] end in
        state.withLock { $0.end = end }
        change.signal()
      })
    state.withLock { $0.token = token }
  }

  var events: [AssetEvent] { state.withLock { $0.events } }
  var hasEnded: Bool { state.withLock { $0.end != nil } }
  func dispose() { state.withLock { $0.token }?.dispose() }

  /// The most bytes that progress told of.
  var doneBytes: Int {
    events.reduce(0) { most, event in
      if case .progress(let done, _) = event { max(most, done) } else { most }
    }
  }

  private func wait(_ what: String, until isReached: () -> Bool) throws {
    while !isReached() {
      guard change.wait(timeout: .now() + TestServer.patience) == .success else {
        throw TestServer.Fault(what: "waited in vain for \(what)")
      }
    }
  }

  func waitForBytes(_ count: Int) throws { try wait("\(count) bytes") { doneBytes >= count } }

  /// The picture, or why there is none.
  func result() throws -> Result<[UInt8], CatalogError> {
    try wait("the end") { hasEnded }
    if case .failed(let error) = state.withLock({ $0.end }) { return .failure(error) }
    guard case .done(let path, let bytes) = events.last else {
      throw TestServer.Fault(what: "no picture: \(events)")
    }
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
    return .success(bytes)
  }

  func bytes() throws -> [UInt8] { try result().get() }

  func code() throws -> String {
    switch try result() {
    case .success(let bytes): "a picture of \(bytes.count) bytes"
    case .failure(let error): error.code.name
    }
  }
}
