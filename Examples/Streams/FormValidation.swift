import Freshet
import FreshetTesting
import Testing

/// A form whose button can be pressed when all fields are right.
struct Form: Sendable {
  let name = BehaviorRelay("")
  let age = BehaviorRelay("")

  var canSend: some Flow<Bool, Never> {
    name.combineLatest(with: age) { name, age in
      !name.isEmpty && (Int(age) ?? -1) >= 0
    }.distinctUntilChanged()
  }
}

@Test("the button follows the fields, and is told only of changes")
func formValidation() {
  let form = Form()
  let button = Recorder<Bool, Never>()
  button.subscribe(to: form.canSend)
  form.name.accept("Ada")
  form.age.accept("3x")
  form.age.accept("36")
  form.age.accept("37")
  form.name.accept("")
  #expect(button.values == [false, true, false])
  button.dispose()
}
