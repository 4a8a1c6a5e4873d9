import Foundation

/// A process's own memory in MiB: what it does not share with a file.
package func privateMebibytes(of process: Int32? = nil) -> Double {
  let name = process.map { String($0) } ?? "self"
  guard let status = try? String(contentsOfFile: "/proc/\(name)/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
    let number = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
  else { return .nan }
  return number / 1024
}
