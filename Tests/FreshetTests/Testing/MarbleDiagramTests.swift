import Freshet
import FreshetTesting
import Testing

@Suite("MarbleDiagram: reading")
struct MarbleDiagramTests {
  /// Each event with the tick in which it happens.
  private func ticks(_ text: String) throws -> [String] {
    try MarbleDiagram(text).events.map { event in
      let tick = event.offset / .milliseconds(1)
      let name =
        switch event.mark {
        case .value(let name): name
        case .finish: "|"
        case .failure: "#"
        case .subscription: "^"
        case .dispose: "!"
        }
      return "\(name)@\(tick == tick.rounded() ? "\(Int(tick))" : "\(tick)")"
    }
  }

  @Test(
    "says when what happens",
    arguments: [
      ("", []),
      ("---", []),
      ("-a-b|", ["a@1", "b@3", "|@4"]),
      ("a#", ["a@0", "#@1"]),
      ("é-ß-日", ["é@0", "ß@2", "日@4"]),
      // A group in parentheses is as long as it is wide: c stands in column 6.
      ("--(ab)c", ["a@2", "b@2", "c@6"]),
      ("(a|)", ["a@0", "|@0"]),
      ("(a b)c", ["a@0", "b@0", "c@4"]),
      ("[ab]c", ["a@0", "b@0", "c@1"]),
      ("-[a #]", ["a@1", "#@1"]),
      ("-{10}-{}|", ["10@1", "@3", "|@4"]),
      ("({10}b)c", ["10@0", "b@0", "c@4"]),
      ("{-}{|}", ["-@0", "|@1"]),
      ("  a -  b |", ["a@0", "b@2", "|@3"]),
      ("a\n\t-b", ["a@0", "b@2"]),
      ("-^-!", ["^@1", "!@3"]),
      // Time stands between blanks; elsewhere its characters are values.
      ("a 10ms b", ["a@0", "b@11"]),
      ("10ms a", ["a@10"]),
      ("a 1.5s b", ["a@0", "b@1501"]),
      ("a 2m |", ["a@0", "|@120001"]),
      ("a 0.25ms b", ["a@0", "b@1.25"]),
      ("a 9ms", ["a@0"]),
      ("1s2", ["1@0", "s@1", "2@2"]),
      ("a10ms", ["a@0", "1@1", "0@2", "m@3", "s@4"]),
      ("12 3", ["1@0", "2@1", "3@2"]),
    ] as [(String, [String])])
  func reads(_ text: String, _ expected: [String]) throws {
    #expect(try ticks(text) == expected)
  }

  @Test("the length of a tick is up to the reader; a length of time is what it is")
  func tick() throws {
    let diagram = try MarbleDiagram("-a 5s b", tick: .seconds(1))
    #expect(diagram.events.map(\.offset) == [.seconds(1), .seconds(7)])
    #expect(diagram.description == "-a 5s b")
    #expect(diagram.events.map(\.column) == [2, 7])
  }

  @Test(
    "names the column and what was expected there",
    arguments: [
      ("--a-)b|", 5, "closes no group"),
      ("a]", 2, "closes no group"),
      ("a}", 2, "closes no name"),
      ("-(ab", 5, "expected `)`: the group that column 2 opens is not closed"),
      ("-[ab", 5, "expected `]`"),
      ("-(ab]", 5, "expected `)`: column 2 has opened the group with `(`"),
      ("-()", 3, "expected a value or an end"),
      ("-[ ]", 4, "expected a value or an end"),
      ("(a-b)", 3, "no time passes inside a group"),
      ("(a(b))", 3, "a group has no group inside"),
      ("{ab", 4, "expected `}`: the name that column 1 opens is not closed"),
      ("{a{b}}", 3, "a name has no `{` inside"),
      ("a|b", 3, "the stream has ended with `|` in column 2"),
      ("a#-|", 4, "the stream has ended with `#` in column 2"),
      ("(a||)", 4, "expected nothing more"),
      ("-^-^", 4, "expected one `^` only: the first is in column 2"),
      ("!-!", 3, "expected one `!` only"),
      ("a 1.s b", 3, "one to nine digits after the point"),
      ("1.2.3s", 1, "expected a length of time such as 10ms, 1.5s or 2m, not 1.2.3s"),
      ("a 99999999999m", 3, "99999999999m is too long"),
      ("a 99999999999999999999ms", 3, "expected a length of time"),
      ("500000m 500000m", 15, "for a year at most"),
    ] as [(String, Int, String)])
  func refuses(_ text: String, column: Int, message: String) {
    do throws(MarbleError) {
      let diagram = try MarbleDiagram(text)
      Issue.record("\(text) was read as \(diagram.events)")
    } catch {
      #expect(error.column == column, "\(error)")
      #expect(error.message.contains(message), "\(error)")
      #expect(error.diagram == text)
    }
  }

  @Test("an error shows the place")
  func place() {
    let error = #expect(throws: MarbleError.self) { try MarbleDiagram("--a\t)b|") }
    #expect(
      error?.description == """
        column 5: `)` closes no group; open one with `(`
          --a )b|
              ^
        """)
  }

  @Test("nothing that is made of these characters makes it stumble, by seed")
  func noise() {
    var random = Seed.generator(31)
    let alphabet = Array("-|#^!()[]{}ab19.ms \n")
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...14, using: &random)
      let text = String((0..<length).map { _ in alphabet.randomElement(using: &random)! })
      do throws(MarbleError) {
        let diagram = try MarbleDiagram(text)
        let offsets = diagram.events.map(\.offset)
        #expect(offsets == offsets.sorted(), "\(text), \(Seed.replay)")
      } catch {
        #expect((1...text.count + 1).contains(error.column), "\(text), \(Seed.replay)")
      }
    }
  }
}
