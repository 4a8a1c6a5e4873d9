// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it sees the public interface only, as a user does.
let package = Package(
  name: "freshet-benchmarks",
  dependencies: [.package(name: "freshet", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "streams",
      dependencies: [
        "CAllocations",
        .product(name: "Freshet", package: "freshet"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
