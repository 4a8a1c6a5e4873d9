import FreshetStore

/// The samples of an earlier `bench`, as it wrote them.
struct BenchBaseline {
  /// Nanoseconds per value of each part, run by run, by case.
  private(set) var runs: [String: [[Double]]] = [:]

  /// Reads the `bench.sample` records of a file; other records and lines are passed over.
  /// - Parameter cases: The names of those that are to be compared.
  /// - Throws: ``Stop/usage(_:)`` when it cannot be read, holds a record of another version, or no
  ///   sample of any of them.
  init(file path: String, cases: [String], _ waiter: Waiter) throws(Stop) {
    let contents = try waiter.contents(of: path, limit: 256 << 20)
    let bytes: [UInt8]?
    do {
      bytes = try contents.get()
    } catch {
      throw .usage("unreadable_input", "cannot read \(path): \(error.words)")
    }
    guard let bytes else { throw .usage("unreadable_input", "there is no file \(path)") }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let version = take(line) {
        throw .usage(
          "bad_record",
          "line \(index + 1) of \(path) is a record of envelope version \(version.prefix(40)), this "
            + "knows version 1; measure anew")
      }
    }
    if runs.isEmpty {
      throw .usage(
        "no_samples",
        "\(path) holds no bench.sample record; freshet bench --format ndjson writes them")
    }
    if !cases.contains(where: { runs[$0] != nil }) {
      throw .usage(
        "no_samples",
        "\(path) holds samples of \(Self.list(runs.keys.sorted())), not of "
          + Self.list(cases))
    }
  }

  private static func list(_ names: [String]) -> String {
    let told = names.prefix(3).map { "“\($0.prefix(80))”" }.joined(separator: ", ")
    return names.count > 3 ? told + " and \(names.count - 3) more" : told
  }

  /// - Returns: The version of a record that is of another one, else nil.
  private mutating func take(_ line: ArraySlice<UInt8>) -> String? {
    // RFC 7464 puts a U+001E before each record.
    let text = line.first == 0x1E ? line.dropFirst() : line
    // Not a record, so not a sample.
    guard text.contains(where: { $0 != 0x20 && $0 != 0x0D }),
      let value = try? JSONValue(parsing: Array(text)), let object = value.objectValue,
      let type = object["type"]?.stringValue
    else { return nil }
    if let version = object["v"], version.numberValue?.int64 != 1 { return version.jsonText }
    guard type == "bench.sample", let data = object["data"]?.objectValue,
      let name = data["case"]?.stringValue, let parts = data["parts"]?.arrayValue
    else { return nil }
    // What is no time was written by nobody.
    let numbers = parts.compactMap { $0.numberValue?.double }.filter { $0 >= 0 && $0 < 1e15 }
    if !numbers.isEmpty { runs[name, default: []].append(numbers) }
    return nil
  }
}
