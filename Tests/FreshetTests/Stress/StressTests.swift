import Freshet
import FreshetTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Eight threads send, subscribe, pause, resume and dispose at random, on every subject and
/// every operator of the kernel; what comes out is checked against a model.
@Suite("every subject and kernel operator under eight threads", .serialized)
struct StressTests {
  private let rounds = 60

  @Test("nothing lost, doubled, reordered or kept; one end", arguments: stressTable)
  func storm(_ stress: StressCase) {
    let probe = LeakProbe()
    let sent = Mutex(Array(repeating: 0, count: stressThreads))
    let guests = Mutex<[Recorder<[Stamp], Never>]>([])
    let stayers = [Recorder<[Stamp], Never>(), Recorder<[Stamp], Never>()]
    let isDone = Threads.finishes(within: 120) { [rounds] in
      let rig = StressRig()
      let built = stress.build(rig)
      let token = probe.token()
      let flow = built.flow.map { token.pass($0) }
      stayers[0].subscribe(to: flow)
      stayers[1].subscribeWithoutPausing(to: flow)
      Threads.concurrently(stressThreads) { thread in
        var random = Seed.generator(thread)
        var mine: [Recorder<[Stamp], Never>] = []
        var number = 0
        for _ in 0..<rounds {
          switch Int.random(in: 0..<12, using: &random) {
          case 0..<7:
            built.send(Stamp(thread: thread, number: number))
            number += 1
          case 7..<9:
            let pauses = Bool.random(using: &random)
            let guest = Recorder<[Stamp], Never> { _, list in
              pauses && list.first?.number.isMultiple(of: 3) == true ? .pause : .more
            }
            guest.subscribe(to: flow)
            mine.append(guest)
          case 9: mine.randomElement(using: &random)?.resume()
          case 10: mine.randomElement(using: &random)?.dispose()
          default:
            if thread == 0 { rig.scheduler.advance(by: .ticks(1)) }
          }
        }
        sent.withLock { $0[thread] = number }
        guests.withLock { $0 += mine }
      }
      built.finish()
      rig.scheduler.advance(by: .ticks(20))
    }
    #expect(isDone, "\(stress.name): expected no deadlock; \(Seed.replay)")
    guard isDone else { return }
    let counts = sent.withLock { $0 }
    for stayer in stayers {
      check(stayer, stress, complete: true, counts)
      #expect(stayer.hasEnded, "\(stress.name): expected one end; \(Seed.replay)")
    }
    for guest in guests.withLock({ $0 }) {
      check(guest, stress, complete: false, counts)
      guest.dispose()
    }
    #expect(probe.alive.isEmpty, "\(stress.name): expected nothing to be kept; \(Seed.replay)")
  }

  private func check(
    _ recorder: Recorder<[Stamp], Never>, _ stress: StressCase, complete: Bool, _ sent: [Int]
  ) {
    #expect(recorder.violations == [], "\(stress.name): one at a time, one end; \(Seed.replay)")
    let stamps = recorder.values.flatMap { $0 }
    if case .one = stress.promise {
      #expect(stamps.count <= 1, "\(stress.name): expected one value at most; \(Seed.replay)")
      return
    }
    let byThread = Dictionary(grouping: stamps, by: \.thread)
    for thread in 0..<stressThreads {
      let numbers = (byThread[thread] ?? []).map(\.number)
      let pairs = zip(numbers, numbers.dropFirst())
      switch stress.promise {
      case .everything where complete:
        #expect(
          numbers == Array(0..<sent[thread]),
          "\(stress.name): expected every value of thread \(thread), in order; \(Seed.replay)")
      case .everything, .increasing:
        #expect(
          pairs.allSatisfy { $0 < $1 },
          "\(stress.name): expected thread \(thread) in order, each once; \(Seed.replay)")
      case .notOlder:
        #expect(
          pairs.allSatisfy { $0 <= $1 },
          "\(stress.name): expected nothing older of thread \(thread); \(Seed.replay)")
      case .one: break
      }
    }
  }

  @Test("the table has every subject and every rule of the kernel")
  func complete() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let sources = root.appending(path: "Sources/Freshet")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") }
    var names: Set<String> = []
    for file in files {
      if file.hasPrefix("Subjects/") {
        names.insert(String(file.dropFirst("Subjects/".count).dropLast(".swift".count)))
      }
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains(": Rule") {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "struct"), index + 1 < words.count,
          words[index + 1].prefix(while: { $0.isLetter }).hasSuffix("Rule")
        else { continue }
        names.insert(String(words[index + 1].prefix { $0.isLetter }))
      }
    }
    let covered = Set(stressTable.flatMap(\.covers))
    #expect(names.subtracting(covered) == [], "without an entry in stressTable")
  }
}

extension StressCase: CustomTestStringConvertible {
  var testDescription: String { name }
}
