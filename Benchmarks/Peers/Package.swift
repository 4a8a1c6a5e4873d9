// swift-tools-version: 6.2
import PackageDescription

// Freshet beside its peers. A package of its own, so that nothing else ever fetches them.
let package = Package(
  name: "freshet-peers",
  dependencies: [
    .package(name: "freshet", path: "../.."),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    .package(url: "https://github.com/ReactiveX/RxSwift.git", from: "6.9.0"),
    .package(url: "https://github.com/ReactiveCocoa/ReactiveSwift.git", from: "7.2.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.0"),
  ],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "peers",
      dependencies: [
        "CAllocations",
        .product(name: "Freshet", package: "freshet"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "RxSwift", package: "RxSwift"),
        .product(name: "ReactiveSwift", package: "ReactiveSwift"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ],
      // The peers are not written for Swift 6's checks.
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
