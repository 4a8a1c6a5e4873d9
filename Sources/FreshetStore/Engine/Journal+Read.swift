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
    var text = id
    let result = text.withUTF8 { bytes in
      Result { () throws(StoreError) in
        try record(id, UnsafeRawBufferPointer(bytes), includingDeleted)
      }
    }
    return try result.get()
  }

  private func record(
    _ id: String, _ bytes: UnsafeRawBufferPointer, _ includingDeleted: Bool
  ) throws(StoreError) -> Record? {
    let hash = folder.hash.of(bytes)
    var current = try currentCandidates(hash)
    if current == nil {
      try checkOpen()
      try refresh()
    }
    return try fallingBack { () throws(StoreError) in
      // A second time as the state is then, which no longer rests on the snapshot that is damaged.
      let found = current ?? candidates(hash)
      current = nil
      guard let first = found.first else { return nil }
      if let record = try record(first, id, bytes, includingDeleted) { return record }
      for other in found.others {
        if let record = try record(other, id, bytes, includingDeleted) { return record }
      }
      return nil
    }
  }
}

extension Journal {
  /// An entry that may be the one.
  private struct Candidate {
    let entry: Index.Entry
    let location: Location
    /// Where the snapshot has the item, when that alone says its place in the list.
    let original: (revision: Int64, location: Location)?

    init(_ found: (number: Int, entry: Index.Entry), in index: borrowing Index) {
      entry = found.entry
      location = index.location(of: entry)
      if entry.created == 0 && entry.source > 0 {
        let line = index.original(found.number)
        original = (line.revision, index.location(of: line))
      } else {
        original = nil
      }
    }

    /// The item's place in the list, unless the record itself says it.
    func knownOrigin() throws(StoreError) -> Origin? {
      if entry.created > 0 {
        return Origin(created: entry.created, index: Int(entry.createdIndex))
      }
      guard let original else { return nil }
      let found = try original.location.read { $0.origin }
      return found ?? Origin(created: original.revision, index: 1)
    }
  }

  private struct Candidates {
    let first: Candidate?
    let others: [Candidate]

    init(_ hash: UInt64, in index: borrowing Index) {
      let found = index.candidates(hash)
      first = found.first.map { Candidate($0, in: index) }
      others = found.others.isEmpty ? [] : found.others.map { Candidate($0, in: index) }
    }
  }

  private func candidates(_ hash: UInt64) -> Candidates {
    state.withLock { Candidates(hash, in: $0.log.index) }
  }

  /// The same, after one look at HEAD and with one lock; nil when the store is closed, or others
  /// have made commits durable that are not taken in yet.
  private func currentCandidates(_ hash: UInt64) throws(StoreError) -> Candidates? {
    guard options.visibility != .visible, let durable = try head.read() else { return nil }
    return state.withLock { state in
      guard !state.isClosed, durable.revision <= state.log.revision else { return nil }
      if durable.isAhead(of: state.head) { state.head = durable }
      return Candidates(hash, in: state.log.index)
    }
  }

  private func record(
    _ candidate: Candidate, _ id: String, _ bytes: UnsafeRawBufferPointer,
    _ includingDeleted: Bool
  ) throws(StoreError) -> Record? {
    let entry = candidate.entry
    guard includingDeleted || entry.state == .live else { return nil }
    let known = try candidate.knownOrigin()
    return try candidate.location.read { stored in
      // The caller's own text of the id spares making another.
      stored.isID(bytes)
        ? Record(id: id, entry, known ?? stored.origin, stored.bodyBytes[...]) : nil
    }
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
    self.init(id: stored.idText, entry, known ?? stored.origin, stored.bodyBytes[...])
  }

  /// - Parameter origin: Its place in the list, unless that is where its revision is.
  init(id: String, _ entry: Index.Entry, _ origin: Origin?, _ body: ArraySlice<UInt8>) {
    let origin = origin ?? Origin(created: entry.revision, index: 1)
    self.init(
      id: id, revision: entry.revision, created: origin.created, createdIndex: origin.index,
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
