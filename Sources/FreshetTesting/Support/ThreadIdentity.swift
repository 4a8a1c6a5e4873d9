#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells threads apart, to tell recursion from concurrency.
struct ThreadIdentity: Hashable, Sendable {
  private let number: UInt

  /// The thread that asks.
  static var current: ThreadIdentity {
    #if canImport(Darwin)
      ThreadIdentity(number: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(number: UInt(pthread_self()))
    #endif
  }
}
