/// What a power loss may leave of a disk: any choice among the versions of each unsynced sector,
/// any of the sizes, any of the changes of names.
package struct PowerLoss: Sendable {
  private let image: DiskImage
  /// The files with unsynced bytes or sizes.
  private let dirty: [Int]

  package init(_ image: DiskImage) {
    self.image = image
    dirty = image.nodes.indices.filter { image.nodes[$0].isDirty }
  }

  package struct State: Sendable {
    package var image: DiskImage
    /// Equal for equal choices.
    package var key: UInt64
  }

  /// The operations whose effects are not durable yet, oldest first.
  package var operations: [Int] {
    var found = Set(image.pendingEntries.map(\.operation))
    for node in dirty {
      for versions in image.nodes[node].sectors.values {
        found.formUnion(versions.map(\.operation))
      }
      found.formUnion(image.nodes[node].sizes.map(\.operation))
    }
    return found.sorted()
  }

  /// As if everything up to an operation had reached the medium, and nothing after it.
  package func prefix(through operation: Int) -> State {
    var mix = Mix()
    var entries = image.durableEntries
    for (number, entry) in image.pendingEntries.enumerated() where entry.operation <= operation {
      DiskImage.apply(entry.change, to: &entries)
      mix.add(number + 1)
    }
    var contents: [Int: [UInt8]] = [:]
    for node in dirty {
      let state = image.nodes[node]
      var bytes = state.durable
      if let size = state.sizes.last(where: { $0.operation <= operation })?.size {
        DiskImage.resize(&bytes, to: size)
        mix.add(size)
      }
      for sector in state.sectors.keys.sorted() {
        let versions = state.sectors[sector] ?? []
        if let at = versions.lastIndex(where: { $0.operation <= operation }) {
          DiskImage.put(versions[at].bytes, sector: sector, into: &bytes)
          mix.add(at + 1)
        }
        mix.add(0)
      }
      contents[node] = bytes
    }
    return State(image: image.restarted(entries: entries, contents: contents), key: mix.value)
  }

  package func nothing() -> State { prefix(through: -1) }

  package func everything() -> State { prefix(through: .max) }

  /// A random choice; one sector in eight of those changed is torn at some byte.
  package func random(_ generator: inout SeededGenerator) -> State {
    var mix = Mix()
    // Some choices lose almost all, some almost nothing: both ends matter more than the middle.
    let weight = [1, 4, 7][generator.below(3)]
    var entries = image.durableEntries
    for (number, entry) in image.pendingEntries.enumerated()
    where generator.chance(weight, of: 8) {
      DiskImage.apply(entry.change, to: &entries)
      mix.add(number + 1)
    }
    var contents: [Int: [UInt8]] = [:]
    for node in dirty {
      contents[node] = bytes(of: image.nodes[node], weight, &generator, &mix)
    }
    return State(image: image.restarted(entries: entries, contents: contents), key: mix.value)
  }

  private func bytes(
    of state: DiskImage.Node, _ weight: Int, _ generator: inout SeededGenerator, _ mix: inout Mix
  ) -> [UInt8] {
    var bytes = state.durable
    if !state.sizes.isEmpty {
      DiskImage.resize(&bytes, to: size(of: state, weight, &generator))
    }
    mix.add(bytes.count)
    for sector in state.sectors.keys.sorted() {
      let versions = state.sectors[sector] ?? []
      var at = versions.count
      if !generator.chance(weight, of: 8) { at = generator.below(versions.count + 1) }
      mix.add(at)
      if at == 0 { continue }
      var image = versions[at - 1].bytes
      if generator.chance(1, of: 8) {
        let older =
          at > 1 ? versions[at - 2].bytes : DiskImage.sector(sector, of: state.durable)
        let cut = generator.below(DiskImage.sectorBytes)
        image.replaceSubrange(cut..., with: older[cut...])
        mix.add(cut + 1)
      }
      DiskImage.put(image, sector: sector, into: &bytes)
    }
    return bytes
  }

  private func size(
    of state: DiskImage.Node, _ weight: Int, _ generator: inout SeededGenerator
  ) -> Int {
    let all = [state.durable.count] + state.sizes.map(\.size)
    if generator.chance(weight, of: 8) { return all[all.count - 1] }
    let at = generator.below(all.count)
    // A file grows in steps of the system's choosing, and may stop at any of them.
    if at + 1 < all.count, all[at + 1] > all[at], generator.chance(1, of: 2) {
      return all[at] + generator.below(all[at + 1] - all[at] + 1)
    }
    return all[at]
  }

  /// FNV-1a over the choices.
  private struct Mix {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: Int) {
      value = (value ^ UInt64(truncatingIfNeeded: number)) &* 0x0000_0100_0000_01B3
    }
  }
}
