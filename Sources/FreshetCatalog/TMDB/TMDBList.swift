import Freshet

extension TMDB {
  /// What to list.
  public enum List: Sendable, Hashable {
    /// What is talked about: all kinds, films or series, of a day or a week.
    case trending(Kind, Window)
    /// What matches parameters such as `sort_by`, `with_genres`.
    case discover(Kind, parameters: [String: String])

    /// Which kinds of things.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// Films, series and persons; not for `discover`.
      case all
      /// Films.
      case movie
      /// Series.
      case series = "tv"
    }

    /// Which time.
    public enum Window: String, Sendable, Hashable, CaseIterable {
      /// A day.
      case day
      /// A week.
      case week
    }

    /// The list's name, as it stands where a query does: `trending/all/week`,
    /// `discover/movie?sort_by=popularity.desc`.
    public var name: String {
      switch self {
      case .trending(let kind, let window): return "trending/\(kind.rawValue)/\(window.rawValue)"
      case .discover(let kind, let parameters):
        let pairs = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "discover/\(kind.rawValue)"
          + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
      }
    }

    /// Why it is not asked for; nil when it is.
    ///
    /// TMDB passes over parameters it does not know and answers with another list than was meant,
    /// so those are refused here.
    public var objection: CatalogError? {
      guard case .discover(let kind, let parameters) = self else { return nil }
      if kind == .all {
        return CatalogError(.invalidRequest, "TMDB discovers films or series, not both at a time")
      }
      let unknown = parameters.keys.sorted().first { !Self.parameterNames(of: kind).contains($0) }
      return unknown.map { name in
        CatalogError(
          .invalidRequest,
          "TMDB knows no “\(name.prefix(40))” to discover \(kind == .movie ? "films" : "series") by"
        )
      }
    }

    /// The parameters to discover a kind by, in the order of their names; none for `all`.
    public static func parameterNames(of kind: Kind) -> [String] {
      switch kind {
      case .all: []
      case .movie: (common + films).sorted()
      case .series: (common + series).sorted()
      }
    }

    private static let common = [
      "include_adult", "sort_by", "vote_average.gte", "vote_average.lte", "vote_count.gte",
      "vote_count.lte", "watch_region", "with_companies", "with_genres", "with_keywords",
      "with_origin_country", "with_original_language", "with_runtime.gte", "with_runtime.lte",
      "with_watch_monetization_types", "with_watch_providers", "without_companies",
      "without_genres", "without_keywords", "without_watch_providers",
    ]

    private static let films = [
      "certification", "certification.gte", "certification.lte", "certification_country",
      "include_video", "primary_release_date.gte", "primary_release_date.lte",
      "primary_release_year", "region", "release_date.gte", "release_date.lte", "with_cast",
      "with_crew", "with_people", "with_release_type", "year",
    ]

    private static let series = [
      "air_date.gte", "air_date.lte", "first_air_date.gte", "first_air_date.lte",
      "first_air_date_year", "include_null_first_air_dates", "screened_theatrically", "timezone",
      "with_networks", "with_status", "with_type",
    ]
  }

  /// A list, read page by page as a search is; what is asked for is the list, whatever the query.
  public func searching(_ list: List) -> any CatalogSearching { Listing(tmdb: self, list: list) }

  private struct Listing: CatalogSearching {
    let tmdb: TMDB
    let list: List

    var refusal: CatalogError? { tmdb.refusal }

    func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
      tmdb.page(of: list, cursor: request.cursor)
    }
  }
}
