import Freshet

extension Flow {
  /// Subscribes for exactly one answer: the first value, the failure, or `missing` when the flow
  /// finishes without either, so that nobody waits for ever.
  func subscribeForAnswer(
    orElse missing: Failure, _ answer: @escaping @Sendable (Result<Element, Failure>) -> Void
  ) -> Disposable {
    take(1).mapToResult().defaultIfEmpty(.failure(missing)).subscribe(answer)
  }
}
