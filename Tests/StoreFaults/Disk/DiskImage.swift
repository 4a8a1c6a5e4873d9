/// A disk and the cache in front of it, as a value: a copy is a snapshot.
///
/// Bytes that were written since the last sync are kept by sector of 512 bytes, one version per
/// write; names that were made, changed or removed are kept apart from the files, until their
/// directory is synced. What a power loss leaves is any choice among these; see `PowerLoss`.
package struct DiskImage: Sendable {
  package static let sectorBytes = 512

  package struct SectorVersion: Sendable {
    var operation: Int
    var bytes: [UInt8]
  }

  package struct SizeVersion: Sendable {
    var operation: Int
    var size: Int
  }

  package struct Node: Sendable {
    var isDirectory = false
    var permissions: UInt32 = 0o600
    /// As the cache has it: what every process reads.
    package var bytes: [UInt8] = []
    /// As the medium has it.
    package var durable: [UInt8] = []
    var sectors: [Int: [SectorVersion]] = [:]
    var sizes: [SizeVersion] = []

    package var isDirty: Bool { !sectors.isEmpty || !sizes.isEmpty }

    /// True when the cache shows bytes that no sync will write: one has failed.
    package var hasLost: Bool { !isDirty && bytes != durable }
  }

  package enum Change: Sendable {
    case link(String, node: Int)
    case unlink(String)
    case rename(String, to: String, node: Int)
  }

  package struct EntryChange: Sendable {
    var operation: Int
    var directory: String
    var change: Change
  }

  package private(set) var nodes: [Node] = []
  /// Files and directories by their whole path, as the cache has them.
  package private(set) var entries: [String: Int] = [:]
  package private(set) var durableEntries: [String: Int] = [:]
  package private(set) var pendingEntries: [EntryChange] = []
  /// The calls so far that changed anything.
  package private(set) var operations = 0

  /// How often the power has gone.
  package private(set) var restarts: UInt32 = 0

  /// A disk with one empty directory, which is durable.
  package init(directory: String) {
    nodes = [Node(isDirectory: true, permissions: 0o700)]
    entries = [directory: 0]
    durableEntries = entries
  }

  package func bytes(at path: String) -> [UInt8]? { entries[path].map { nodes[$0].bytes } }

  /// The names in a directory.
  package func names(in directory: String) -> [String] {
    let prefix = directory + "/"
    return entries.keys.compactMap { path in
      guard path.hasPrefix(prefix) else { return nil }
      let rest = path.dropFirst(prefix.count)
      return rest.contains("/") ? nil : String(rest)
    }
  }

  package var hasUnsynced: Bool { !pendingEntries.isEmpty || nodes.contains { $0.isDirty } }

  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return String(path[..<slash])
  }

  // MARK: Changes

  private mutating func add(_ change: Change, in path: String) {
    operations += 1
    pendingEntries.append(
      EntryChange(
        operation: operations, directory: DiskImage.directory(of: path), change: change))
    DiskImage.apply(change, to: &entries)
  }

  static func apply(_ change: Change, to entries: inout [String: Int]) {
    switch change {
    case .link(let path, let node): entries[path] = node
    case .unlink(let path): entries[path] = nil
    case .rename(let from, let to, let node):
      // Also when the old name did not survive: a rename is one step.
      if entries[from] == node { entries[from] = nil }
      entries[to] = node
    }
  }

  mutating func make(_ path: String, isDirectory: Bool) -> Int {
    nodes.append(
      Node(isDirectory: isDirectory, permissions: isDirectory ? 0o700 : 0o600))
    add(.link(path, node: nodes.count - 1), in: path)
    return nodes.count - 1
  }

  mutating func remove(_ path: String) { add(.unlink(path), in: path) }

  mutating func rename(_ from: String, to: String, node: Int) {
    add(.rename(from, to: to, node: node), in: to)
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, to node: Int, at offset: Int) {
    operations += 1
    let end = offset + bytes.count
    if nodes[node].bytes.count < end { resize(node, to: end) }
    nodes[node].bytes.withUnsafeMutableBytes { target in
      UnsafeMutableRawBufferPointer(rebasing: target[offset..<end]).copyMemory(from: bytes)
    }
    noteSectors(of: node, from: offset, to: end)
  }

  mutating func truncate(_ node: Int, to size: Int) {
    operations += 1
    let old = nodes[node].bytes.count
    if size == old { return }
    resize(node, to: size)
    if size < old { noteSectors(of: node, from: size, to: old) }
  }

  private mutating func resize(_ node: Int, to size: Int) {
    let old = nodes[node].bytes.count
    if size > old {
      nodes[node].bytes.append(contentsOf: repeatElement(0, count: size - old))
    } else {
      nodes[node].bytes.removeLast(old - size)
    }
    nodes[node].sizes.append(SizeVersion(operation: operations, size: size))
  }

  private mutating func noteSectors(of node: Int, from: Int, to: Int) {
    let size = DiskImage.sectorBytes
    for sector in (from / size)...((max(to, from + 1) - 1) / size) {
      let image = DiskImage.sector(sector, of: nodes[node].bytes)
      nodes[node].sectors[sector, default: []].append(
        SectorVersion(operation: operations, bytes: image))
    }
  }

  /// One whole sector; zeros beyond the end of the file.
  static func sector(_ sector: Int, of bytes: [UInt8]) -> [UInt8] {
    let start = sector * sectorBytes
    let end = min(start + sectorBytes, bytes.count)
    guard start < end else { return [UInt8](repeating: 0, count: sectorBytes) }
    var image = [UInt8](bytes[start..<end])
    image.append(contentsOf: repeatElement(0, count: sectorBytes - image.count))
    return image
  }

  /// Makes a file's bytes and size durable.
  ///
  /// Sector by sector: what an earlier, failed sync has lost stays lost.
  mutating func synchronize(_ node: Int) {
    operations += 1
    settle(node) { _ in true }
  }

  /// A sync that fails: some sectors reach the medium, the others are lost, and all count as clean.
  ///
  /// So the cache shows bytes that no later sync will write.
  mutating func failSynchronization(_ node: Int, _ generator: inout SeededGenerator) {
    operations += 1
    var coins = generator
    settle(node) { _ in coins.chance(1, of: 2) }
    generator = coins
  }

  private mutating func settle(_ node: Int, where reaches: (Int) -> Bool) {
    var state = nodes[node]
    if state.isDirty, reaches(-1) { DiskImage.resize(&state.durable, to: state.bytes.count) }
    for sector in state.sectors.keys.sorted() where reaches(sector) {
      let image = state.sectors[sector]?.last?.bytes ?? []
      DiskImage.put(image, sector: sector, into: &state.durable)
    }
    state.sectors = [:]
    state.sizes = []
    nodes[node] = state
  }

  mutating func synchronizeDirectory(_ path: String) {
    operations += 1
    for entry in pendingEntries where entry.directory == path {
      DiskImage.apply(entry.change, to: &durableEntries)
    }
    pendingEntries.removeAll { $0.directory == path }
  }

  mutating func noteIgnored() { operations += 1 }

  static func resize(_ bytes: inout [UInt8], to size: Int) {
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
    }
  }

  static func put(_ image: [UInt8], sector: Int, into bytes: inout [UInt8]) {
    let start = sector * sectorBytes
    let end = min(start + sectorBytes, bytes.count)
    guard start < end else { return }
    bytes.replaceSubrange(start..<end, with: image[..<(end - start)])
  }

  /// The disk after a restart that left these names and these bytes; all of it is durable.
  func restarted(entries: [String: Int], contents: [Int: [UInt8]]) -> DiskImage {
    var image = self
    image.restarts += 1
    image.entries = entries
    // A file whose directory did not survive did not either.
    for path in entries.keys.sorted(by: >) {
      var parent = DiskImage.directory(of: path)
      while parent.count > 1, parent.utf8.dropFirst().contains(UInt8(ascii: "/")) {
        if image.entries[parent] == nil { image.entries[path] = nil }
        parent = DiskImage.directory(of: parent)
      }
    }
    image.durableEntries = image.entries
    image.pendingEntries = []
    for number in nodes.indices {
      let bytes = contents[number] ?? nodes[number].durable
      image.nodes[number].bytes = bytes
      image.nodes[number].durable = bytes
      image.nodes[number].sectors = [:]
      image.nodes[number].sizes = []
    }
    return image
  }
}
