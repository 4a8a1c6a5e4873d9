import AsyncAlgorithms
import Dispatch

extension Library {
  /// Async sequences of the standard library and of AsyncAlgorithms; they have no subject with
  /// several observers and nothing that can be disposed of.
  static var asyncSequences: Library {
    Library(
      name: "AsyncAlgorithms",
      works: [
        .chain: { count in
          blocking {
            await (0..<count).async.map { $0 &* 3 }.filter { $0 & 1 == 0 }
              .reduce(0) { mix($0, $1) }
          }
        },
        .tenMaps: { count in
          blocking {
            await (0..<count).async.map { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }
              .map { $0 ^ 4 }.map { $0 &+ 5 }.map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }
              .map { $0 &+ 9 }.map { $0 ^ 10 }.reduce(0) { mix($0, $1) }
          }
        },
        .subjectChain: { count in
          // Buffered: the values are sent first, then drained.
          let (stream, input) = AsyncStream<Int>.makeStream()
          for value in 0..<count { input.yield(value) }
          input.finish()
          return blocking {
            await stream.map { $0 &* 3 }.filter { $0 & 1 == 0 }.reduce(0) { mix($0, $1) }
          }
        },
        .subject: { count in
          let (stream, input) = AsyncStream<Int>.makeStream()
          for value in 0..<count { input.yield(value) }
          input.finish()
          return blocking { await stream.reduce(0) { mix($0, $1) } }
        },
        .merge: { count in
          // Three is the most it merges; the fourth part comes in a second merge.
          blocking {
            var sum = 0
            let part = (0..<count / 4).async
            for await _ in AsyncAlgorithms.merge(AsyncAlgorithms.merge(part, part), part, part) {
              sum += 1
            }
            return sum
          }
        },
        .zip: { count in
          blocking {
            var sum = 0
            for await (first, second) in AsyncAlgorithms.zip(
              (0..<count / 2).async, (0..<count / 2).async)
            { sum = mix(sum, first &+ second) }
            return sum
          }
        },
        .flatMap: { count in
          blocking {
            await (0..<count).async.flatMap { CollectionOfOne($0 &+ 1).async }
              .reduce(0) { mix($0, $1) }
          }
        },
        .observeOn: { count in
          // From one task to another, one value at a time.
          blocking {
            let channel = AsyncChannel<Int>()
            Task.detached {
              for value in 0..<count { await channel.send(value) }
              channel.finish()
            }
            return await channel.reduce(0) { mix($0, $1) }
          }
        },
      ],
      subscriptions: { _ in () })
  }
}

private func blocking(_ work: @escaping @Sendable () async -> Int) -> Int {
  let done = DispatchSemaphore(value: 0)
  let cell = Cell()
  Task.detached {
    cell.store(await work())
    done.signal()
  }
  done.wait()
  return cell.value
}
