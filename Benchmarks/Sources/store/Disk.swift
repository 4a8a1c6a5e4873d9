import BenchFigures
import BenchSupport
import Foundation

/// Waits for a disk that is not being throttled.
///
/// Virtual disks are throttled after a burst of writes; a durable case that begins then measures the
/// throttle. So each begins only when 150 appends with a sync have a 90th percentile below 450 µs.
enum Disk {
  /// False when the disk had not calmed down after `patience`.
  static func cool(_ parent: String, patience: Double) -> Bool {
    let deadline = nanoseconds() + Int64(patience * 1e9)
    repeat {
      if probe(parent, count: 150).percentile(0.9) < 450 { return true }
      usleep(500_000)
    } while nanoseconds() < deadline
    return false
  }

  /// Microseconds of appending 1 KB and syncing it: the floor of every durable save.
  static func probe(_ parent: String, count: Int) -> Samples {
    let folder = Folder(in: parent)
    let file = open(folder.path + "/probe", O_CREAT | O_WRONLY | O_APPEND, 0o600)
    if file < 0 { stop("cannot write to \(parent)") }
    defer { close(file) }
    let block = [UInt8](repeating: 0x61, count: 1024)
    var samples = Samples()
    for _ in 0..<count {
      samples.values.append(
        seconds {
          if write(file, block, block.count) != block.count { stop("cannot write to \(parent)") }
          fdatasync(file)
        } * 1e6)
    }
    return samples
  }
}
