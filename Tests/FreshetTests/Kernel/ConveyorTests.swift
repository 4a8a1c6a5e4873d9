import FreshetTesting
import Testing

@testable import Freshet

@Suite("a queue that gives and takes many values")
struct ConveyorTests {
  @Test("it gives what it was given, in order, and releases what is taken")
  func model() {
    var random = Seed.generator(41)
    for round in 0..<200 {
      let probe = LeakProbe()
      var conveyor = Conveyor<Item>()
      var model: [Int] = []
      var next = 0
      // Bursts of different sizes, so that its head is anywhere when it grows.
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        for _ in 0..<Int.random(in: 0...40, using: &random) {
          conveyor.append(Item(number: next, token: probe.token()))
          model.append(next)
          next += 1
        }
        for _ in 0..<Int.random(in: 0...40, using: &random) {
          let taken = conveyor.popFirst()?.number
          let expected = model.isEmpty ? nil : model.removeFirst()
          #expect(taken == expected, "round \(round), \(Seed.replay)")
        }
        #expect(conveyor.count == model.count, "round \(round), \(Seed.replay)")
        #expect(conveyor.isEmpty == model.isEmpty, "round \(round), \(Seed.replay)")
        #expect(
          probe.alive.count == model.count,
          "expected what was taken to be released: round \(round), \(Seed.replay)")
      }
      conveyor = Conveyor()
      #expect(probe.alive.isEmpty, "expected the rest to be released: \(round), \(Seed.replay)")
    }
  }

  @Test("a burst's room is given back once nothing waits, and not before")
  func trim() {
    var conveyor = Conveyor<Int>()
    for value in 0..<3000 { conveyor.append(value) }
    conveyor.trim()
    #expect(conveyor.room >= 3000, "expected nothing to be given back while values wait")
    for value in 0..<3000 { #expect(conveyor.popFirst() == value) }
    conveyor.trim()
    #expect(conveyor.room == 0)
    conveyor.append(7)
    conveyor.trim()
    #expect(conveyor.popFirst() == 7)
    conveyor.trim()
    #expect(conveyor.room > 0, "expected a little room to be kept")
    #expect(conveyor.popFirst() == nil)
  }

  private struct Item: Sendable {
    let number: Int
    let token: LeakProbe.Token
  }
}
