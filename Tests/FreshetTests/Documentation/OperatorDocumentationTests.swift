import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// docs/operators.md has a row, and the page it leads to an entry, for everything public.
@Suite("docs/operators.md")
struct OperatorDocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func files(under folder: String) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: root.appending(path: folder).path)
    return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder + "/" + $0 }
  }

  /// The operators that a file adds to flows and to sequences of flows, and the flows and
  /// schedulers that it declares.
  private static func names(in source: String) -> Set<String> {
    var names: Set<String> = []
    var extendsFlows = false
    for line in source.split(separator: "\n") {
      if line.hasPrefix("extension ") {
        extendsFlows = ["extension Flow", "extension Sequence", "extension Collection"]
          .contains(where: line.hasPrefix)
      } else if ["public ", "final ", "struct ", "private "].contains(where: line.hasPrefix) {
        extendsFlows = false
      }
      let words = line.split { " (<:`".contains($0) }
      guard
        let keyword = words.firstIndex(of: "func") ?? words.firstIndex(of: "class")
          ?? words.firstIndex(of: "struct"), words.contains("public"), keyword + 1 < words.count
      else { continue }
      let name = String(words[keyword + 1])
      let isInside = line.hasPrefix(" ")
      if words[keyword] == "func" {
        if name != "subscribe" || line.contains("on scheduler"), extendsFlows || !isInside {
          names.insert(name)
        }
      } else if !isInside, line.contains(": Flow") || line.contains("Scheduler") {
        names.insert(name)
      }
    }
    return names
  }

  /// The flows behind operators, which are documented with the operator.
  private static func isBehindAnOperator(_ name: String, in source: String) -> Bool {
    source.contains("/// The flow behind `") || name == "Window" || name == "Group"
      || name == "MergeMany"
  }

  @Test(
    "has everything public",
    arguments: [
      "Operators/Combining", "Operators/Debugging", "Operators/Failing", "Operators/Filtering",
      "Operators/Flattening", "Operators/Reducing", "Operators/Sharing", "Operators/Timing",
      "Operators/Transforming", "Sources", "Subjects", "Schedulers",
    ])
  func rows(folder: String) throws {
    let index = try Self.text("docs/operators.md")
    let page = folder.split(separator: "/").last.map { $0.lowercased() } ?? ""
    let entries = try Self.text("docs/operators/\(page).md")
    var found = 0
    for file in try Self.files(under: "Sources/Freshet/" + folder) {
      let source = try Self.text(file)
      let names = Self.names(in: source)
      for name in names.sorted() {
        let isType = name.first?.isUppercase == true
        if isType, folder.hasPrefix("Operators"), Self.isBehindAnOperator(name, in: source) {
          continue
        }
        found += 1
        let row = "| [`\(name)`](operators/\(page).md#\(name.lowercased())) |"
        let hasRow = index.contains(row)
        #expect(hasRow, "\(file): docs/operators.md has no row for \(name)")
        let hasEntry = entries.contains("\n## \(name)\n")
        #expect(hasEntry, "\(file): docs/operators/\(page).md has no entry for \(name)")
      }
    }
    #expect(found > 0, "expected to find something public in \(folder)")
  }

  @Test("each file of a folder of operators is one")
  func folders() throws {
    let known = try Set(
      Self.files(under: "Sources/Freshet/Operators").map { file in
        String(file.split(separator: "/")[3])
      })
    #expect(
      known == [
        "Combining", "Debugging", "Failing", "Filtering", "Flattening", "Reducing", "Sharing",
        "Timing", "Transforming",
      ], "a new folder needs a page in docs/operators and a line in this suite")
  }

  @Test("each entry says what happens on a failure, a dispose and a pause, and the names elsewhere")
  func entries() throws {
    let pages = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appending(path: "docs/operators").path)
    for page in pages.sorted() where page != "schedulers.md" {
      let entries = try Self.text("docs/operators/" + page).components(separatedBy: "\n## ")
      #expect(entries.count > 1, "\(page) has no entries")
      for entry in entries.dropFirst() {
        let name = entry.prefix { $0 != "\n" }
        for part in ["```swift", "**Failure:**", "**Dispose:**", "**Pause:**", "**Elsewhere:**"] {
          let hasPart = entry.contains(part)
          #expect(hasPart, "\(page), \(name): no \(part)")
        }
      }
    }
  }

  @Test("no row and no entry is left of what is gone")
  func leftOver() throws {
    var names: Set<String> = []
    for file in try Self.files(under: "Sources/Freshet") {
      names.formUnion(Self.names(in: try Self.text(file)))
    }
    // Properties and what is not a flow.
    names.formUnion(["flow", "values", "value", "FlowValues"])
    let index = try Self.text("docs/operators.md")
    for line in index.split(separator: "\n") where line.hasPrefix("| [`") {
      let name = line.dropFirst(4).prefix { $0 != "`" }
      #expect(names.contains(String(name)), "docs/operators.md has a row for \(name)")
    }
  }
}
