import Glibc
import Synchronization

/// A program that runs beside this one; what it prints comes through a pipe.
package final class ChildProcess: Sendable {
  package let id: pid_t
  private let output: Int32
  private let state: Mutex<(rest: [UInt8], isReaped: Bool)> = Mutex(([], false))

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package init(_ program: String, _ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let result = posix_spawn(&id, program, &actions, nil, words, environ)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      throw Failure(description: "cannot start \(program): \(result)")
    }
    self.id = id
    output = ends[0]
  }

  deinit {
    if !state.withLock({ $0.isReaped }) {
      _ = kill(id, SIGKILL)
      var status: Int32 = 0
      waitpid(id, &status, 0)
    }
    close(output)
  }

  package func signal(_ number: Int32) { _ = kill(id, number) }

  /// The whole lines that are there; with `wait`, at least one unless the child has closed its end.
  package func lines(wait: Bool, milliseconds: Int32 = 60_000) -> [String] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var lines: [String] = []
    while true {
      var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&item, 1, wait && lines.isEmpty ? milliseconds : 0)
      if ready < 0 && errno == EINTR { continue }
      if ready <= 0 { return lines }
      let count = read(output, &buffer, buffer.count)
      if count <= 0 { return lines }
      lines += state.withLock { state in
        state.rest += buffer[..<count]
        var found = state.rest.split(separator: 0x0A, omittingEmptySubsequences: false)
        state.rest = Array(found.removeLast())
        return found.map { String(decoding: $0, as: UTF8.self) }
      }
    }
  }

  /// Waits for the end; the exit status, or the negative number of the signal.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    state.withLock { $0.isReaped = true }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
  }
}

/// Where the exerciser is: this program itself, or beside the test bundle.
package enum ExerciserProgram {
  package static let path: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = own.split(separator: "/").dropLast().joined(separator: "/")
    return "/" + folder + "/StoreExerciser"
  }()
}
