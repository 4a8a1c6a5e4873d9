import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// listen(2), by a name that the functions here do not hide.
private func startListening(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
  listen(descriptor, backlog)
}

/// An HTTP server on loopback whose answers come from a closure: real sockets, so that what is
/// tested is what will run.
///
/// One thread accepts, one serves each connection; requests on a connection are served in turn.
public final class TestServer: Sendable {
  /// A fault of the server itself.
  public struct Fault: Error {
    /// What it is.
    public let what: String

    /// Makes a fault.
    public init(what: String) { self.what = what }
  }

  private struct State {
    var log: [TestRequest] = []
    var closedByClient: Set<Int> = []
    var mostAtOnce = 0
    var open: Set<Int> = []
  }

  /// How long a test may wait for the server to see something.
  public static let patience: TimeInterval = 30

  private let sockets: Sockets
  /// The port it listens on.
  public let port: Int
  private let answer: @Sendable (TestRequest) -> TestAnswer
  private let state = Mutex(State())
  private let changed = NSCondition()

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - port: Where it listens; 0 for any port that is free.
  ///   - answer: Called for each request, on the thread of its connection.
  public init(
    port: Int = 0, _ answer: @escaping @Sendable (TestRequest) -> TestAnswer
  ) throws {
    self.answer = answer
    let (listener, port) = try Self.listen(port)
    self.port = port
    let sockets = Sockets(listener: listener)
    self.sockets = sockets
    let thread = Thread { [weak self] in
      while let connection = sockets.accept() {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        var one: Int32 = 1
        setsockopt(
          connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        Self.serve(connection, sockets, self)
      }
    }
    thread.start()
  }

  private static func listen(_ port: Int) throws -> (descriptor: Int32, port: Int) {
    // A client that is gone is an error of write(2), not the end of the tests.
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard listener >= 0 else { throw Fault(what: "socket: \(errno)") }
    // A child process would keep the port open.
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var one: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var place = sockaddr_in()
    place.sin_port = UInt16(clamping: port).bigEndian
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        bind(listener, place, size) == 0 && startListening(listener, 256) == 0
          && getsockname(listener, place, &size) == 0
      }
    }
    guard isBound else { throw Fault(what: "bind: \(errno)") }
    return (listener, Int(UInt16(bigEndian: place.sin_port)))
  }

  deinit { stop() }

  /// The address of its root, without a slash at the end.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Closes everything.
  public func stop() { sockets.stop() }

  // MARK: What it saw

  /// The requests so far, in the order of their arrival.
  public var requests: [TestRequest] { state.withLock { $0.log } }

  /// How many requests were being answered at the same time, at most.
  public var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

  /// Waits until so many requests have come.
  public func waitForRequests(_ count: Int) throws {
    try wait(for: "\(count) requests") { $0.log.count >= count }
  }

  /// Waits until the client has closed the connection of a request while it was answered.
  public func waitForClose(of request: Int) throws {
    try wait(for: "the close of request \(request)") { $0.closedByClient.contains(request) }
  }

  private func wait(for what: String, _ condition: (borrowing State) -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: Self.patience)
    changed.lock()
    defer { changed.unlock() }
    while !state.withLock({ condition($0) }) {
      if !changed.wait(until: deadline) { throw Fault(what: "waited in vain for \(what)") }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    changed.lock()
    state.withLock { body(&$0) }
    changed.broadcast()
    changed.unlock()
  }

  // MARK: Serving

  /// Answers the requests of a connection, on a thread of its own that does not keep the server.
  private static func serve(_ descriptor: Int32, _ sockets: Sockets, _ server: TestServer?) {
    let thread = Thread { [weak server] in
      var connection = Connection(descriptor)
      var count = 0
      while var request = connection.nextRequest() {
        guard let server else { break }
        request.place = count
        count += 1
        request.number = server.note(request)
        let isWhole = server.play(request, on: &connection)
        server.change { $0.open.remove(request.number) }
        if !isWhole || request.wantsClose { break }
      }
      sockets.close(descriptor)
    }
    thread.start()
  }

  private func note(_ request: TestRequest) -> Int {
    var number = 0
    change { state in
      number = state.log.count
      var request = request
      request.number = number
      state.log.append(request)
      state.open.insert(number)
      state.mostAtOnce = max(state.mostAtOnce, state.open.count)
    }
    return number
  }

  /// The same bytes, with word of the close after the status line, if that is among them.
  private func closing(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.starts(with: Array("HTTP/1.1 ".utf8)), let end = bytes.firstIndex(of: 0x0A) else {
      return bytes
    }
    return bytes[...end] + Array("Connection: close\r\n".utf8) + bytes[(end + 1)...]
  }

  /// Plays an answer; false when the connection is of no further use.
  private func play(_ request: TestRequest, on connection: inout Connection) -> Bool {
    for step in answer(request).steps {
      let isAlive: Bool
      switch step {
      case .send(let bytes): isAlive = connection.send(request.wantsClose ? closing(bytes) : bytes)
      case .hold(let gate): isAlive = gate.wait { connection.isClosedByPeer }
      case .pause(let milliseconds):
        usleep(useconds_t(milliseconds) * 1000)
        isAlive = !connection.isClosedByPeer
      case .hang:
        connection.waitForClose()
        isAlive = false
      case .cut:
        connection.reset()
        return false
      case .close: return false
      }
      if !isAlive {
        change { $0.closedByClient.insert(request.number) }
        return false
      }
    }
    return true
  }
}
