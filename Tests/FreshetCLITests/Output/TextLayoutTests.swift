import Testing

@testable import FreshetCLI

@Suite struct TextLayoutTests {
  private func lay(_ lines: [String], _ look: TextLook = TextLook()) -> [String] {
    var layout = TextLayout(look)
    var bytes: [UInt8] = []
    for line in lines { layout.add(line, to: &bytes) }
    layout.finish(into: &bytes)
    return String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast().map(String.init)
  }

  @Test("columns stand below each other, wide characters counted as a terminal shows them")
  func columns() {
    #expect(
      lay([
        TextRow.line(["a", "밤의 정원사", "2020"]), TextRow.line(["long id", "The Lantern", ""]),
        TextRow.line(["b", "", "x"]),
      ]) == [
        "a        밤의 정원사  2020", "long id  The Lantern", "b                     x",
      ])
  }

  @Test("a line is cut to the terminal, never within a wide character")
  func cut() {
    #expect(
      lay([TextRow.line(["ab", "밤의 정원사"])], TextLook(width: 8)) == ["ab  밤…"])
    #expect(lay([TextRow.line(["abcdef", "x"])], TextLook(width: 4)) == ["abc…"])
    #expect(lay([TextRow.line(["ab", "x"])], TextLook(width: 5)) == ["ab  x"])
    #expect(lay([TextRow.line(["ab", "x"])], TextLook(width: 4)) == ["ab"])
  }

  @Test("rows keep the columns of those before; other lines go out as they are")
  func streams() {
    var layout = TextLayout(TextLook())
    var bytes: [UInt8] = []
    layout.add(TextRow.line(["abcd", "1"]), to: &bytes)
    layout.finish(into: &bytes)
    layout.add(TextRow.line(["x", "2"]), to: &bytes)
    layout.add("a title\n", to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "abcd  1\nx     2\na title\n\n")
    #expect(layout.count == 0)
  }

  @Test("colour only where it is wanted; a title cannot bring its own")
  func colour() {
    let row = TextRow.line(["id", "evil \u{1B}[31m\u{1F}\u{1D}"], dim: [0])
    #expect(lay([row]) == ["id  evil  [31m  "])
    #expect(lay([row], TextLook(usesColor: true)) == ["\u{1B}[2mid\u{1B}[0m  evil  [31m  "])
  }

  @Test("a very long cell sticks out and pushes no other row")
  func longCell() {
    let id = String(repeating: "x", count: 100)
    let lines = lay([TextRow.line([id, "a"]), TextRow.line(["b", "c"])])
    #expect(lines[0] == id + "  a")
    #expect(lines[1] == "b" + String(repeating: " ", count: 57) + "c")
  }

  @Test("memory stays flat: many rows are laid out as they come")
  func many() {
    var layout = TextLayout(TextLook())
    var bytes: [UInt8] = []
    for number in 0..<5000 {
      layout.add(TextRow.line(["\(number)", "x"]), to: &bytes)
      #expect(layout.count < TextLayout.limit)
    }
  }
}
