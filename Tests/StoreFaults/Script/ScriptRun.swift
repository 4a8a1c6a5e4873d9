import Dispatch
import Freshet
import FreshetStore
import Synchronization

/// Runs a script on a simulated disk, checks each answer against the model, and notes the disk as
/// it is after each call that changes it.
package final class ScriptRun: Sendable {
  /// A moment at which the power may go.
  package struct Point: Sendable {
    package var image: DiskImage
    package var history: History
    /// The step during which it is, and what was called.
    package var step: Int
  }

  struct Opened: Sendable {
    var manager: DatabaseManager
    var isStrict: Bool
    /// What its compactions keep.
    var keeps: Int
  }

  struct State: Sendable {
    var history: History
    var points: [Point] = []
    var step = 0
    var violations: [Violation] = []
    var managers: [Int: Opened] = [:]
    var disk: SimulatedDisk
    var sites: Set<SyncSite> = []
    /// After a failed sync no write of this store may succeed until it is opened again.
    var hasUnknown = false
    var hasFaults = false
    var ticks: Int64 = 0
  }

  package static let path = "/disk/new/store"
  let state: Mutex<State>
  private let ignored: Set<SyncSite>
  private let isRecording: Bool
  private let segmentBytes: Int64

  package init(
    _ image: DiskImage = DiskImage(directory: "/disk"), history: History = History(),
    ignoring: Set<SyncSite> = [], isRecording: Bool = true, segmentBytes: Int64 = 3000
  ) {
    self.isRecording = isRecording
    self.segmentBytes = segmentBytes
    ignored = ignoring
    let disk = SimulatedDisk(image, ignoring: ignoring, seed: UInt64(image.operations))
    // No two runs of a store are at the same time.
    let start = Int64(image.operations) * 1_000_000
    state = Mutex(State(history: history, disk: disk, ticks: start))
    watch(disk)
  }

  package var points: [Point] { state.withLock { $0.points } }
  package var violations: [Violation] { state.withLock { $0.violations } }
  package var history: History { state.withLock { $0.history } }
  package var disk: SimulatedDisk { state.withLock { $0.disk } }
  package var sites: Set<SyncSite> { state.withLock { $0.sites.union($0.disk.sites) } }

  private func watch(_ disk: SimulatedDisk) {
    guard isRecording else { return }
    disk.set { [weak self] image in self?.note(image) }
  }

  private func note(_ image: DiskImage) {
    let head = image.bytes(at: ScriptRun.path + "/HEAD")
    let watermark = head.flatMap { HeadReader.watermark(in: $0) }
    state.withLock { state in
      if state.history.storeID != nil {
        state.history.noteWatermark(watermark)
      }
      state.points.append(Point(image: image, history: state.history, step: state.step))
    }
  }

  func report(_ invariant: Int, _ text: String) {
    state.withLock { $0.violations.append(Violation(invariant, "step \($0.step): \(text)")) }
  }

  /// Runs the steps; the managers that are open at the end are dropped as by a kill.
  package func run(_ steps: [Step]) {
    for (number, step) in steps.enumerated() {
      state.withLock { $0.step = number }
      perform(step)
    }
    disk.set(boundary: nil)
    state.withLock { state in state.managers.values.map(\.manager) }.forEach { $0.close() }
  }

  private func perform(_ step: Step) {
    switch step {
    case .open(let number, let durability, let keeps): open(number, durability, keeps)
    case .close(let number): close(number)
    case .apply(let number, let operations): apply(number, operations)
    case .group(let number, let requests): group(number, requests)
    case .compact(let number): compact(number)
    case .lease(let number): lease(number)
    case .faults(let rule):
      disk.set(rule: rule)
      state.withLock { $0.hasFaults = rule != nil }
    case .kill: kill()
    case .verify(let number): verify(number)
    }
  }

  private func verify(_ number: Int) {
    guard let manager = state.withLock({ $0.managers.removeValue(forKey: number)?.manager }) else {
      return
    }
    let check = StoreCheck(manager: manager, history: history, options: options())
    let violations = check.run()
    state.withLock { $0.violations += violations }
  }

  // MARK: Opening and closing

  package func options(
    _ durability: StoreOptions.Durability = .everyCommit, keeping commits: Int = 0
  ) -> StoreOptions {
    var options = StoreOptions()
    options.fileSystem = disk
    options.durability = durability
    options.compactsAutomatically = false
    options.retention.commits = commits
    options.retention.age = .zero
    // The clock goes on by a second each time that anybody looks.
    options.retention.deleted = .seconds(12)
    options.segmentBytes = segmentBytes
    options.sweepMilliseconds = 600_000
    options.lockTimeout = .seconds(60)
    let boot = disk.image.restarts + 1
    options.boot = { boot }
    options.makeStoreID = { [weak self] in self?.makeID() ?? "" }
    options.now = { [weak self] in 1_764_485_763_000_000 + (self?.tick() ?? 0) }
    return options
  }

  private func tick() -> Int64 {
    state.withLock { state in
      state.ticks += 1_000_000
      return state.ticks
    }
  }

  /// A fresh id for each store that is made.
  private func makeID() -> String {
    let digits = String(disk.image.operations, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  private func open(_ number: Int, _ durability: StoreOptions.Durability, _ keeps: Int) {
    checkRemoved()
    let manager: DatabaseManager
    do throws(StoreError) {
      manager = try DatabaseManager.open(
        at: ScriptRun.path, options: options(durability, keeping: keeps))
    } catch {
      // A disk that refuses a call is a reason, damage is never one.
      if error.code != .damaged, state.withLock({ $0.hasFaults }) { return }
      return report(error.code == .damaged ? 6 : 8, "cannot open: \(error)")
    }
    state.withLock { state in
      state.managers[number] = Opened(
        manager: manager, isStrict: durability == .everyCommit, keeps: keeps)
      state.hasUnknown = false
    }
    switch manager.fetch(includingDeleted: true).wait() {
    case .success(let records):
      let token = manager.token
      state.withLock { state in
        state.violations += state.history.resolve(StoreModel(records), token)
      }
      checkLost()
      checkOldest(of: manager)
    case .failure(let error):
      if !state.withLock({ $0.hasFaults }) { report(8, "cannot read: \(error)") }
    case nil: report(8, "no answer to a read")
    }
  }

  private func close(_ number: Int) {
    let closed = state.withLock { $0.managers.removeValue(forKey: number) }
    closed?.manager.close()
    state.withLock { state in
      // Closing syncs what was answered before the disk had confirmed it.
      if closed?.isStrict == false { state.history.isDurable() }
    }
  }

  /// Goes on with the same cache and none of the open files.
  private func kill() {
    let old = disk
    old.set(boundary: nil)
    // The end of a process changes nothing; what its handles would do on their way out does not
    // count, as they belong to a disk that nobody looks at any more.
    old.set(rule: nil)
    let new = SimulatedDisk(old.image, ignoring: ignored, seed: UInt64(old.image.operations))
    let managers = state.withLock { state in
      state.sites.formUnion(old.sites)
      state.disk = new
      defer { state.managers = [:] }
      return state.managers.values.map(\.manager)
    }
    managers.forEach { $0.close() }
    watch(new)
  }

  /// Bytes that recovery cut off are kept in a file of their own.
  private func checkLost() {
    guard let found = history.found else { return }
    let image = disk.image
    guard let bytes = image.bytes(at: found.path) else { return }
    let common = zip(bytes, found.bytes).prefix { $0 == $1 }.count
    if common == found.bytes.count { return }
    let lost = image.names(in: ScriptRun.path).filter { $0.hasPrefix("lost+") }
    let isKept = lost.contains { name in
      let kept = image.bytes(at: ScriptRun.path + "/" + name) ?? []
      return !kept.isEmpty && found.bytes.count - kept.count <= common
        && found.bytes.suffix(kept.count).elementsEqual(kept)
    }
    if !isKept { report(6, "\(found.bytes.count - common) bytes were cut off and not kept") }
  }

  // MARK: Writing

  private func apply(_ number: Int, _ operations: [FreshetStore.Operation]) {
    guard let manager = state.withLock({ $0.managers[number]?.manager }) else { return }
    state.withLock { $0.history.inFlight = $0.hasUnknown ? $0.history.inFlight : [operations] }
    guard let result = manager.apply(operations).wait() else {
      return report(8, "no answer to a write")
    }
    settle(number, operations, result)
    letMaintenanceEnd(manager)
    state.withLock { if !$0.hasUnknown { $0.history.inFlight = [] } }
  }

  private func settle(
    _ number: Int, _ operations: [FreshetStore.Operation],
    _ result: Result<CommitReceipt, StoreError>
  ) {
    switch result {
    case .success(let receipt): succeeded(number, operations, receipt)
    case .failure(let error):
      // Everything else says that nothing has changed.
      if error.code == .durabilityUnknown { state.withLock { $0.hasUnknown = true } }
    }
  }

  private func succeeded(
    _ number: Int, _ operations: [FreshetStore.Operation], _ receipt: CommitReceipt
  ) {
    let (hasUnknown, isStrict) = state.withLock {
      ($0.hasUnknown, $0.managers[number]?.isStrict ?? true)
    }
    if hasUnknown { report(1, "a write succeeds after one whose outcome is unknown") }
    let history = withErase(number, operations, receipt) ?? self.history
    var model = history.model
    let (outcomes, lines) = model.apply(operations, revision: history.tail + 1)
    if outcomes != receipt.outcomes {
      report(7, "\(operations) gave \(receipt.outcomes) instead of \(outcomes)")
    }
    let expected = lines == 0 ? nil : history.tail + 1
    if receipt.token?.revision != expected {
      report(3, "revision \(history.tail) is followed by \(receipt.token?.revision ?? 0)")
    }
    state.withLock { state in
      state.history.succeeded(operations, revision: receipt.token?.revision)
      if isStrict { state.history.isDurable() }
    }
  }

  private func group(_ number: Int, _ requests: [[FreshetStore.Operation]]) {
    guard let manager = state.withLock({ $0.managers[number]?.manager }) else { return }
    let other: any File
    do throws(SystemError) {
      other = try disk.open(ScriptRun.path + "/LOCK", .update)
      _ = try other.lock(wait: true)
    } catch {
      return report(8, "cannot take LOCK: \(error)")
    }
    state.withLock { $0.history.inFlight = requests }
    // The committer waits for LOCK with the first request in hand: now the others line up.
    let others = Mutex<[PendingAnswer<CommitReceipt, StoreError>]>([])
    let isReady = DispatchSemaphore(value: 0)
    disk.set(onPause: {
      others.withLock { others in
        guard others.isEmpty else { return }
        others = requests.dropFirst().map { PendingAnswer(manager.apply($0)) }
        isReady.signal()
      }
    })
    let first = PendingAnswer(manager.apply(requests[0]))
    isReady.wait()
    disk.set(onPause: nil)
    other.unlock()
    for (answer, operations) in zip([first] + others.withLock { $0 }, requests) {
      guard let result = answer.wait() else { return report(8, "no answer to a write") }
      settle(number, operations, result)
    }
    letMaintenanceEnd(manager)
    state.withLock { if !$0.hasUnknown { $0.history.inFlight = [] } }
  }
}
