import Testing

@testable import FreshetCLI

/// Columns for people, in any script.
@Suite struct TextTableTests {
  @Test(
    "cells as terminals count them",
    arguments: [
      ("abc", 3), ("", 0), ("해리 포터", 9), ("日本", 4), ("e\u{301}", 1), ("👨‍👩‍👧‍👦", 2), ("🇰🇷", 2),
      ("☕", 2), ("✈︎", 1), ("ｆｕｌｌ", 8), ("\u{1112}\u{1161}\u{11AB}", 2), ("…", 1), ("ñandú", 5),
    ])
  func widths(_ text: String, _ cells: Int) {
    #expect(DisplayWidth.of(text) == cells)
  }

  @Test("columns stand below each other in mixed scripts")
  func alignment() {
    let lines = TextTable.lines(
      [["id", "title", "n"], ["1", "해리 포터", "7"], ["22", "Ubik", "123"]], rightAligned: [2])
    #expect(lines == ["id  title        n", "1   해리 포터    7", "22  Ubik       123"])
  }

  @Test("a cut never splits a character, and never takes more cells than it may")
  func cuts() {
    #expect(DisplayWidth.cut("해리 포터와 마법사의 돌", to: 8) == "해리 포…")
    #expect(DisplayWidth.cut("short", to: 8) == "short")
    for cells in 1...12 {
      #expect(DisplayWidth.of(DisplayWidth.cut("👨‍👩‍👧‍👦가나다abc", to: cells)) <= cells)
    }
  }
}
