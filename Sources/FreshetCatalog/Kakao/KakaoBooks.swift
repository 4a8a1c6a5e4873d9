import Freshet
import FreshetStore

/// Kakao's book search, version 3.
public struct KakaoBooks: CatalogSearching, CatalogDetailing {
  /// Where it lives.
  public static let standardBase = "https://dapi.kakao.com"
  /// The last page that can be asked for.
  public static let lastPage = 50
  /// The most rows a page has.
  public static let largestPage = 50

  private static let name = "Kakao"

  private let http: any HTTPService
  private let key: String?
  private let base: WebAddress

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - http: Makes the requests; its redactor should know the key.
  ///   - key: The REST key; without one every search fails with `missing_key`.
  ///   - base: Where the service is, without `/v3/search/book`.
  public init(http: any HTTPService, key: String?, base: WebAddress) {
    self.http = http
    self.key = key
    self.base = base
  }

  /// Without a key it cannot be asked.
  public var refusal: CatalogError? {
    key == nil ? CatalogQuery.missingKey(Self.name, "kakao") : nil
  }

  /// One page of books, as ``CatalogSearching`` says.
  public func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
    if let objection = CatalogQuery.objection(to: request.query) { return .fail(objection) }
    let page = request.cursor.position ?? 1
    guard (1...Self.lastPage).contains(page) else { return .just(.end) }
    return ask(
      [
        ("query", request.query), ("page", String(page)),
        ("size", String(min(max(request.size, 1), Self.largestPage))),
      ], page: page)
  }

  /// The book with an ISBN, as ``CatalogDetailing`` says.
  ///
  /// Kakao has no other way to one book than a search for its number, so a book without a number
  /// fails with `invalid_request`.
  public func detail(id: ItemID) -> Single<ContentItem, CatalogError> {
    guard id.source == "kakao", id.kind == .book, ISBN(id.native) != ISBN() else {
      return .fail(CatalogError(.invalidRequest, "\(id) is not a book of Kakao's with an ISBN"))
    }
    return ask([("query", id.native), ("target", "isbn"), ("page", "1"), ("size", "10")], page: 1)
      .tryMap { page throws(CatalogError) in
        guard let item = page.items.first(where: { $0.id == id }) else {
          throw CatalogError(.notFound, "Kakao has no book \(id.native)")
        }
        return item
      }
      .single
  }

  private func ask(
    _ query: [(name: String, value: String)], page: Int
  ) -> Single<SearchPage, CatalogError> {
    guard let key else { return .fail(CatalogQuery.missingKey(Self.name, "kakao")) }
    let wire = HTTPRequest(
      .get, base.appending(path: "/v3/search/book").appending(query: query),
      headers: [
        HTTPRequest.Header("Authorization", "KakaoAK \(key)"),
        HTTPRequest.Header("Accept", "application/json"),
      ])
    return http.ask(wire, refusal: { Self.refusal($0, page: page) }) {
      response throws(CatalogError) in
      // The page after the last one is a refusal that means an end.
      if response.status == 400 { return .end }
      return try Self.page(response, number: page)
    }
  }

  private static func page(
    _ response: HTTPResponse, number: Int
  ) throws(CatalogError) -> SearchPage {
    let object = try CatalogQuery.object(response, of: name)
    guard let documents = try CatalogQuery.array("documents", in: object, of: name) else {
      throw CatalogQuery.badResponse(name, "there are no documents")
    }
    let meta = object["meta"]?.objectValue ?? JSONObject()
    guard let isEnd = meta["is_end"]?.boolValue else {
      throw CatalogQuery.badResponse(name, "meta.is_end is missing or is not true or false")
    }
    let rows = try CatalogQuery.rows(of: name) { () throws(CatalogRefusal) in
      try KakaoImport.rows(of: .array(documents))
    }
    return SearchPage.of(
      rows, next: isEnd || number >= lastPage ? nil : .next(number + 1),
      isCapped: !isEnd && number >= lastPage,
      total: CatalogQuery.count(meta["total_count"]),
      pageable: CatalogQuery.count(meta["pageable_count"]))
  }

  // MARK: Refusals

  static func refusal(_ response: HTTPResponse, page: Int) -> CatalogError? {
    if response.isSuccess { return nil }
    let status = response.status
    // A body that is no JSON leaves the status, which says enough.
    let object = (try? response.json())?.objectValue ?? JSONObject()
    let type = object["errorType"]?.stringValue
    let code = object["code"]?.numberValue?.int64
    let words = object["message"]?.stringValue ?? object["msg"]?.stringValue ?? ""
    func error(
      _ code: CatalogError.Code, _ message: String, retry: Bool = false
    ) -> CatalogError {
      CatalogError(
        code, message, isRetryable: retry, status: status,
        reason: type ?? object["code"]?.numberValue?.text)
    }
    let quoted = words.isEmpty ? "" : ": " + Redactor().redact(serverText: words)
    switch (status, code) {
    case (400, -10):
      return error(.quotaPerDay, "Kakao's quota is used up; wait until it is renewed")
    case (400, -1), (400, -7), (400, -603), (500..., _):
      return error(.serverError, "Kakao answered with a fault of its own (\(status))", retry: true)
    case (400, _):
      if type == "MissingParameter" {
        return error(.invalidQuery, "Kakao refuses the query\(quoted)")
      }
      if page > 1, type == "InvalidArgument", words.contains("page") { return nil }
      return error(.invalidRequest, "Kakao refuses the request\(quoted)")
    case (401, _):
      return error(.refusedKey, "Kakao refuses the key or the caller\(quoted)")
    case (403, -3), (403, -5):
      return error(
        .refusedKey, "the key may not use Kakao's book search; enable it for the application")
    case (403, _): return error(.forbidden, "Kakao refuses\(quoted)")
    case (429, _):
      return error(.rateLimited, "too many requests to Kakao (429)", retry: true)
    default: return error(.unexpectedStatus, "Kakao answered with \(status)\(quoted)")
    }
  }
}
