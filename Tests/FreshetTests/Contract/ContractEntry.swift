import Freshet
import FreshetTesting
import Testing

/// One line of the table: an operator, subject or source, and its contract.
struct ContractEntry: Sendable, CustomTestStringConvertible {
  /// What is tested.
  let name: String

  /// The file in `Sources/Freshet` that it is the entry of.
  let file: String

  private let check: @Sendable () -> [ContractViolation]

  init<Subject: Flow>(
    _ name: String, file: String, traits: ContractTraits = [], allowance: Int = 4,
    build: @escaping @Sendable (ContractRig) -> Subject
  ) {
    let contract = StreamContract(name, traits: traits, allowance: allowance, build: build)
    self.name = name
    self.file = file
    check = { contract.violations() }
  }

  func violations() -> [ContractViolation] { check() }

  var testDescription: String { name }
}
