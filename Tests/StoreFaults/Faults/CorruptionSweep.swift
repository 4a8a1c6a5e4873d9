import Dispatch
import FreshetStore
import Synchronization

/// Damages a store of 100 records in every way at every place.
///
/// Each byte of its journal is flipped, each sector zeroed. All of it is durable, so each damage must
/// be refused, by its place.
package struct CorruptionSweep: Sendable {
  private let run: ScriptRun
  private let image: DiskImage
  private let log: String

  package init() {
    run = ScriptRun(isRecording: false, segmentBytes: 1 << 20)
    let steps: [Step] = (0..<100).map { number in
      .apply(0, [.save(id: "id-\(number)", body: Array(#"{"n":\#(number)}"#.utf8))])
    }
    run.run([.open(0)] + steps + [.close(0)])
    image = run.disk.image
    log = ScriptRun.path + "/log-00000000000000000001.ndjson"
  }

  package var bytes: Int { image.bytes(at: log)?.count ?? 0 }

  /// What was not refused as it should be.
  package func flips(every stride: Int, from first: Int = 0) -> [String] {
    let places = Array(Swift.stride(from: first, to: bytes, by: stride))
    let found = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: places.count) { number in
      let at = places[number]
      let fault = check(at..<(at + 1)) { $0 ^ UInt8(1 << (at % 8)) }
      if let fault { found.withLock { $0.append("byte \(at): \(fault)") } }
    }
    return found.withLock { $0 }
  }

  package func zeroedSectors() -> [String] {
    Swift.stride(from: 0, to: bytes, by: DiskImage.sectorBytes).compactMap { start in
      check(start..<min(start + DiskImage.sectorBytes, bytes)) { _ in 0 }
        .map { "sector at \(start): \($0)" }
    }
  }

  private func check(_ range: Range<Int>, _ change: (UInt8) -> UInt8) -> String? {
    var damaged = image
    guard let node = damaged.entries[log] else { return "there is no journal" }
    let whole = damaged.nodes[node].bytes
    let changed = whole[range].map(change)
    changed.withUnsafeBytes { damaged.write($0, to: node, at: range.lowerBound) }
    var options = run.options()
    options.fileSystem = SimulatedDisk(damaged)
    do throws(StoreError) {
      try DatabaseManager.open(at: ScriptRun.path, options: options).close()
      return "the store opens"
    } catch {
      guard error.code == .damaged else { return "\(error)" }
      // The line of the damage, or the next one when the newline before it is gone.
      let start = (whole[..<range.lowerBound].lastIndex(of: 0x0A) ?? -1) + 1
      let end = whole[range.lowerBound...].firstIndex(of: 0x0A) ?? whole.count
      let named = error.message.split(separator: "at byte ").dropFirst().first
      let place = named.flatMap { Int($0.prefix { $0.isNumber }) } ?? -1
      if place < start || place > end + 1 { return "named byte \(place): \(error.message)" }
      return nil
    }
  }
}
