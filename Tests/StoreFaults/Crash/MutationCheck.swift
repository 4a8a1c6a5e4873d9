/// Leaves out each sync in turn, to see whether anything would notice.
///
/// A sync that nobody misses is useless, or the exploration is blind.
package struct MutationCheck: Sendable {
  package struct Finding: Sendable {
    package var site: SyncSite
    /// The first broken promise; nil when nobody missed the sync.
    package var violation: Violation?
    package var place: String?
  }

  package var explorer: CrashExplorer
  package var steps: [Step]

  package init(explorer: CrashExplorer, steps: [Step]) {
    self.explorer = explorer
    self.steps = steps
  }

  /// The syncs that a whole exploration comes by.
  package func sites() -> [SyncSite] {
    let run = record(ignoring: [])
    let found = run.sites.union(explorer.explore(run.points).sites)
    return found.sorted { $0.description < $1.description }
  }

  package func check(_ site: SyncSite) -> Finding {
    let run = record(ignoring: [site])
    if let first = run.violations.first {
      return Finding(site: site, violation: first, place: "the run itself")
    }
    var explorer = explorer
    explorer.ignoring = [site]
    explorer.stopsEarly = true
    let report = explorer.explore(run.points)
    return Finding(site: site, violation: report.violations.first, place: report.places.first)
  }

  private func record(ignoring: Set<SyncSite>) -> ScriptRun {
    let run = ScriptRun(ignoring: ignoring, segmentBytes: explorer.segmentBytes)
    run.run(steps)
    return run
  }
}
