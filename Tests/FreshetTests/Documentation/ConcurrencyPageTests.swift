import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// docs/concurrency.md has a row for every lock and for everything that the compiler does not check.
@Suite("docs/concurrency.md")
struct ConcurrencyPageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// One line of a source file that the page has to know.
  private struct Place: CustomStringConvertible {
    let file: String
    let number: Int
    let lines: [Substring]
    var line: Substring { lines[number] }
    var description: String { "Sources/\(file):\(number + 1)" }

    /// Whether the line, one of the few before it that belong to it, or the one after is a comment
    /// with one of these words.
    func hasComment(with words: [String]) -> Bool {
      let near = lines[max(0, number - 8)...min(number + 1, lines.count - 1)]
      return near.contains { line in
        line.contains("//") && words.contains { line.contains($0) }
      }
    }
  }

  private static let page = Result {
    try String(contentsOf: root.appending(path: "docs/concurrency.md"), encoding: .utf8)
  }

  /// The rows of the page's tables.
  private static func rows() throws -> [Substring] {
    try page.get().split(separator: "\n").filter { $0.hasPrefix("| ") }
  }

  /// The lines of code of all Swift files that pass a test; comments are no code.
  private static func places(where isOne: (Substring) -> Bool) throws -> [Place] {
    let sources = root.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") }.sorted()
    #expect(files.count > 100, "expected to find the sources")
    return try files.flatMap { file in
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.indices.filter { number in
        let code = lines[number].drop { $0 == " " }
        return !code.hasPrefix("//") && isOne(code)
      }
      .map { Place(file: file, number: $0, lines: lines) }
    }
  }

  /// `Kernel/Gate.swift` of `Freshet/Kernel/Gate.swift`.
  private static func inModule(_ file: String) -> String {
    file.split(separator: "/").dropFirst().joined(separator: "/")
  }

  @Test("a row for every lock, with its file and its name")
  func locks() throws {
    let rows = try Self.rows()
    let locks = try Self.places { $0.contains("Mutex<") || $0.contains("Mutex(") }
    var count = 0
    for place in locks {
      let words = place.line.split { " :=".contains($0) }
      // An initial value in an `init` is that of a property that has a line of its own.
      guard let keyword = words.firstIndex(where: { $0 == "let" || $0 == "var" }),
        keyword + 1 < words.count
      else { continue }
      count += 1
      let name = words[keyword + 1]
      let hasRow = rows.contains { row in
        row.contains(Self.inModule(place.file))
          && (row.contains(".\(name)`") || row.contains("`\(name)`"))
      }
      #expect(hasRow, "\(place): no row for the lock \(name) in docs/concurrency.md")
    }
    #expect(count > 50, "expected to find the locks")
  }

  @Test("a comment and a row for every type that is unchecked")
  func unchecked() throws {
    let page = try Self.page.get()
    let places = try Self.places { $0.contains("@unchecked Sendable") }
    #expect(places.count > 10, "expected to find unchecked types")
    for place in places {
      // The type's name is on this line or, where that was too long, on one of the few before it.
      let words = place.lines[max(0, place.number - 3)...place.number].reversed().lazy
        .map { $0.split { " <:".contains($0) } }
        .first { $0.contains("class") || $0.contains("struct") || $0.contains("enum") }
      let keyword = words?.firstIndex { ["class", "struct", "enum"].contains($0) }
      let name = try #require(words?[(keyword ?? 0) + 1], "\(place): a type without a name")
      #expect(
        page.contains("`\(name)`") || page.contains("`\(name):"),
        "\(place): docs/concurrency.md does not say what protects \(name)")
      #expect(
        place.hasComment(with: ["@unchecked"]),
        "\(place): no comment that begins with @unchecked and says what protects it")
    }
  }

  @Test("a comment and a row for every unsafe variable")
  func unsafeVariables() throws {
    let rows = try Self.rows()
    for place in try Self.places(where: { $0.contains("nonisolated(unsafe)") }) {
      #expect(
        rows.contains { $0.contains(Self.inModule(place.file)) },
        "\(place): no row for its file in docs/concurrency.md")
      #expect(place.hasComment(with: [" "]), "\(place): no comment says what protects it")
    }
  }

  @Test("exclusivity is left unchecked only in types that are unchecked")
  func exclusivity() throws {
    let unchecked = Set(
      try Self.places { $0.contains("@unchecked Sendable") }.map(\.file))
    for place in try Self.places(where: { $0.contains("@exclusivity(unchecked)") }) {
      let isKnown = unchecked.contains(place.file)
      #expect(isKnown, "\(place): what protects it? Its file has no unchecked type")
    }
  }

  @Test("a row for every file with unsafe pointers or unmanaged references")
  func pointers() throws {
    let words =
      ["UnsafePointer", "UnsafeMutable", "UnsafeRaw", "UnsafeBuffer", "Unmanaged"]
      + ["withUnsafe", "unsafeDowncast", "unsafeBitCast", "unsafeUninitialized"]
    let rows = try Self.rows()
    let places = try Self.places { code in words.contains { code.contains($0) } }
    let files = Set(places.map(\.file)).sorted()
    #expect(files.count > 30, "expected to find unsafe pointers")
    for file in files {
      let hasRow = rows.contains { $0.contains(Self.inModule(file)) }
      #expect(hasRow, "Sources/\(file): unsafe pointers, and no row in docs/concurrency.md")
    }
  }

  @Test("no row names a file that is not there")
  func gone() throws {
    let sources = Self.root.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    for row in try Self.rows() {
      for word in row.split(whereSeparator: { " |,;`()".contains($0) }) {
        guard word.hasSuffix(".swift") || word.hasSuffix(".c") else { continue }
        let isThere = files.contains { $0 == word || $0.hasSuffix("/" + word) }
        #expect(isThere, "docs/concurrency.md names \(word)")
      }
    }
  }
}
