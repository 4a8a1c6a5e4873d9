extension Flow {
  /// Stops in the debugger when a value or an end is the one that is looked for.
  ///
  ///     source   1--2--3--|
  ///     result   1--2--3--|     breakpoint(onValue: { $0 == 2 })
  ///
  /// The hook runs before the observer gets the event, on the delivering thread.
  /// The default hook is a trap of the compiler: a debugger stops there, and
  /// without one the program ends; it cannot be stepped over. To be able to go
  /// on, pass one that raises a signal:
  ///
  ///     .breakpoint(onEnd: { $0 != .finished }, hook: { raise(SIGTRAP) })
  ///
  /// Everything passes through unchanged.
  ///
  /// - Parameters:
  ///   - onValue: Whether to stop at this value. Nil stops at none.
  ///   - onEnd: Whether to stop at this end. Nil stops at none.
  ///   - hook: What stops the program.
  /// - Complexity: O(1) per value.
  @_transparent
  public func breakpoint(
    onValue: (@Sendable (Element) -> Bool)? = nil,
    onEnd: (@Sendable (End<Failure>) -> Bool)? = nil,
    hook: @escaping @Sendable () -> Void = stopAtBreakpoint
  ) -> Tap<Self> {
    tap(
      onValue: { value in
        if let onValue, onValue(value) { hook() }
      },
      onEnd: { end in
        if let onEnd, onEnd(end) { hook() }
      })
  }

  /// Stops in the debugger when the source fails.
  ///
  ///     source   1--2--#
  ///     result   1--2--#     breakpointOnFailure()
  ///
  /// See ``breakpoint(onValue:onEnd:hook:)``.
  ///
  /// - Parameter hook: What stops the program.
  /// - Complexity: O(1) per value.
  @_transparent
  public func breakpointOnFailure(
    hook: @escaping @Sendable () -> Void = stopAtBreakpoint
  ) -> Tap<Self> {
    breakpoint(
      onEnd: { end in
        if case .failed = end { true } else { false }
      }, hook: hook)
  }
}

@usableFromInline
@Sendable
func stopAtBreakpoint() {
  fatalError("a flow's breakpoint was reached")
}
