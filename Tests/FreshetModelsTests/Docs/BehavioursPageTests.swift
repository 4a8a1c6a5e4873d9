import Foundation
import Testing

/// `docs/app-behaviours.md` names tests; there must be such tests.
@Suite("Docs: the page of what the apps do")
struct BehavioursPageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../..").standardizedFileURL

  @Test("every test that the page names is there, in a suite of that name")
  func names() throws {
    let page = try String(
      contentsOf: Self.root.appendingPathComponent("docs/app-behaviours.md"), encoding: .utf8)
    var sources: [String] = []
    let files = FileManager.default.enumerator(
      at: Self.root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      if file.pathExtension == "swift" {
        sources.append(try String(contentsOf: file, encoding: .utf8))
      }
    }
    let names = page.matches(of: /`(\w+Tests)\.(\w+)`/)
    #expect(names.count > 100)
    for name in names {
      let isThere = sources.contains { text in
        text.contains("struct \(name.1)") && text.contains("func \(name.2)(")
      }
      #expect(isThere, "there is no test \(name.0)")
    }
  }
}
