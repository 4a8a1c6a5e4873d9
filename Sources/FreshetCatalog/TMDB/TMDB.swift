import Freshet
import FreshetStore

/// The Movie Database, version 3.
public struct TMDB: CatalogSearching, CatalogDetailing {
  /// Where it lives.
  public static let standardBase = "https://api.themoviedb.org/3"
  /// The last page that can be asked for, whatever `total_pages` says.
  public static let lastPage = 500

  static let name = "TMDB"

  let http: any HTTPService
  private let key: String?
  private let base: WebAddress
  private let language: String?

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - http: Makes the requests; its redactor should know the key.
  ///   - key: The API read access token, which goes into a header, or the older key of 32
  ///     hexadecimal digits, which TMDB takes in the query only; without one everything fails with
  ///     `missing_key`.
  ///   - base: Where the service is, with its version.
  ///   - language: The language of titles and texts, such as `ko-KR`.
  public init(http: any HTTPService, key: String?, base: WebAddress, language: String? = nil) {
    self.http = http
    self.key = key
    self.base = base
    self.language = language
  }

  /// Without a key it cannot be asked.
  public var refusal: CatalogError? {
    key == nil ? CatalogQuery.missingKey(Self.name, "tmdb") : nil
  }

  // MARK: Lists

  /// Searches films and series; persons and others are dropped, and counted.
  public func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
    if let objection = CatalogQuery.objection(to: request.query) { return .fail(objection) }
    return list(
      "/search/multi", [("query", request.query), ("include_adult", "false")], request.cursor,
      type: .inRow)
  }

  /// One page of a list; as `page(_:)`, without a query.
  ///
  /// A list that ``List/objection`` speaks against fails with it, without a request.
  public func page(
    of list: List, cursor: PageCursor = .first
  ) -> Single<SearchPage, CatalogError> {
    switch list {
    case .trending(let kind, let window):
      return self.list(
        "/trending/\(kind.rawValue)/\(window.rawValue)", [], cursor,
        type: kind == .all ? .inRow : .ofRoute(kind.rawValue))
    case .discover(let kind, let parameters):
      if let objection = list.objection { return .fail(objection) }
      return self.list(
        "/discover/\(kind.rawValue)",
        parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, cursor,
        type: .ofRoute(kind.rawValue))
    }
  }

  private func list(
    _ path: String, _ query: [(name: String, value: String)], _ cursor: PageCursor,
    type: TMDBImport.MediaType
  ) -> Single<SearchPage, CatalogError> {
    let page = cursor.position ?? 1
    guard (1...Self.lastPage).contains(page) else { return .just(.end) }
    return ask(path, query + [("page", String(page))]) { response throws(CatalogError) in
      // The page after the last one is a refusal that means an end.
      if response.status == 400 { return .end }
      let object = try CatalogQuery.object(response, of: Self.name)
      guard let results = try CatalogQuery.array("results", in: object, of: Self.name) else {
        throw CatalogQuery.badResponse(Self.name, "there are no results")
      }
      let rows: [CatalogRow]
      do throws(TMDBImport.APIError) {
        rows = try TMDBImport.rows(of: .array(results), type: type)
      } catch {
        throw CatalogQuery.badResponse(Self.name, error.description)
      }
      // A page of nothing but persons is still not the end.
      let pages = CatalogQuery.count(object["total_pages"]) ?? 0
      return SearchPage.of(
        rows, next: page < min(pages, Self.lastPage) ? .next(page + 1) : nil,
        isCapped: page >= Self.lastPage && pages > page,
        total: CatalogQuery.count(object["total_results"]))
    }
  }

  // MARK: Single items

  /// The film or series at length, as ``CatalogDetailing`` says.
  public func detail(id: ItemID) -> Single<ContentItem, CatalogError> {
    let parts = id.native.split(separator: ":")
    guard id.source == "tmdb", id.kind == .film, parts.count == 2,
      parts[0] == "movie" || parts[0] == "tv", parts[1].allSatisfy(\.isNumber)
    else {
      return .fail(CatalogError(.invalidRequest, "\(id) is not a film or series of TMDB"))
    }
    return ask("/\(parts[0])/\(parts[1])", []) { response throws(CatalogError) in
      let value = try response.json()
      let rows: [CatalogRow]
      do throws(TMDBImport.APIError) {
        rows = try TMDBImport.rows(of: .array([value]), type: .ofRoute(String(parts[0])))
      } catch {
        throw CatalogQuery.badResponse(Self.name, error.description)
      }
      switch rows[0] {
      case .item(let item): return item
      case .skipped(let reason): throw CatalogQuery.badResponse(Self.name, reason)
      case .refused(let error): throw CatalogQuery.badResponse(Self.name, error.message)
      }
    }
  }

  /// Where TMDB keeps its pictures, and in which sizes.
  public func imageConfiguration() -> Single<TMDBImages, CatalogError> {
    ask("/configuration", []) { response throws(CatalogError) in
      let object = try CatalogQuery.object(response, of: Self.name)
      guard let images = object["images"]?.objectValue,
        let base = images["secure_base_url"]?.stringValue ?? images["base_url"]?.stringValue
      else { throw CatalogQuery.badResponse(Self.name, "there is no images.secure_base_url") }
      let sizes = images["poster_sizes"]?.arrayValue?.compactMap(\.stringValue) ?? []
      return TMDBImages(
        base: try WebAddress(parsing: base),
        posterSizes: sizes.isEmpty ? TMDBImages.standardPosterSizes : sizes)
    }
  }

  private func ask<Value>(
    _ path: String, _ query: [(name: String, value: String)],
    read: @escaping @Sendable (HTTPResponse) throws(CatalogError) -> Value
  ) -> Single<Value, CatalogError> {
    guard let key else { return .fail(CatalogQuery.missingKey(Self.name, "tmdb")) }
    var query = query
    var headers = [HTTPRequest.Header("Accept", "application/json")]
    if let language { query.append(("language", language)) }
    if Self.isOldKey(key) {
      query.append(("api_key", key))
    } else {
      headers.append(HTTPRequest.Header("Authorization", "Bearer \(key)"))
    }
    let address = base.appending(path: path).appending(query: query)
    return http.ask(
      HTTPRequest(.get, address, headers: headers), refusal: Self.refusal, read: read)
  }

  private static func isOldKey(_ key: String) -> Bool {
    key.utf8.count == 32 && key.utf8.allSatisfy { PercentEncoding.hexValue($0) != nil }
  }

  // MARK: Refusals

  static func refusal(_ response: HTTPResponse) -> CatalogError? {
    if response.isSuccess { return nil }
    let status = response.status
    // A body that is no JSON leaves the status, which says enough.
    let object = (try? response.json())?.objectValue ?? JSONObject()
    let body = TMDBImport.apiError(in: object)
    let code = body?.statusCode
    func error(
      _ kind: CatalogError.Code, _ message: String, retry: Bool = false
    ) -> CatalogError {
      CatalogError(
        kind, message, isRetryable: retry, status: status, reason: code.map(String.init))
    }
    let quoted = body.map { ": " + Redactor().redact(serverText: $0.message) } ?? ""
    switch (status, code) {
    case (400, 22): return nil
    case (401, _): return error(.refusedKey, "TMDB refuses the key\(quoted)")
    case (403, _): return error(.forbidden, "TMDB refuses\(quoted)")
    case (404, _): return error(.notFound, "TMDB has no such item\(quoted)")
    case (429, _): return error(.rateLimited, "too many requests to TMDB (429)", retry: true)
    case (422, nil) where quoted.contains("query"):
      return error(.invalidQuery, "TMDB refuses the query\(quoted)")
    case (400, _), (422, _): return error(.invalidRequest, "TMDB refuses the request\(quoted)")
    case (500..., _): return error(.serverError, "TMDB answered with \(status)", retry: true)
    default: return error(.unexpectedStatus, "TMDB answered with \(status)\(quoted)")
    }
  }
}
