import Freshet
import FreshetStore

/// What the clients of catalogues have in common.
enum CatalogQuery {
  /// Why a query is not sent; nil when it is.
  static func objection(to query: String) -> CatalogError? {
    if query.allSatisfy(\.isWhitespace) {
      return CatalogError(.invalidQuery, "the query is blank; type what to search for")
    }
    if query.utf8.count > 1024 {
      return CatalogError(.invalidQuery, "the query has more than 1024 bytes; shorten it")
    }
    return nil
  }

  static func missingKey(_ catalog: String, _ name: String) -> CatalogError {
    CatalogError(
      .missingKey,
      "there is no key for \(catalog); put one into a file and name it with --\(name)-key-file, or "
        + "set FRESHET_\(name.uppercased())_KEY_FILE")
  }

  /// The rows under a key.
  ///
  /// - Throws: `bad_response` when there is something else.
  static func array(
    _ key: String, in object: JSONObject, of catalog: String
  ) throws(CatalogError) -> [JSONValue]? {
    guard let value = object[key], !value.isNull else { return nil }
    guard let rows = value.arrayValue else {
      throw badResponse(catalog, "\(key) is not an array but \(value.kindName)")
    }
    return rows
  }

  static func object(
    _ response: HTTPResponse, of catalog: String
  ) throws(CatalogError) -> JSONObject {
    let value = try response.json()
    guard let object = value.objectValue else {
      throw badResponse(catalog, "it is not an object but \(value.kindName)")
    }
    return object
  }

  static func badResponse(_ catalog: String, _ reason: String) -> CatalogError {
    CatalogError(.badResponse, "\(catalog)'s answer cannot be read: \(reason)")
  }

  /// A count of the catalogue's, as far as it makes sense.
  static func count(_ value: JSONValue?) -> Int? {
    value?.numberValue?.int64.flatMap { $0 >= 0 ? Int($0) : nil }
  }

  /// Runs the rows of an answer through an import.
  static func rows(
    of catalog: String, _ read: () throws(CatalogRefusal) -> [CatalogRow]
  ) throws(CatalogError) -> [CatalogRow] {
    do {
      return try read()
    } catch {
      throw badResponse(catalog, error.description)
    }
  }
}

extension HTTPService {
  /// Asks, and reads the answer where it arrives.
  func ask<Value>(
    _ request: HTTPRequest, refusal: @escaping @Sendable (HTTPResponse) -> CatalogError?,
    read: @escaping @Sendable (HTTPResponse) throws(CatalogError) -> Value
  ) -> Single<Value, CatalogError> {
    response(to: request, refusal: refusal).tryMap(read).single
  }
}
