import Freshet
import FreshetStore
import Glibc

/// What the children of the process tests do; each prints one line per answer.
package enum ChildWork {
  /// Writes a line at once; false when nobody reads any more.
  package static func say(_ text: String) -> Bool {
    let bytes = Array((text + "\n").utf8)
    return Glibc.write(1, bytes, bytes.count) == bytes.count
  }

  package static func options(isRelaxed: Bool = false) -> StoreOptions {
    var options = StoreOptions()
    options.segmentBytes = 64 << 10
    options.lockTimeout = .seconds(60)
    if isRelaxed { options.durability = .interval(.milliseconds(5)) }
    return options
  }

  private static func body(_ number: Int) -> [UInt8] { Array(#"{"n":\#(number)}"#.utf8) }

  /// Saves without end, and prints number and revision of what was acknowledged.
  ///
  /// Commit number n saves `name-n`; each fourth is a batch that also deletes the one before.
  package static func write(
    _ path: String, name: String, from first: Int, isRelaxed: Bool, isPaced: Bool
  ) throws {
    let manager = try DatabaseManager.open(at: path, options: options(isRelaxed: isRelaxed))
    var number = first
    while true {
      var operations: [FreshetStore.Operation] = [
        .save(id: "\(name)-\(number)", body: body(number))
      ]
      if number % 4 == 3 { operations.append(.delete(id: "\(name)-\(number - 1)")) }
      let receipt = try manager.apply(operations).wait()?.get()
      guard say("\(number) \(receipt?.token?.revision ?? 0)") else { return }
      number += 1
      if isPaced { usleep(2000) }
    }
  }

  /// Raises a counter so many times, each time on condition that nobody was faster, and prints the
  /// revision and the number of each.
  package static func compete(_ path: String, count: Int) throws {
    let manager = try DatabaseManager.open(at: path, options: options())
    var done = 0
    while done < count {
      let record = try manager.fetch(id: "counter").wait()?.get()
      let number = record.flatMap { value(of: $0.body) } ?? 0
      let expectation: Expectation = record.map { .revision($0.revision) } ?? .absent
      let receipt = try manager.apply([
        .expect(id: "counter", expectation), .save(id: "counter", body: body(number + 1)),
      ]).wait()?.get()
      guard let token = receipt?.token else { continue }
      done += 1
      guard say("\(token.revision) \(number + 1)") else { return }
    }
    manager.close()
  }

  package static func value(of body: [UInt8]) -> Int? {
    Int(String(decoding: body, as: UTF8.self).dropFirst(5).dropLast())
  }

  /// Prints revision and ids of every commit from the oldest on.
  package static func follow(_ path: String) throws {
    var options = options()
    options.isReadOnly = true
    let manager = try DatabaseManager.open(at: path, options: options)
    let end = PendingAnswer(
      manager.changes(since: .oldest).compactMap { set -> Bool? in
        say("\(set.revision) \(line(of: set))") ? nil : true
      })
    _ = end.wait()
    manager.close()
  }

  package static func line(of set: ChangeSet) -> String {
    set.changes.map { "\($0.kind.rawValue):\($0.id)" }.joined(separator: ",")
  }

  /// Takes LOCK, says so, and keeps it.
  package static func hold(_ path: String) throws {
    let file = try LiveFileSystem().open(path + "/LOCK", .update)
    _ = try file.lock(wait: true)
    _ = say("held")
    // Should the test's own process fall, this one goes too.
    let parent = getppid()
    while getppid() == parent { _ = poll(nil, 0, 200) }
  }

  /// Saves until the size limit of its files is reached, then raises the limit and goes on.
  package static func fill(_ path: String, limit: UInt) throws {
    var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t.max)
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    limits.rlim_cur = rlim_t(limit)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    let manager = try DatabaseManager.open(at: path, options: options())
    var number = 0
    while true {
      let result = manager.apply([.save(id: "f-\(number)", body: body(number))]).wait()
      if case .failure(let error)? = result {
        _ = say("failed \(error.code) \(number)")
        break
      }
      number += 1
    }
    limits.rlim_cur = limits.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    _ = try manager.apply([.save(id: "last", body: body(number))]).wait()?.get()
    _ = say("done \(manager.token.revision)")
    manager.close()
  }

  /// Prints where the descriptors of this process lead, one a line.
  package static func descriptors() throws {
    var buffer = [CChar](repeating: 0, count: 4096)
    for name in try LiveFileSystem().list("/proc/self/fd") {
      let count = readlink("/proc/self/fd/" + name, &buffer, buffer.count)
      guard count > 0 else { continue }
      let target = buffer[..<count].map { UInt8(bitPattern: $0) }
      _ = say("\(name) \(String(decoding: target, as: UTF8.self))")
    }
    _ = say("end")
  }
}
