extension Flow where Element == Bool {
  /// Turns true into false and false into true.
  ///
  ///     source   t--f--t--|
  ///     result   f--t--f--|     toggled()
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func toggled() -> Fused<FusedSource, Bool> {
    map { !$0 }
  }
}
