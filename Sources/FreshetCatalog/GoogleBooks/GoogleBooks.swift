import Freshet
import FreshetStore

/// Google Books, version 1: its volumes.
public struct GoogleBooks: CatalogSearching, CatalogDetailing {
  /// What a search may be narrowed by.
  public struct Options: Sendable, Hashable {
    /// Two letters; servers must name it, since Google cannot tell where they are.
    public var country: String?
    /// Two letters of a language.
    public var language: String?

    /// No narrowing.
    public init(country: String? = nil, language: String? = nil) {
      self.country = country
      self.language = language
    }
  }

  /// Where it lives.
  public static let standardBase = "https://www.googleapis.com/books/v1"
  /// The most rows a page has.
  public static let largestPage = 40
  /// Where paging stops in any case: no search brings anything beyond.
  public static let lastIndex = 10_000

  private static let name = "Google Books"

  private let http: any HTTPService
  private let key: String?
  private let base: WebAddress
  private let options: Options

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - http: Makes the requests; its redactor should know the key.
  ///   - key: The API key; without one everything fails with `missing_key`.
  ///   - base: Where the service is, without `/volumes`.
  ///   - options: What searches are narrowed by.
  public init(
    http: any HTTPService, key: String?, base: WebAddress, options: Options = Options()
  ) {
    self.http = http
    self.key = key
    self.base = base
    self.options = options
  }

  /// Without a key it cannot be asked.
  public var refusal: CatalogError? {
    key == nil ? CatalogQuery.missingKey(Self.name, "google") : nil
  }

  /// One page of books, as ``CatalogSearching`` says.
  public func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
    if let objection = CatalogQuery.objection(to: request.query) { return .fail(objection) }
    guard let key else { return .fail(CatalogQuery.missingKey(Self.name, "google")) }
    let start = request.cursor.position ?? 0
    guard (0..<Self.lastIndex).contains(start) else { return .just(.end) }
    var query = [
      (name: "q", value: request.query), (name: "startIndex", value: String(start)),
      (name: "maxResults", value: String(min(max(request.size, 1), Self.largestPage))),
    ]
    if let country = options.country { query.append(("country", country)) }
    if let language = options.language { query.append(("langRestrict", language)) }
    let address = base.appending(path: "/volumes").appending(query: query)
    return http.ask(Self.request(address, key), refusal: Self.refusal) {
      response throws(CatalogError) in
      try Self.page(response, start: start)
    }
  }

  /// The volume at length, as ``CatalogDetailing`` says.
  ///
  /// Its title, pages and texts may differ from what a search said of it. A volume that does not
  /// exist may fail with `server_error`: Google answers so.
  public func detail(id: ItemID) -> Single<ContentItem, CatalogError> {
    guard id.source == "google", id.kind == .book else {
      return .fail(CatalogError(.invalidRequest, "\(id) is not a book of Google Books"))
    }
    // In a path these name a folder and the one above it.
    guard id.native != ".", id.native != ".." else {
      return .fail(CatalogError(.invalidRequest, "\(id) names no volume of Google Books"))
    }
    guard let key else { return .fail(CatalogQuery.missingKey(Self.name, "google")) }
    var address = base.appending(path: "/volumes/\(id.native)")
    if let country = options.country { address = address.appending(query: [("country", country)]) }
    return http.ask(Self.request(address, key), refusal: Self.volumeRefusal) {
      response throws(CatalogError) in
      switch GoogleBooksImport.row(try response.json()) {
      case .item(let item): return item
      case .skipped(let reason): throw CatalogQuery.badResponse(Self.name, reason)
      case .refused(let error): throw CatalogQuery.badResponse(Self.name, error.message)
      }
    }
  }

  private static func request(_ address: WebAddress, _ key: String) -> HTTPRequest {
    HTTPRequest(
      .get, address,
      headers: [
        HTTPRequest.Header("X-Goog-Api-Key", key), HTTPRequest.Header("Accept", "application/json"),
      ])
  }

  private static func page(
    _ response: HTTPResponse, start: Int
  ) throws(CatalogError) -> SearchPage {
    let object = try CatalogQuery.object(response, of: name)
    let total = CatalogQuery.count(object["totalItems"])
    // Where there is nothing, the key is absent.
    guard let items = try CatalogQuery.array("items", in: object, of: name), !items.isEmpty else {
      return SearchPage(items: [], next: nil, total: total)
    }
    let next = start + items.count
    return SearchPage.of(
      items.map(GoogleBooksImport.row), next: next < lastIndex ? .next(next) : nil,
      isCapped: next >= lastIndex && total ?? 0 > next, total: total)
  }

  // MARK: Refusals

  static func refusal(_ response: HTTPResponse) -> CatalogError? {
    if response.isSuccess { return nil }
    let status = response.status
    // A body that is no JSON leaves the status, which says enough.
    let body = (try? response.json())?.objectValue?["error"]?.objectValue ?? JSONObject()
    let first = body["errors"]?.arrayValue?.first?.objectValue ?? JSONObject()
    let reason = first["reason"]?.stringValue ?? body["status"]?.stringValue
    let words = body["message"]?.stringValue ?? ""
    func error(
      _ code: CatalogError.Code, _ message: String, retry: Bool = false
    ) -> CatalogError {
      CatalogError(code, message, isRetryable: retry, status: status, reason: reason)
    }
    let quoted = words.isEmpty ? "" : ": " + Redactor().redact(serverText: words)
    if isDaily(body, reason, words) {
      return error(
        .quotaPerDay, "Google Books' quota of the day is used up, until midnight Pacific time")
    }
    switch (status, reason) {
    case (_, "keyInvalid"), (_, "accessNotConfigured"), (_, "API_KEY_INVALID"), (401, _):
      return error(.refusedKey, "Google refuses the key\(quoted)")
    case (403, "unknownLocation"):
      return error(
        .countryNeeded, "Google cannot tell the country of the caller; name it with --country")
    case (403, "userRateLimitExceeded"), (403, "rateLimitExceeded"), (429, _):
      return error(.rateLimited, "too many requests to Google Books", retry: true)
    case (403, _): return error(.forbidden, "Google refuses\(quoted)")
    case (400, _) where first["location"]?.stringValue == "q":
      return error(.invalidQuery, "Google refuses the query\(quoted)")
    case (400, _) where words.contains("API key not valid"):
      return error(.refusedKey, "Google refuses the key\(quoted)")
    case (400, _): return error(.invalidRequest, "Google refuses the request\(quoted)")
    case (404, _): return error(.notFound, "Google Books has no such volume")
    case (500..., _):
      return error(
        .serverError,
        "Google Books answered with \(status), so it cannot answer just now; try again in some "
          + "minutes", retry: true)
    default: return error(.unexpectedStatus, "Google Books answered with \(status)\(quoted)")
    }
  }

  /// The same of a single volume: 503 is also what Google says of one that does not exist.
  static func volumeRefusal(_ response: HTTPResponse) -> CatalogError? {
    guard let error = refusal(response), error.code == .serverError, response.status == 503 else {
      return refusal(response)
    }
    return CatalogError(
      .serverError,
      "Google Books answered with 503: there may be no such volume, or it cannot answer just now; "
        + "look at the id, or try again in some minutes", isRetryable: true, status: 503,
      reason: error.reason)
  }

  private static func isDaily(_ body: JSONObject, _ reason: String?, _ words: String) -> Bool {
    if reason == "dailyLimitExceeded" || words.hasPrefix("Daily Limit Exceeded") { return true }
    for detail in body["details"]?.arrayValue ?? [] {
      let metadata = detail.objectValue?["metadata"]?.objectValue
      if metadata?["quota_limit"]?.stringValue?.contains("PerDay") == true { return true }
    }
    return false
  }
}
