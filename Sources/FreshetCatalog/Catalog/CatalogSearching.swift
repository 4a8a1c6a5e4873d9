import Freshet

/// A catalogue that can be searched page by page.
public protocol CatalogSearching: Sendable {
  /// Why it cannot be asked at all, such as a key that is not set; nil when it can.
  ///
  /// A screen says so without a request.
  var refusal: CatalogError? { get }

  /// One page of results.
  ///
  /// The single asks once per subscription and answers with the page; disposing of it stops the
  /// request. A blank query fails with `invalid_query`, a missing key with `missing_key`, both
  /// without a request. A page beyond the catalogue's last one is an empty last page.
  func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError>
}

extension CatalogSearching {
  /// A catalogue that needs nothing can be asked.
  public var refusal: CatalogError? { nil }
}

/// A catalogue of books.
public typealias BookSearching = CatalogSearching

/// A catalogue that can be asked for one item.
public protocol CatalogDetailing: Sendable {
  /// The item as the catalogue tells it at length.
  ///
  /// The single asks once per subscription. It fails with `not_found`, and with `invalid_request`
  /// for an id of another catalogue.
  func detail(id: ItemID) -> Single<ContentItem, CatalogError>
}
