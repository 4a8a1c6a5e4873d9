import Foundation
import Freshet
import FreshetStore
import FreshetTesting
import Testing

@testable import FreshetCatalog

enum Fixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures"))
    return Array(try Data(contentsOf: url))
  }

  static func json(_ name: String) throws -> JSONValue {
    try JSONValue(parsing: try bytes(name))
  }
}

/// A client over a script, in virtual time, and what comes of what is asked of it.
struct Rig: Sendable {
  let scheduler = VirtualScheduler()
  let transport: ScriptedTransport
  let client: HTTPClient

  init(
    secrets: [String] = [], limits: HTTPClient.Limits = HTTPClient.Limits(), attempts: Int = 4,
    random: @escaping @Sendable () -> Double = { 0 }, wallClock: Int64 = 0,
    resolve: @escaping @Sendable (String) -> [NetworkAddress] = { _ in
      [NetworkAddress(bytes: [93, 184, 216, 34])]
    },
    _ transport: ScriptedTransport
  ) {
    self.transport = transport
    var client = HTTPClient(
      transport: transport, scheduler: scheduler, limits: limits,
      policy: RetryPolicy(attempts: attempts, random: random), redactor: Redactor(secrets),
      wallClock: { wallClock })
    client.resolve = resolve
    self.client = client
  }

  init(_ replies: ScriptedTransport.Reply...) { self.init(ScriptedTransport(replies)) }

  /// The one value or failure of a flow, running virtual time until nothing waits.
  func result<Element>(
    of flow: some Flow<Element, CatalogError>
  ) throws -> Result<Element, CatalogError> {
    let recorder = Recorder<Element, CatalogError>(scheduler: scheduler)
    recorder.subscribe(to: flow)
    try scheduler.run()
    #expect(recorder.violations == [])
    if let value = recorder.values.first { return .success(value) }
    guard case .failed(let error) = recorder.end else {
      throw Missing(what: "no answer: \(recorder.transcript)")
    }
    return .failure(error)
  }

  func value<Element>(of flow: some Flow<Element, CatalogError>) throws -> Element {
    try result(of: flow).get()
  }

  func failure<Element>(of flow: some Flow<Element, CatalogError>) throws -> CatalogError {
    switch try result(of: flow) {
    case .success(let value): throw Missing(what: "no failure but \(value)")
    case .failure(let error): return error
    }
  }

  struct Missing: Error { let what: String }
}

extension WebAddress {
  /// An address a test is sure of.
  static func of(_ text: String) -> WebAddress {
    do {
      return try WebAddress(parsing: text)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
