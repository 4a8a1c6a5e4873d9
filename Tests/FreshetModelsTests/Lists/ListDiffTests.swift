import FreshetStore
import Testing

@testable import FreshetModels

/// A row with an id and something to show.
private struct Row: Identified, Equatable {
  let rowID: String
  var shown = 0
}

@Suite("Lists: differences by id")
struct ListDiffTests {
  private func rows(_ ids: String) -> [Row] { ids.map { Row(rowID: String($0)) } }

  private func diff(_ old: String, _ new: String) -> ListDiff {
    ListDiff(from: IdentifiedList(rows(old)), to: IdentifiedList(rows(new)))
  }

  /// Replays a difference by the rule of its documentation.
  private func replay(_ diff: ListDiff, on old: [Row], new: [Row]) -> [Row] {
    let out = Set(diff.removed.map(\.index) + diff.moved.map(\.from))
    var list = old.enumerated().filter { !out.contains($0.offset) }.map(\.element)
    var known: [String: Row] = [:]
    for row in old { known[row.rowID] = row }
    let coming = diff.inserted.map { ($0.index, $0.id) } + diff.moved.map { ($0.to, $0.id) }
    for (index, id) in coming.sorted(by: { $0.0 < $1.0 }) {
      list.insert(known[id] ?? Row(rowID: id), at: index)
    }
    for id in diff.updated {
      if let place = list.firstIndex(where: { $0.rowID == id }),
        let row = new.first(where: { $0.rowID == id })
      {
        list[place] = row
      }
    }
    // What is new shows what it shows.
    return list.map { row in
      diff.inserted.contains { $0.id == row.rowID } ? new.first { $0.rowID == row.rowID }! : row
    }
  }

  @Test("nothing changed, nothing told")
  func same() {
    #expect(diff("abc", "abc").isEmpty)
    #expect(diff("", "").isEmpty)
  }

  @Test("rows come, go and change by id, at their indices in the new and the old list")
  func kinds() {
    let inserted = diff("ac", "abc")
    #expect(inserted.inserted == [.init(id: "b", index: 1)])
    #expect(inserted.removed.isEmpty && inserted.moved.isEmpty)
    #expect(diff("abc", "ac").removed == [.init(id: "b", index: 1)])
    var changed = rows("abc")
    changed[1].shown = 7
    let updated = ListDiff(from: IdentifiedList(rows("abc")), to: IdentifiedList(changed))
    #expect(updated.updated == ["b"])
    #expect(updated.inserted.isEmpty && updated.removed.isEmpty && updated.moved.isEmpty)
  }

  @Test("as few rows move as can")
  func fewestMoves() {
    #expect(diff("abcde", "eabcd").moved == [.init(id: "e", from: 4, to: 0)])
    #expect(diff("abcde", "bcdea").moved == [.init(id: "a", from: 0, to: 4)])
    // Rows that only slide because others come and go do not move.
    #expect(diff("abcd", "xbyd").moved.isEmpty)
    #expect(diff("abc", "cba").moved.count == 2)
  }

  @Test("C-11: a list whose ids are not unique is refused with an error")
  func repeatedID() {
    #expect(throws: RepeatedID(id: "a", first: 0, second: 2)) {
      try ListDiff(from: rows("ab"), to: rows("aba"))
    }
    #expect(throws: RepeatedID(id: "b", first: 1, second: 2)) {
      try ListDiff(from: rows("abb"), to: rows("ab"))
    }
    #expect(throws: Never.self) { try ListDiff(from: rows("ab"), to: rows("ba")) }
  }

  @Test("C-11: of rows with one id the first stays, and the others are counted")
  func firstWins() {
    var list = IdentifiedList([Row(rowID: "a", shown: 1), Row(rowID: "b"), Row(rowID: "a")])
    #expect(list.rows.map(\.rowID) == ["a", "b"])
    #expect(list.row(id: "a")?.shown == 1)
    #expect(list.droppedDuplicates == 1)
    #expect(list.append(contentsOf: rows("bc")) == 1)
    #expect(list.droppedDuplicates == 2)
  }

  @Test("ids are compared byte by byte: the two spellings of é are two rows")
  func bytes() {
    #expect(IdentifiedList([Row(rowID: "\u{E9}"), Row(rowID: "e\u{301}")]).count == 2)
  }

  @Test("any difference, replayed on the old list, gives the new one")
  func replayed() {
    var random = SeededGenerator()
    let letters = Array("abcdefghijkl")
    for round in 0..<2000 {
      func any() -> [Row] {
        letters.shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random))
          .map { Row(rowID: String($0), shown: Int.random(in: 0...1, using: &random)) }
      }
      let (old, new) = (any(), any())
      let diff = ListDiff(from: IdentifiedList(old), to: IdentifiedList(new))
      #expect(
        replay(diff, on: old, new: new) == new,
        "round \(round); replay with FRESHET_SEED=\(SeededGenerator.seed)")
    }
  }

  @Test("the longest rise is as long as trying all says")
  func longestRise() {
    var random = SeededGenerator()
    for _ in 0..<200 {
      let numbers = Array((0..<9).shuffled(using: &random).prefix(7))
      var best = 0
      for choice in 0..<(1 << numbers.count) {
        let chosen = numbers.indices.filter { choice >> $0 & 1 == 1 }.map { numbers[$0] }
        if zip(chosen, chosen.dropFirst()).allSatisfy({ $0 < $1 }) {
          best = max(best, chosen.count)
        }
      }
      let places = LongestRise.places(of: numbers)
      let found = numbers.indices.filter { places[$0] }.map { numbers[$0] }
      #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
      #expect(found.count == best, "replay with FRESHET_SEED=\(SeededGenerator.seed)")
    }
  }
}
