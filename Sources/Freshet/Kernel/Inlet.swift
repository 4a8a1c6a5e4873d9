/// The observer that brings one source's events to a kernel.
@frozen
@usableFromInline
struct Inlet<R: Rule, O: Observer, Element: Sendable, Failure: Error>: Observer
where O.Element == R.Output, O.Failure == R.Failure {
  @usableFromInline let kernel: Kernel<R, O>
  @usableFromInline let port: Port
  @usableFromInline let value: @Sendable (Element) -> R.Input
  @usableFromInline let end: @Sendable (End<Failure>) -> R.Input
  @usableFromInline var hasEnded = false
  @usableFromInline var hasStarted = false

  @inlinable
  @inline(__always)
  init(
    kernel: Kernel<R, O>, port: Port,
    value: @escaping @Sendable (Element) -> R.Input,
    end: @escaping @Sendable (End<Failure>) -> R.Input
  ) {
    self.kernel = kernel
    self.port = port
    self.value = value
    self.end = end
  }

  @inlinable static var mayPause: Bool { O.mayPause || R.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    guard !hasStarted, !kernel.isDisposed else {
      subscription.dispose()
      return
    }
    hasStarted = true
    kernel.attach(subscription, to: port)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded, !kernel.isDisposed else { return .stop }
    return kernel.receive(self.value(value), from: port)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, !kernel.isDisposed else { return }
    hasEnded = true
    kernel.close(with: self.end(end), from: port)
  }
}

/// The observer that brings the events of a flow that the rule has asked for.
@frozen
@usableFromInline
struct InnerInlet<R: Rule, O: Observer>: Observer
where O.Element == R.Output, O.Failure == R.Failure {
  @usableFromInline typealias Element = R.Inner.Element
  @usableFromInline typealias Failure = R.Inner.Failure
  @usableFromInline let kernel: Kernel<R, O>
  @usableFromInline let port: Port
  @usableFromInline var hasEnded = false
  @usableFromInline var hasStarted = false

  @inlinable
  @inline(__always)
  init(kernel: Kernel<R, O>, port: Port) {
    self.kernel = kernel
    self.port = port
  }

  @inlinable static var mayPause: Bool { O.mayPause || R.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    guard !hasStarted, !kernel.isDisposed else {
      subscription.dispose()
      return
    }
    hasStarted = true
    kernel.attach(subscription, to: port)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded, !kernel.isDisposed else { return .stop }
    return kernel.receive(R.input(value: value), from: port)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, !kernel.isDisposed else { return }
    hasEnded = true
    kernel.close(with: R.input(end: end), from: port)
  }
}
