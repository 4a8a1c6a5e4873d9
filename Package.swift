// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "freshet",
  products: [
    .library(name: "Freshet", targets: ["Freshet"]),
    .library(name: "FreshetTesting", targets: ["FreshetTesting"]),
    .library(name: "FreshetStore", targets: ["FreshetStore"]),
    .library(name: "FreshetCatalog", targets: ["FreshetCatalog"]),
    .library(name: "FreshetModels", targets: ["FreshetModels"]),
    .executable(name: "freshet", targets: ["FreshetCLI"]),
  ],
  dependencies: [],
  targets: [
    // Lowest first. A target depends only on targets above it.
    .target(name: "CFreshetThreads"),
    .target(name: "Freshet", dependencies: ["CFreshetThreads"]),
    .target(name: "FreshetTesting", dependencies: ["Freshet"]),
    .target(name: "CFreshet"),
    .target(name: "FreshetStore", dependencies: ["Freshet", "CFreshet"]),
    .target(name: "FreshetCatalog", dependencies: ["Freshet", "FreshetStore"]),
    .target(name: "FreshetModels", dependencies: ["Freshet", "FreshetStore", "FreshetCatalog"]),
    // A malloc that counts when asked to: for the command only, since it is the whole process's.
    .target(name: "CFreshetAllocations"),
    .executableTarget(
      name: "FreshetCLI",
      dependencies: [
        "Freshet", "FreshetStore", "FreshetCatalog", "FreshetModels", "CFreshet",
        "CFreshetAllocations",
      ]),

    // A web server on loopback for the tests of the targets below.
    .target(name: "FreshetTestServer", path: "Tests/FreshetTestServer"),
    // Stands in for the catalogues where the commands are tried by hand.
    .executableTarget(
      name: "CatalogServer", dependencies: ["FreshetTestServer"], path: "Tests/CatalogServer"),
    .testTarget(name: "FreshetTests", dependencies: ["Freshet", "FreshetTesting"]),
    // A simulated disk and what is done to a store on it; used by tests and by the exerciser.
    .target(
      name: "StoreFaults", dependencies: ["Freshet", "FreshetStore"], path: "Tests/StoreFaults"),
    // Writes, follows, is killed: the child of the process tests, and the long runs of .ci/run.
    .executableTarget(
      name: "StoreExerciser", dependencies: ["Freshet", "FreshetStore", "StoreFaults"],
      path: "Tests/StoreExerciser"),
    .testTarget(
      name: "StreamExamples", dependencies: ["Freshet", "FreshetTesting"],
      path: "Examples/Streams", exclude: ["README.md"]),
    .testTarget(
      name: "FreshetStoreTests",
      dependencies: [
        "Freshet", "FreshetStore", "FreshetTesting", "StoreFaults", "StoreExerciser",
      ],
      resources: [.copy("Golden")]),
    .testTarget(
      name: "FreshetCatalogTests",
      dependencies: ["FreshetCatalog", "FreshetStore", "FreshetTesting", "FreshetTestServer"],
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "FreshetModelsTests", dependencies: ["FreshetModels", "FreshetTesting"]),
    .testTarget(
      name: "FreshetCLITests", dependencies: ["FreshetCLI", "FreshetTestServer"],
      exclude: ["Golden"]),
  ]
)

// One list of settings, so that no target can forget one.
for target in package.targets where !target.name.hasPrefix("CFreshet") {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
