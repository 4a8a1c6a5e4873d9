import Freshet
import FreshetTesting

/// The diagrams with an observer that pauses at the first value, and resumes where its row says so.
enum PausingPictures {
  private static func pausing<Result: Flow<String, MarbleFailure>>(
    _ name: String, _ build: @escaping @Sendable (Picture.Source) -> Result
  ) -> Picture {
    Picture(name: name) { diagram, time in
      let recorder = Recorder<String, MarbleFailure>(scheduler: time) { _, value in
        value == "1" ? .pause : .more
      }
      let row = diagram.row("observer")
      // The answer to the first value is the pause.
      guard row.hasPrefix("{pauses}-") else { throw MarbleFailure() }
      let observer = try time.hot(row)
      let token = observer.subscribe(
        onValue: { if $0 == "resumes" { recorder.resume() } }, onEnd: { _ in })
      recorder.subscribe(to: build(try time.hot(diagram.source)))
      try time.run()
      token.dispose()
      return try recorder.difference(from: diagram.row("result"))
    }
  }

  static let pictures = [
    pausing("BufferOverflow 0") { $0.buffer(capacity: 2, overflow: .dropOldest) },
    pausing("BufferOverflow 1") { $0.conflate() },
  ]
}

/// The diagrams of `encode` and `decode`, for sources that cannot fail and those that can.
enum CodingPictures {
  static let pictures: [Picture] = [
    .one("Coding 0") { source, _ in source.assertNoFailure().encode(with: Quotes()) },
    .one("Coding 1") { source, _ in
      source.mapFailure { $0 as any Error }.encode(with: Quotes())
    },
    .one("Coding 2") { source, _ in
      source.assertNoFailure().decode(Int.self, with: Quotes())
    },
    .one("Coding 3") { source, _ in
      source.mapFailure { $0 as any Error }.decode(Int.self, with: Quotes())
    },
  ]

  /// As JSON has it: text in quotes, numbers without.
  private struct Quotes: ValueEncoder, ValueDecoder {
    func encode<Value: Encodable>(_ value: Value) throws -> String { "\"\(value)\"" }

    func decode<Value: Decodable>(_ type: Value.Type, from input: String) throws -> Value {
      guard let value = Int(input) as? Value else { throw MarbleFailure() }
      return value
    }
  }
}
