import Freshet
import FreshetStore
import Synchronization

/// Loads pictures over the network and keeps them in a folder and in memory.
///
/// The key of a picture is the hash of its address in its one spelling. A transfer that breaks goes
/// on where it was, where the server allows it; the file has its name only when it is whole.
public final class AssetLoader: AssetLoading {
  /// What a loader keeps to.
  public struct Limits: Sendable {
    /// How many bytes one picture may have.
    public var pictureBytes: Int
    /// How many bytes of pictures are kept in memory.
    public var memoryBytes: Int
    /// How many bytes of pictures are kept on disk, unfinished ones too.
    public var diskBytes: Int64

    /// The usual limits.
    public init(
      pictureBytes: Int = 16 << 20, memoryBytes: Int = 32 << 20, diskBytes: Int64 = 512 << 20
    ) {
      self.pictureBytes = pictureBytes
      self.memoryBytes = memoryBytes
      self.diskBytes = diskBytes
    }
  }

  /// Servers that are known to answer `https` where a catalogue writes `http`.
  private static let upgradable = [
    "books.google.com", "googleusercontent.com", "kakaocdn.net", "daumcdn.net", "image.tmdb.org",
  ]

  private let client: HTTPClient
  private let folder: AssetFolder
  private let memory: ByteCache
  private let limits: Limits
  private let admission: AssetAdmission
  private let workers: any Scheduler
  private let running = Mutex<[String: Share<AnyFlow<AssetEvent, CatalogError>>]>([:])

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - folder: Where the files are; made with the first picture, inside a folder that is there.
  ///   - client: Makes the requests.
  ///   - limits: What it keeps to.
  ///   - named: Addresses that settings name: their servers may be in a private network.
  ///   - workers: Where names are resolved and files are written.
  public convenience init(
    folder: String, client: HTTPClient, limits: Limits = Limits(), named: [WebAddress] = [],
    workers: any Scheduler
  ) {
    self.init(
      folder: folder, client: client, limits: limits, named: named, workers: workers,
      resolve: NetworkAddress.resolve)
  }

  init(
    folder: String, client: HTTPClient, limits: Limits, named: [WebAddress],
    workers: any Scheduler, resolve: @escaping @Sendable (String) -> [NetworkAddress]
  ) {
    self.client = client
    self.folder = AssetFolder(path: folder, limitBytes: limits.diskBytes)
    memory = ByteCache(limit: limits.memoryBytes)
    self.limits = limits
    admission = AssetAdmission(named: named, resolve: resolve)
    self.workers = workers
  }

  /// Loads a picture, as ``AssetLoading`` says.
  public func load(_ address: String) -> AnyFlow<AssetEvent, CatalogError> {
    Deferred { [self] () -> AnyFlow<AssetEvent, CatalogError> in
      let target: WebAddress
      do throws(CatalogError) {
        target = Self.upgraded(try WebAddress(parsing: address))
      } catch {
        return Fail(error).erased()
      }
      let key = Self.key(of: target)
      // A file that had to make room is made again below, from memory.
      if let bytes = memory.bytes(key), FileUse.note(folder.file(key)) {
        return whole(key, bytes)
      }
      return shared(key, target).erased()
    }.erased()
  }

  /// What is kept of an address, as ``AssetLoading`` says.
  public func cached(_ address: String) -> AssetEvent? {
    // An address that is none has no picture; `load` says why.
    guard let target = try? WebAddress(parsing: address) else { return nil }
    let key = Self.key(of: Self.upgraded(target))
    let path = folder.file(key)
    if let bytes = memory.bytes(key), FileUse.note(path) { return .done(path: path, bytes: bytes) }
    let bytes = (try? folder.read(key, limit: limits.pictureBytes)) ?? nil
    return bytes.map { .done(path: path, bytes: $0) }
  }

  /// The pictures that are on disk; reads none of them.
  public var kept: KeptPictures { KeptPictures(folder: folder.path) }

  /// Whether the whole picture of an address is on disk; reads none of it.
  public func isKept(_ address: String) -> Bool { kept.path(of: address) != nil }

  /// The file name of a picture: the SHA-256 of its address.
  static func key(of address: WebAddress) -> String {
    SHA256.hexadecimal(Array(address.normalizedText.utf8))
  }

  /// The address with `https` where its server is known to speak it; nothing else changes.
  static func upgraded(_ address: WebAddress) -> WebAddress {
    guard address.scheme == .http, address.port == 80 else { return address }
    let isKnown = upgradable.contains { address.host == $0 || address.host.hasSuffix("." + $0) }
    return isKnown ? address.encrypted : address
  }

  // MARK: One transfer for many

  private func shared(
    _ key: String, _ address: WebAddress
  ) -> Share<AnyFlow<AssetEvent, CatalogError>> {
    let flow = Using { [self] in
      self
    } use: { loader in
      loader.fromDiskOrServer(key, address)
    } release: { loader in
      // Let go outside the lock.
      _ = loader.running.withLock { $0.removeValue(forKey: key) }
    }.erased().share(replay: 1)
    return running.withLock { running in
      if let present = running[key] { return present }
      running[key] = flow
      return flow
    }
  }

  private func fromDiskOrServer(
    _ key: String, _ address: WebAddress
  ) -> AnyFlow<AssetEvent, CatalogError> {
    Deferred { [self] () -> AnyFlow<AssetEvent, CatalogError> in
      do throws(CatalogError) {
        if let kept = try folder.read(key, limit: limits.pictureBytes) { return whole(key, kept) }
        if let kept = try restored(key) { return whole(key, kept) }
      } catch {
        return Fail(error).erased()
      }
      let request = HTTPRequest(.get, address)
      return client.repeating(taking(key, address), request)
    }
    .subscribe(on: workers)
    .mapFailure { [client] in client.redactor.redact($0) }
    .tap(onValue: { [memory] event in
      if case .done(_, let bytes) = event { memory.keep(bytes, for: key) }
    })
    .erased()
  }

  private func whole(_ key: String, _ bytes: [UInt8]) -> AnyFlow<AssetEvent, CatalogError> {
    Just(.done(path: folder.file(key), bytes: bytes)).promoteFailure(to: CatalogError.self)
      .erased()
  }

  /// The picture that is in memory, after its file was written again; nil when that cannot be.
  private func restored(_ key: String) throws(CatalogError) -> [UInt8]? {
    guard let bytes = memory.bytes(key), let part = try folder.openPart(key) else { return nil }
    try folder.restore(bytes, part, key)
    return bytes
  }

  /// One attempt that waits for its turn: while another process has the file, its progress is told
  /// and the file is looked at again, as long as the other one gets on.
  private func taking(
    _ key: String, _ address: WebAddress
  ) -> AnyFlow<AssetEvent, CatalogError> {
    Deferred { [self] () -> AnyFlow<AssetEvent, CatalogError> in
      let other = OtherTransfer(
        key, at: address, in: folder, patience: client.limits.total, scheduler: client.scheduler)
      return attempt(key, address, other)
        .retry(when: { interruptions in
          interruptions.promoteFailure(to: OtherTransfer.Interruption.self)
            .flatMap { other.wait(after: $0) }
        })
        .mapFailure(\.error)
        .erased()
    }.erased()
  }

  /// One attempt, from wherever the last one came to.
  private func attempt(
    _ key: String, _ address: WebAddress, _ other: OtherTransfer
  ) -> AnyFlow<AssetEvent, OtherTransfer.Interruption> {
    Deferred { [self] () -> AnyFlow<AssetEvent, OtherTransfer.Interruption> in
      do throws(CatalogError) {
        guard let file = try folder.openPart(key) else { return other.progress() }
        let part = HeldPart(file, key, in: folder)
        if let bytes = try folder.read(key, limit: limits.pictureBytes) {
          // Another process has finished it.
          folder.discardPart(key)
          return whole(key, bytes).mapFailure(OtherTransfer.Interruption.failed).erased()
        }
        let growth = try GrowingFile(
          key, at: address, in: folder, part, limit: limits.pictureBytes,
          judge: { [client] in client.judged($0, $1) })
        let parts = client.parts(of: growth.request, admit: admission.number)
          .observe(on: workers, capacity: 64)
        return SaveParts(source: parts.erased(), growth: growth)
          .mapFailure(OtherTransfer.Interruption.failed).erased()
      } catch {
        return Fail(.failed(error)).erased()
      }
    }.erased()
  }
}
