// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it sees the public interface only, as a user does.
let package = Package(
  name: "freshet-benchmarks",
  dependencies: [.package(name: "freshet", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    // Figures as lines of JSON and as a table, without Foundation.
    .target(name: "BenchFigures", swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "streams",
      dependencies: [
        "BenchFigures", "CAllocations",
        .product(name: "Freshet", package: "freshet"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // Folders and memory, for the suites that have processes and disks.
    .target(
      name: "BenchSupport", dependencies: ["BenchFigures"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // The built program from end to end.
    .executableTarget(
      name: "events",
      dependencies: [
        "BenchFigures", "BenchSupport",
        .product(name: "Freshet", package: "freshet"),
        .product(name: "FreshetStore", package: "freshet"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "store",
      dependencies: [
        "BenchFigures", "BenchSupport", "CAllocations",
        .product(name: "Freshet", package: "freshet"),
        .product(name: "FreshetStore", package: "freshet"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)

// The peer of the store's cases. Its headers are not everywhere, so it is asked for:
// FRESHET_SQLITE=1, with libsqlite3-dev installed.
if Context.environment["FRESHET_SQLITE"] == "1" {
  package.targets.append(
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]))
  for target in package.targets where target.name == "store" {
    target.dependencies.append("CSQLite")
    target.swiftSettings?.append(.define("SQLITE"))
  }
}
