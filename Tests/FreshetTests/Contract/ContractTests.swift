import Freshet
import FreshetTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("stream contract")
struct ContractTests {
  @Test("keeps the rules", arguments: contractTable)
  func contract(_ entry: ContractEntry) {
    for violation in entry.violations() {
      Issue.record("\(violation)")
    }
  }

  @Test("every operator file has an entry in the table")
  func everyOperatorHasAnEntry() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let entries = Set(contractTable.map(\.file))
    for folder in ["Operators", "Sources", "Subjects"] {
      let path = root.appending(path: "Sources/Freshet/\(folder)")
      let files = try FileManager.default.subpathsOfDirectory(atPath: path.path)
        .filter { $0.hasSuffix(".swift") }
      #expect(!files.isEmpty, "expected files in Sources/Freshet/\(folder)")
      let missing = files.filter { file in
        !entries.contains(String(file.split(separator: "/").last!.dropLast(".swift".count)))
      }
      #expect(missing == [], "files in \(folder) without an entry in contractTable")
    }
  }
}
