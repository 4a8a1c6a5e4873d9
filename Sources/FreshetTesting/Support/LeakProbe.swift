import Synchronization

/// Hands out objects and knows which of them are still alive.
///
/// Let a closure, a buffered value or an observer hold a ``Token``; when the
/// stream is over, ``alive`` should be empty.
///
///     let probe = LeakProbe()
///     var token: LeakProbe.Token? = probe.token("map closure")
///     let handle = subject.map { [token] in token!.pass($0) }.subscribe { _ in }
///     token = nil
///     handle.dispose()
///     probe.alive  // []
public final class LeakProbe: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// Makes a probe that has handed out nothing.
  public init() {}

  /// Makes an object that is counted until it is released.
  ///
  /// - Parameters:
  ///   - name: What ``alive`` calls it.
  ///   - onRelease: Called by its deinit, after it was counted out.
  public func token(
    _ name: String = "token", onRelease: (@Sendable () -> Void)? = nil
  ) -> Token {
    counts.withLock { $0[name, default: 0] += 1 }
    return Token(name: name, probe: self, onRelease: onRelease)
  }

  /// The names of the objects that are still alive, in alphabetical order.
  public var alive: [String] {
    counts.withLock { counts in
      counts.sorted { $0.key < $1.key }.flatMap { Array(repeating: $0.key, count: $0.value) }
    }
  }

  private func remove(_ name: String) {
    counts.withLock { $0[name, default: 0] -= 1 }
  }

  /// An object whose life is watched.
  public final class Token: Sendable {
    /// What the probe calls it.
    public let name: String
    private let probe: LeakProbe
    private let onRelease: (@Sendable () -> Void)?

    fileprivate init(name: String, probe: LeakProbe, onRelease: (@Sendable () -> Void)?) {
      self.name = name
      self.probe = probe
      self.onRelease = onRelease
    }

    /// Gives a value back unchanged, so that a closure has a use for the token.
    public func pass<Value>(_ value: Value) -> Value {
      value
    }

    deinit {
      probe.remove(name)
      onRelease?()
    }
  }
}
