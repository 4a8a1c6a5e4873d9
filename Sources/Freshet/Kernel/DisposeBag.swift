import Synchronization

/// A bag of tokens that are disposed of together.
///
/// Releasing the bag disposes of its content. Tokens whose stream has ended are
/// dropped from time to time, so a long-lived bag does not grow with every
/// short stream that passes through it.
public final class DisposeBag: Sendable {
  private struct State {
    var tokens: [Disposable] = []
    var pruneAt = 32
    var isDisposed = false
  }

  private let state = Mutex(State())

  /// Makes an empty bag.
  public init() {}

  /// Adds a token; a bag that was disposed of disposes of it at once.
  ///
  /// - Complexity: O(1), amortised.
  public func insert(_ token: Disposable) {
    let (isLate, ended) = state.withLock { state -> (Bool, [Disposable]) in
      guard !state.isDisposed else { return (true, []) }
      state.tokens.append(token)
      guard state.tokens.count >= state.pruneAt else { return (false, []) }
      let all = state.tokens
      state.tokens = all.filter { !$0.isDisposed }
      state.pruneAt = max(32, state.tokens.count * 2)
      return (false, all)  // Released by the caller, outside the lock.
    }
    _ = ended
    if isLate { token.dispose() }
  }

  /// Disposes of everything inside, and from now on of everything that is added.
  ///
  /// - Complexity: O(n) in the number of tokens held.
  public func dispose() {
    let tokens = state.withLock { state -> [Disposable] in
      state.isDisposed = true
      return exchange(&state.tokens, for: [])
    }
    for token in tokens { token.dispose() }
  }

  /// Disposes of everything inside; the bag can be used again.
  ///
  /// - Complexity: O(n) in the number of tokens held.
  public func clear() {
    let tokens = state.withLock { exchange(&$0.tokens, for: []) }
    for token in tokens { token.dispose() }
  }

  deinit {
    dispose()
  }
}

/// Puts a new value in place and returns the old one.
@inlinable
@inline(__always)
func exchange<Value>(_ place: inout Value, for new: Value) -> Value {
  let old = place
  place = new
  return old
}
