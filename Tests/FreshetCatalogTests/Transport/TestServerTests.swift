import Dispatch
import FreshetTestServer
import Glibc
import Synchronization
import Testing

/// The server that the other tests stand on.
@Suite("The test server")
struct TestServerTests {
  /// One exchange over a connection of its own; false when the answer is not whole.
  private static func ask(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    guard connect(descriptor, port) else { return false }
    let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return false
    }
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: answer, as: UTF8.self).hasSuffix("\r\n\r\n{\"whole\":true}") {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return false }
      answer += chunk[..<count]
    }
    return true
  }

  private static func connect(_ descriptor: Int32, _ port: Int) -> Bool {
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = UInt16(port).bigEndian
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  @Test("servers that come and go take nobody else's sockets with them")
  func churn() throws {
    let lost = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 6) { number in
      for _ in 0..<300 {
        guard let server = try? TestServer({ _ in .json("{\"whole\":true}") }) else {
          lost.withLock { $0 += 1 }
          continue
        }
        if !Self.ask(server.port) { lost.withLock { $0 += 1 } }
        // It goes while it takes this connection, and while its threads come to their ends.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = Self.connect(descriptor, server.port)
        close(descriptor)
        if number.isMultiple(of: 2) { server.stop() }
      }
    }
    #expect(lost.withLock { $0 } == 0)
  }
}
