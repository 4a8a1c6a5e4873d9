import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// accept(2) and close(2), by names that the functions here do not hide.
private func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// A server's sockets, and who may use their numbers.
///
/// A number that is closed belongs to whoever opens something next, in this process another server
/// or a client. So each is closed by the thread that reads from it, and by nobody else; whoever wants
/// it closed shuts it down, which that thread notices, and does so only while the number is listed.
/// It outlives the server, since the threads do.
final class Sockets: Sendable {
  private struct State {
    var isStopped = false
    var open: Set<Int32>
  }

  private let listener: Int32
  private let state: Mutex<State>

  init(listener: Int32) {
    self.listener = listener
    state = Mutex(State(open: [listener]))
  }

  /// Waits for a connection, for the one thread that takes them; nil after ``stop()``, and then the
  /// listening socket is closed.
  func accept() -> Int32? {
    while true {
      let connection = acceptConnection(listener)
      if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard connection >= 0 else { break }
      let isWanted = state.withLock { state in
        if !state.isStopped { state.open.insert(connection) }
        return !state.isStopped
      }
      if isWanted { return connection }
      closeDescriptor(connection)
      break
    }
    close(listener)
    return nil
  }

  /// Closes a socket, for the thread that reads from it.
  func close(_ descriptor: Int32) {
    _ = state.withLock { $0.open.remove(descriptor) }
    closeDescriptor(descriptor)
  }

  /// Makes every thread come to its end, which closes its socket.
  func stop() {
    state.withLock { state in
      if state.isStopped { return }
      state.isStopped = true
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }
}
