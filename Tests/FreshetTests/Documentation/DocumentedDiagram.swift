import Freshet
import FreshetTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The diagrams of one documentation comment.
///
///     source   1--2--3--|
///     result   p--q--r--|     map { … }   p=a q=b r=c
///
/// A row has a label and a diagram; `p=…` says what a letter stands for.
struct DocumentedDiagram: Sendable {
  /// The file and the number of the comment among those with a result, as in `Take 0`.
  let name: String
  private let rows: [(label: String, diagram: String)]
  private let legend: [Character: String]

  /// The n-th diagram with a label, its letters replaced by what they stand for.
  func row(_ label: String, _ number: Int = 0) -> String {
    let found = rows.filter { $0.label == label }
    guard number < found.count else { return "" }
    return found[number].diagram.map { legend[$0].map { "{\($0)}" } ?? String($0) }.joined()
  }

  /// The row of the second source, whatever it is called.
  var other: String {
    ["b", "other", "signal"].map { row($0) }.first { !$0.isEmpty } ?? ""
  }

  /// The row of the first source, whatever it is called.
  var source: String {
    ["source", "a"].map { row($0) }.first { !$0.isEmpty } ?? ""
  }

  /// The row of the third source.
  var third: String { row("c") }

  private init(name: String, lines: [Substring]) {
    self.name = name
    var rows: [(String, String)] = []
    var legend: [Character: String] = [:]
    for line in lines {
      let words = line.split(separator: " ")
      if !line.hasPrefix(" "), words.count > 1 {
        rows.append((String(words[0]), String(words[1])))
      }
      for word in words where word.count > 2 && word.dropFirst().first == "=" {
        if let letter = word.first, letter.isLetter { legend[letter] = String(word.dropFirst(2)) }
      }
    }
    self.rows = rows
    self.legend = legend
  }

  /// Those of all operators, in the order of files and comments.
  static func all() throws -> [DocumentedDiagram] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/Freshet/Operators")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try files.filter { $0.hasSuffix(".swift") }.sorted().flatMap { file in
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      let name = file.split(separator: "/").last?.dropLast(6) ?? ""
      return comments(in: text).enumerated().map { number, lines in
        DocumentedDiagram(name: "\(name) \(number)", lines: lines)
      }
    }
  }

  /// The lines of code of each comment that has a result among them.
  private static func comments(in text: String) -> [[Substring]] {
    var comments: [[Substring]] = []
    var lines: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let code = line.drop { $0 == " " }
      if code.hasPrefix("///     ") {
        lines.append(code.dropFirst(8))
      } else if !code.hasPrefix("///") {
        let hasResult = ["result ", "both "].contains { label in
          lines.contains { $0.hasPrefix(label) }
        }
        if hasResult { comments.append(lines) }
        lines = []
      }
    }
    return comments
  }
}

/// What a diagram is the picture of.
struct Picture: Sendable {
  typealias Source = ScriptedSource<String, MarbleFailure>

  let name: String
  let difference: @Sendable (DocumentedDiagram, VirtualScheduler) throws -> MarbleDifference?

  /// An operator of one source.
  static func one<Result: Flow>(
    _ name: String, _ label: String = "result", _ number: Int = 0, isCold: Bool = false,
    _ build: @escaping @Sendable (Source, VirtualScheduler) -> Result
  ) -> Picture {
    Picture(name: name) { diagram, time in
      let source = try isCold ? time.cold(diagram.source) : time.hot(diagram.source)
      return try time.difference(of: build(source, time), from: diagram.row(label, number))
    }
  }

  /// An operator of two sources.
  static func two<Result: Flow>(
    _ name: String, isCold: Bool = false,
    _ build: @escaping @Sendable (Source, Source) -> Result
  ) -> Picture {
    Picture(name: name) { diagram, time in
      let source = try isCold ? time.cold(diagram.source) : time.hot(diagram.source)
      let other = try isCold ? time.cold(diagram.other) : time.hot(diagram.other)
      return try time.difference(of: build(source, other), from: diagram.row("result"))
    }
  }

  /// An operator of three sources.
  static func three<Result: Flow>(
    _ name: String, _ build: @escaping @Sendable (Source, Source, Source) -> Result
  ) -> Picture {
    Picture(name: name) { diagram, time in
      let flow = try build(
        time.hot(diagram.source), time.hot(diagram.other), time.hot(diagram.third))
      return try time.difference(of: flow, from: diagram.row("result"))
    }
  }
}
