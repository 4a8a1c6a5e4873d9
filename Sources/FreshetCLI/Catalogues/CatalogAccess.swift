import Dispatch
import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// The catalogues a command works with, made of its settings.
struct CatalogAccess: Sendable {
  /// A catalogue that can be searched.
  enum Source: String, CaseIterable {
    case kakao
    case google
    case tmdb

    /// How its pages are read.
    var rules: SearchModel.Rules {
      switch self {
      case .kakao: .kakao
      case .google: .google
      case .tmdb: .tmdb
      }
    }

    /// How many rows it sends at a time at most.
    var largestPage: Int {
      switch self {
      case .kakao: KakaoBooks.largestPage
      case .google: GoogleBooks.largestPage
      case .tmdb: 20
      }
    }

    /// Why it is not asked for so many rows at a time; nil when it is.
    private func objection(toPageSize size: Int) -> String? {
      guard size > largestPage else { return nil }
      return "\(rawValue) sends at most \(largestPage) rows at a time, not \(size)"
    }

    /// How many rows are asked for at a time, as somebody wrote it.
    func pageSize(_ text: String?, named name: String) throws(SearchSubject.Fault) -> Int? {
      guard let text else { return nil }
      guard let size = Int(text), size >= 1 else {
        throw SearchSubject.Fault(
          code: "bad_value",
          message: "\(name) needs a whole number of at least 1, not “\(text.prefix(80))”")
      }
      if let objection = objection(toPageSize: size) {
        throw SearchSubject.Fault(code: "bad_value", message: "\(name): \(objection)")
      }
      return size
    }
  }

  /// The options of every command that asks catalogues.
  static let options: [OptionSpec] = [
    .value("kakao-key-file", "FILE", "a file with the key of Kakao"),
    .value("google-key-file", "FILE", "a file with the key of Google"),
    .value("tmdb-key-file", "FILE", "a file with the key or token of TMDB"),
    .value("kakao-url", "URL", "where Kakao is; for proxies and tests"),
    .value("google-url", "URL", "where Google Books is, likewise"),
    .value("tmdb-url", "URL", "where TMDB is, likewise"),
    .value("tmdb-image-url", "URL", "where TMDB's pictures are, likewise"),
  ]

  static let note =
    "Keys come from a file named by --kakao-key-file, --google-key-file, --tmdb-key-file or the "
    + "setting of that name, else from kakao-key, google-key, tmdb-key in $CREDENTIALS_DIRECTORY, "
    + "else from FRESHET_KAKAO_KEY and so on; never from the command line. A key that is missing "
    + "or refused is exit code 4."

  let kakao: KakaoBooks
  let google: GoogleBooks
  let tmdb: TMDB
  let images: TMDBImages
  private let client: HTTPClient
  private let bases: [WebAddress]

  /// Makes the catalogues; asks nothing.
  ///
  /// - Throws: ``Stop/usage(_:)`` for an address that is none, ``Stop/credentials(_:)`` for a key
  ///   file that holds no key.
  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    let settings = session.settings
    let deadline = try invocation.deadline()
    let keys = try CatalogKeys(
      settings, environment: System.environment,
      read: { (file) throws(Stop) in
        try session.waiter.contents(of: file, limit: 65_536, until: deadline)
      },
      warn: { session.diagnostics.note($0) })
    let kakaoBase = try Self.base("kakao-url", KakaoBooks.standardBase, settings)
    let googleBase = try Self.base("google-url", GoogleBooks.standardBase, settings)
    let tmdbBase = try Self.base("tmdb-url", TMDB.standardBase, settings)
    let imageBase = try Self.base("tmdb-image-url", TMDBImages.standardBase, settings)
    let repeats = try invocation.wholeNumber("retry", in: 0...1000) ?? 3
    // As many transfers as are asked for may go to one server.
    let jobs = max(4, try invocation.wholeNumber("jobs", atLeast: 1) ?? 4)
    client = HTTPClient(
      transport: URLSessionTransport(connectionsPerHost: max(16, jobs)),
      scheduler: QueueScheduler(label: "freshet.requests"),
      limits: HTTPClient.Limits(requestsPerHost: jobs),
      policy: RetryPolicy(attempts: repeats + 1), redactor: keys.redactor)
    kakao = KakaoBooks(http: client, key: keys["kakao"], base: kakaoBase)
    google = GoogleBooks(
      http: client, key: keys["google"], base: googleBase,
      options: GoogleBooks.Options(country: invocation.value("country")))
    tmdb = TMDB(http: client, key: keys["tmdb"], base: tmdbBase)
    images = TMDBImages(base: imageBase)
    bases = [kakaoBase, googleBase, tmdbBase, imageBase]
  }

  static func base(
    _ name: String, _ standard: String, _ settings: Settings
  ) throws(Stop) -> WebAddress {
    do {
      return try WebAddress(parsing: settings.text(name) ?? standard)
    } catch {
      throw .usage("bad_setting", "the setting \(name): \(error.message)")
    }
  }

  /// The catalogue of a name, or the list of it that is asked for.
  func searching(
    _ source: Source, _ subject: SearchSubject = .query("")
  ) -> any CatalogSearching {
    if case .list(let list) = subject { return tmdb.searching(list) }
    return switch source {
    case .kakao: kakao
    case .google: google
    case .tmdb: tmdb
    }
  }

  /// An item at length, from the catalogue its id names.
  func detail(_ id: ItemID) -> Single<ContentItem, CatalogError> {
    switch Source(rawValue: id.source) {
    case .kakao: kakao.detail(id: id)
    case .google: google.detail(id: id)
    case .tmdb: tmdb.detail(id: id)
    case nil:
      .fail(Self.nobodyHas(id))
    }
  }

  /// Why an item is not to be had, as far as that is known before anybody is asked.
  func refusal(of id: ItemID) -> CatalogError? {
    guard let source = Source(rawValue: id.source) else { return Self.nobodyHas(id) }
    return searching(source).refusal
  }

  private static func nobodyHas(_ id: ItemID) -> CatalogError {
    CatalogError(
      .notFound, "no catalogue has \(id): save its record, or download a record of it")
  }

  /// Loads pictures into the folder of a store.
  func assets(of store: DatabaseManager) -> AssetLoader {
    AssetLoader(
      folder: store.path + "/assets", client: client, named: bases,
      workers: QueueScheduler(
        DispatchQueue(label: "freshet.pictures", attributes: .concurrent)))
  }
}

extension Problem {
  /// A catalogue's error as it stands in events.
  init(_ error: CatalogError) {
    self.init(
      code: error.code.name, message: error.message, retryable: error.isRetryable,
      status: error.status)
  }

  /// Whether a key is what is wrong.
  var isCredential: Bool {
    [CatalogError.Code.missingKey, .refusedKey].contains { $0.name == code }
  }
}

extension Finish {
  /// A key is missing or refused.
  static let credentials = Finish(reason: "credentials", exit: ExitCode.credentials)
}
