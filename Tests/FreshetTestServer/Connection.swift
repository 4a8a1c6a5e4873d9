#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One connection: requests in, bytes out.
struct Connection {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next whole request; nil at the end of the connection.
  mutating func nextRequest() -> TestRequest? {
    let end = Array("\r\n\r\n".utf8)
    var headEnd = buffer.firstRange(of: end)
    while headEnd == nil {
      guard fill() else { return nil }
      headEnd = buffer.firstRange(of: end)
    }
    guard let headEnd else { return nil }
    let lines = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    buffer.removeSubrange(..<headEnd.upperBound)
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    var request = TestRequest(method: String(words[0]), target: String(words[1]))
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      request.headers.append((line[..<colon].lowercased(), String(value)))
    }
    let length = request.header("content-length").flatMap(Int.init) ?? 0
    while buffer.count < length { guard fill() else { return nil } }
    request.body = Array(buffer[..<length])
    buffer.removeSubrange(..<length)
    return request
  }

  private mutating func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count > 0 {
        buffer += chunk[..<count]
        return true
      }
      if count < 0, errno == EINTR { continue }
      return false
    }
  }

  /// Sends everything; false when the peer is gone.
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        write(descriptor, buffer.baseAddress! + sent, bytes.count - sent)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      sent += count
    }
    return true
  }

  /// Whether the peer has closed; looks without taking anything.
  var isClosedByPeer: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count == 0 { return true }
    return count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR
  }

  /// Waits until the peer closes.
  func waitForClose() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 { return }
      if count < 0, errno != EINTR { return }
    }
  }

  /// Makes the close a reset, as when a machine in between gives up.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}
