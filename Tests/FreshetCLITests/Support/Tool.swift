import Foundation

/// A program of the system, where it is installed.
struct Tool {
  let path: String

  init?(_ name: String) {
    let folders = ["/usr/bin", "/bin", "/usr/local/bin"]
    let found = folders.map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let found else { return nil }
    path = found
  }

  static func isInstalled(_ name: String) -> Bool { Tool(name) != nil }

  /// Runs it to its end; small outputs only on stderr.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> (
    status: Int32, output: String, errors: String
  ) {
    try run(arguments, environment: environment)
  }

  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (
    status: Int32, output: String, errors: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8"].merging(
      environment
    ) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let outputBytes = output.fileHandleForReading.readDataToEndOfFile()
    let errorBytes = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: outputBytes, as: UTF8.self),
      String(decoding: errorBytes, as: UTF8.self)
    )
  }
}
