/// A broken promise of the store, by the number that `docs/file-format.md` gives it.
package struct Violation: Sendable, Hashable, CustomStringConvertible {
  package var invariant: Int
  package var text: String

  package init(_ invariant: Int, _ text: String) {
    self.invariant = invariant
    self.text = text
  }

  package var description: String { "I\(invariant): \(text)" }
}
