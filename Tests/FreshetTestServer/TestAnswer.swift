import Foundation

/// A request as it arrived.
public struct TestRequest: Sendable {
  /// Its number on this server, from 0.
  public internal(set) var number = 0
  /// Its number on its connection, from 0: another than 0 came over a connection that was kept.
  public internal(set) var place = 0
  /// The method, in upper case.
  public let method: String
  /// Path and query as they were sent.
  public let target: String
  /// The header lines, names in lower case.
  public internal(set) var headers: [(name: String, value: String)] = []
  /// The body.
  public internal(set) var body: [UInt8] = []

  init(method: String, target: String) {
    self.method = method
    self.target = target
  }

  /// The first value of a header.
  public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// Whether the client asks that the connection be closed after the answer.
  var wantsClose: Bool { header("connection")?.lowercased() == "close" }

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The query's values, decoded.
  public var query: [String: String] {
    guard let mark = target.firstIndex(of: "?") else { return [:] }
    var values: [String: String] = [:]
    for pair in target[target.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[String(parts[0])] = parts.count == 2 ? String(parts[1]).removingPercentEncoding : ""
    }
    return values
  }
}

/// Something an answer waits for: a test opens it, so that nobody needs to sleep.
public final class TestGate: Sendable {
  private let condition = NSCondition()
  // nonisolated(unsafe): only read and written while the condition's lock is held.
  private nonisolated(unsafe) var isOpen = false

  /// Makes a gate that is closed.
  public init() {}

  /// Lets through who waits, and who comes later.
  public func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }

  /// Waits; false when the peer has gone away meanwhile.
  func wait(_ isGone: () -> Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while !isOpen {
      if isGone() { return false }
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.005))
    }
    return true
  }
}

/// What a server does in answer to a request, step by step.
public struct TestAnswer: Sendable {
  /// One step.
  public enum Step: Sendable {
    /// Sends bytes as they are.
    case send([UInt8])
    /// Waits until a test opens the gate.
    case hold(TestGate)
    /// Waits for a while: for servers that are tried by hand, never for tests.
    case pause(milliseconds: Int)
    /// Waits until the client closes.
    case hang
    /// Resets the connection.
    case cut
    /// Closes the connection.
    case close
  }

  /// The steps, in order.
  public var steps: [Step]

  /// Makes an answer of steps.
  public init(_ steps: [Step]) { self.steps = steps }

  /// A whole answer.
  public static func body(
    _ status: Int, _ body: [UInt8], type: String = "application/json",
    headers: [(String, String)] = []
  ) -> TestAnswer {
    TestAnswer([.send(head(status, [("Content-Type", type)] + headers, length: body.count) + body)])
  }

  /// A whole answer of JSON.
  public static func json(
    _ body: String, status: Int = 200, headers: [(String, String)] = []
  ) -> TestAnswer {
    .body(status, Array(body.utf8), headers: headers)
  }

  /// A redirect.
  public static func redirect(to location: String, status: Int = 302) -> TestAnswer {
    .body(status, [], headers: [("Location", location)])
  }

  /// A body in chunks.
  public static func chunked(
    _ pieces: [[UInt8]], type: String = "application/json", isWhole: Bool = true
  ) -> TestAnswer {
    var steps: [Step] = [
      .send(head(200, [("Content-Type", type), ("Transfer-Encoding", "chunked")], length: nil))
    ]
    for piece in pieces {
      steps.append(
        .send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)))
    }
    steps.append(isWhole ? .send(Array("0\r\n\r\n".utf8)) : .close)
    return TestAnswer(steps)
  }

  /// A file, or the part of it that the request asks for.
  ///
  /// - Parameters:
  ///   - cutAfter: Resets the connection after so many bytes of the body.
  ///   - hold: Waits after so many bytes of the body.
  public static func file(
    _ bytes: [UInt8], for request: TestRequest, etag: String? = "\"v1\"",
    type: String = "image/jpeg", cutAfter: Int? = nil, hold: (after: Int, gate: TestGate)? = nil
  ) -> TestAnswer {
    var headers = [("Content-Type", type), ("Accept-Ranges", "bytes")]
    if let etag { headers.append(("ETag", etag)) }
    var start = 0
    var status = 200
    let isSame = request.header("if-range").map { $0 == etag } ?? true
    if isSame, let range = request.header("range"), range.hasPrefix("bytes="),
      let first = Int(range.dropFirst(6).prefix { $0 != "-" })
    {
      guard first < bytes.count else {
        return .body(416, [], headers: [("Content-Range", "bytes */\(bytes.count)")])
      }
      start = first
      status = 206
      headers.append(("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"))
    }
    let part = Array(bytes[start...])
    var steps: [Step] = [.send(head(status, headers, length: part.count))]
    if let cutAfter, cutAfter < part.count {
      steps += [.send(Array(part[..<cutAfter])), .cut]
    } else if let hold, hold.after < part.count {
      steps += [
        .send(Array(part[..<hold.after])), .hold(hold.gate), .send(Array(part[hold.after...])),
      ]
    } else {
      steps.append(.send(part))
    }
    return TestAnswer(steps)
  }

  /// Status line and headers.
  public static func head(
    _ status: Int, _ headers: [(String, String)], length: Int?
  ) -> [UInt8] {
    var text = "HTTP/1.1 \(status) Test\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let length { text += "Content-Length: \(length)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}
