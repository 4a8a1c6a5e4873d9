import Synchronization

extension Journal {
  /// All items in list order.
  func records(includingDeleted: Bool) throws(StoreError) -> [Record] {
    try checkOpen()
    try refresh()
    return try fallingBack { () throws(StoreError) in
      try records(of: state.withLock { $0.log.index }, includingDeleted: includingDeleted)
    }
  }

  /// One item; nil when it is absent, or deleted and `includingDeleted` is false.
  func record(id: String, includingDeleted: Bool) throws(StoreError) -> Record? {
    try checkOpen()
    try refresh()
    let bytes = Array(id.utf8)
    return try fallingBack { () throws(StoreError) in
      try record(bytes, includingDeleted: includingDeleted)
    }
  }

  private func record(_ bytes: [UInt8], includingDeleted: Bool) throws(StoreError) -> Record? {
    let hash = folder.hash.of(bytes)
    let (first, others) = state.withLock { state in
      let found = state.log.index.candidates(hash)
      return (
        found.first.map { Candidate($0, in: state.log.index) },
        found.others.map { Candidate($0, in: state.log.index) }
      )
    }
    guard let first else { return nil }
    if let record = try record(first, bytes, includingDeleted) { return record }
    for other in others {
      if let record = try record(other, bytes, includingDeleted) { return record }
    }
    return nil
  }
}

extension Journal {
  /// An entry that may be the one.
  private struct Candidate {
    let number: Int
    let entry: Index.Entry
    let location: Location

    init(_ found: (number: Int, entry: Index.Entry), in index: borrowing Index) {
      number = found.number
      entry = found.entry
      location = index.location(of: found.entry)
    }
  }

  private func record(
    _ candidate: Candidate, _ id: [UInt8], _ includingDeleted: Bool
  ) throws(StoreError) -> Record? {
    let entry = candidate.entry
    guard includingDeleted || entry.state == .live else { return nil }
    var known: Origin?
    if entry.created > 0 || entry.source > 0 {
      let index = state.withLock { $0.log.index }
      known = try index.knownOrigin(of: candidate.number, entry)
    }
    return try candidate.location.read { $0.isID(id) ? Record($0, entry, known) : nil }
  }
}

extension Index {
  /// An entry's place in the list, unless the record itself says it.
  func knownOrigin(of number: Int, _ entry: Entry) throws(StoreError) -> Origin? {
    if entry.created > 0 {
      return Origin(created: entry.created, index: Int(entry.createdIndex))
    }
    return entry.source == 0 ? nil : try origin(of: number, entry)
  }
}

extension Record {
  init(_ stored: StoredRecord, _ entry: Index.Entry, _ known: Origin?) {
    self.init(stored, entry, known, stored.bodyBytes[...])
  }

  init(
    _ stored: StoredRecord, _ entry: Index.Entry, _ known: Origin?, _ body: ArraySlice<UInt8>
  ) {
    let origin = known ?? stored.origin ?? Origin(created: entry.revision, index: 1)
    self.init(
      id: stored.idHasEscapes
        ? String(decoding: stored.idBytes, as: UTF8.self)
        : String(decoding: stored.rawID, as: UTF8.self),
      revision: entry.revision, created: origin.created, createdIndex: origin.index,
      isDeleted: entry.state != .live, rawBody: body)
  }

  init(_ content: LineContent, _ entry: Index.Entry, _ origin: Origin) {
    self.init(
      id: String(decoding: content.id, as: UTF8.self), revision: entry.revision,
      created: origin.created, createdIndex: origin.index, isDeleted: entry.state != .live,
      body: content.body)
  }

  var origin: Origin { Origin(created: created, index: createdIndex) }
}
