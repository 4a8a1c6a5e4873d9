/// The pictures in a folder of ``AssetLoader``'s, for whoever only looks: it asks nobody and changes
/// nothing.
public struct KeptPictures: Sendable {
  private let folder: AssetFolder

  /// Looks into a folder, which need not be there.
  public init(folder: String) {
    self.folder = AssetFolder(path: folder, limitBytes: 0)
  }

  /// Whether there is a folder at all; without one no picture is kept.
  public var isThere: Bool { folder.isThere }

  /// Where the whole picture of an address lies; nil when it is not kept.
  public func path(of address: String) -> String? {
    guard let key = Self.key(of: address), folder.has(key) else { return nil }
    return folder.file(key)
  }

  /// How much of a picture is there that is not whole, and of how much where that is known; nil
  /// when nothing is.
  public func unfinished(of address: String) -> (doneBytes: Int, totalBytes: Int?)? {
    Self.key(of: address).flatMap { folder.unfinished($0) }
  }

  /// An address that is none has no picture; who loads it is told why.
  private static func key(of address: String) -> String? {
    guard let target = try? WebAddress(parsing: address) else { return nil }
    return AssetLoader.key(of: AssetLoader.upgraded(target))
  }
}
