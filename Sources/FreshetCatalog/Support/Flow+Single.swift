import Freshet

extension Flow {
  /// The flow's first value as a single; each subscription subscribes to the flow.
  package func asSingle() -> Single<Element, Failure> {
    Single { resolver in
      take(1).subscribe(
        onValue: { resolver.succeed($0) },
        onEnd: { end in
          if case .failed(let failure) = end { resolver.fail(failure) }
        })
    }
  }
}
