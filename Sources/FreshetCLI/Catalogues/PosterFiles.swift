import FreshetCatalog
import FreshetStore

/// Where the pictures of saved items lie, for commands that only show.
struct PosterFiles: Sendable {
  let kept: KeptPictures
  private let images: TMDBImages

  /// - Throws: ``Stop/usage(_:)`` for a base address in the settings that is none.
  init(of manager: DatabaseManager, _ settings: Settings) throws(Stop) {
    kept = KeptPictures(folder: manager.path + "/assets")
    images = TMDBImages(
      base: try CatalogAccess.base("tmdb-image-url", TMDBImages.standardBase, settings))
  }

  /// Where an item's picture is on the network; nil when it has none.
  func address(of item: ContentItem) -> String? {
    images.pictureAddress(of: item).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Where the picture of a record lies; nil when it is not kept.
  func path(of body: [UInt8]) -> String? {
    // A record that is no item has no picture.
    (try? ContentItem(parsing: body)).flatMap(address).flatMap(kept.path)
  }

  /// Tells a record's picture; nil while no picture is kept at all, so that nobody looks in vain.
  var lookup: (@Sendable ([UInt8]) -> String?)? {
    guard kept.isThere else { return nil }
    return { path(of: $0) }
  }
}
