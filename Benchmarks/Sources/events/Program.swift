import BenchFigures
import BenchSupport
import Foundation

/// The built program as a child whose stdout is a pipe.
final class Program {
  let pid: pid_t
  /// The end of the pipe that this process reads.
  private(set) var output: Int32
  private let errors: String
  private var pending: [UInt8] = []
  private var start = 0

  init(_ suite: Suite, _ arguments: [String], in folder: String) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { stop("cannot make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    errors = folder + "/stderr-\(UInt32.random(in: .min ... .max))"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = ([suite.program] + arguments).map { strdup($0) } + [nil]
    let variables: [String] = ["HOME=\(folder)", "FRESHET_STORE=\(folder)/store"]
    var settings = variables.map { strdup($0) } + [nil]
    defer { for text in words + settings { free(text) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, suite.program, &actions, &attributes, &words, &settings) == 0 else {
      stop("cannot start \(suite.program)")
    }
    self.pid = pid
    close(ends[1])
  }

  /// The next line of stdout, nil at its end.
  func line() -> ArraySlice<UInt8>? {
    while true {
      if let end = pending[start...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return pending[start..<end]
      }
      pending.removeFirst(start)
      start = 0
      var chunk = [UInt8](repeating: 0, count: 262_144)
      let count = read(output, &chunk, chunk.count)
      if count <= 0 { return nil }
      pending += chunk[..<count]
    }
  }

  /// Reads on to a line with this in it.
  func line(with text: String) {
    let wanted = Array(text.utf8)
    while let line = line() {
      if line.contains(wanted) { return }
    }
    stop("\(text) did not come: \(errorText)")
  }

  func closeOutput() {
    close(output)
    output = -1
  }

  /// Waits for its end: the exit code, or minus the signal.
  func wait() -> Int32 {
    var code: Int32 = 0
    while waitpid(pid, &code, 0) == -1, errno == EINTR {}
    return code & 0x7F == 0 ? code >> 8 & 0xFF : -(code & 0x7F)
  }

  var errorText: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }
}
