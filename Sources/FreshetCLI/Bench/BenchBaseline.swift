import FreshetStore

/// The samples of an earlier `bench`, as it wrote them.
struct BenchBaseline {
  /// Nanoseconds per value of each part, run by run, by case.
  private(set) var runs: [String: [[Double]]] = [:]

  /// Reads the `bench.sample` records of a file; other records and lines are passed over.
  /// - Throws: ``Stop/usage(_:)`` when it cannot be read, or holds no sample.
  init(file path: String) throws(Stop) {
    let bytes: [UInt8]?
    do {
      bytes = try System.contents(of: path, limit: 256 << 20)
    } catch {
      throw .usage("unreadable_input", "cannot read \(path): \(error.words)")
    }
    guard let bytes else { throw .usage("unreadable_input", "there is no file \(path)") }
    for line in bytes.split(separator: UInt8(ascii: "\n")) { take(line) }
    if runs.isEmpty {
      throw .usage(
        "no_samples",
        "\(path) holds no bench.sample record; freshet bench --format ndjson writes them")
    }
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    // Not a record, so not a sample.
    guard let value = try? JSONValue(parsing: Array(line)), let object = value.objectValue,
      object["type"]?.stringValue == "bench.sample", let data = object["data"]?.objectValue,
      let name = data["case"]?.stringValue, let parts = data["parts"]?.arrayValue
    else { return }
    let numbers = parts.compactMap { $0.numberValue?.double }
    if !numbers.isEmpty { runs[name, default: []].append(numbers) }
  }
}
