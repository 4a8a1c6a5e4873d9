import Freshet

extension Flow {
  /// The first value as a single; failure and disposal go both ways.
  package var single: Single<Element, Failure> {
    Single { [self] resolver in
      subscribe(
        onValue: { resolver.succeed($0) },
        onEnd: { end in
          if case .failed(let failure) = end { resolver.fail(failure) }
        })
    }
  }
}
