/// Where TMDB keeps its pictures, and in which sizes.
public struct TMDBImages: Sendable, Hashable {
  /// Where they are, as long as TMDB does not say otherwise.
  public static let standardBase = "https://image.tmdb.org/t/p"
  /// The sizes of posters, as long as TMDB does not say otherwise.
  public static let standardPosterSizes = [
    "w92", "w154", "w185", "w342", "w500", "w780", "original",
  ]

  /// The address before size and path.
  public let base: WebAddress
  /// The sizes of posters, small to large.
  public let posterSizes: [String]

  /// Makes a description.
  public init(base: WebAddress, posterSizes: [String] = Self.standardPosterSizes) {
    self.base = base
    self.posterSizes = posterSizes
  }

  /// The address of a poster; nil for an item without one.
  ///
  /// - Parameters:
  ///   - path: As in the item's `poster`, beginning with `/`.
  ///   - width: The least width in pixels that does; the next larger size is taken.
  public func posterAddress(path: String?, width: Int = 342) -> WebAddress? {
    guard let path, path.hasPrefix("/"), path.utf8.count > 1 else { return nil }
    let fits = posterSizes.first { size in
      Int(size.dropFirst()).map { size.hasPrefix("w") && $0 >= width } ?? false
    }
    let size = fits ?? posterSizes.last ?? "original"
    return base.appending(path: "/\(size)\(path)")
  }

  /// The address of an item's picture: TMDB's poster, an address the item names, or its thumbnail.
  ///
  /// Nil for an item without a picture.
  public func pictureAddress(of item: ContentItem, width: Int = 342) -> String? {
    if let poster = item.poster {
      if poster.contains("://") { return poster }
      if item.id.source == "tmdb", let address = posterAddress(path: poster, width: width) {
        return address.text
      }
    }
    return item.thumbnail
  }
}
