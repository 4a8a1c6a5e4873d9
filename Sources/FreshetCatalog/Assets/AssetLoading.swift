import Freshet

/// What is told of a picture on its way.
public enum AssetEvent: Sendable, Hashable {
  /// So many bytes are there, of so many where that is known.
  case progress(doneBytes: Int, totalBytes: Int?)
  /// The file is whole: where it lies, and its bytes.
  case done(path: String, bytes: [UInt8])
}

/// Loads pictures and keeps them.
public protocol AssetLoading: Sendable {
  /// Loads the picture at an address.
  ///
  /// The flow sends progress, then `done` as its last value, and finishes. A picture that is kept
  /// already comes at once, without a request. All who ask for one address at a time share one
  /// transfer; it stops when the last of them disposes, and what has come stays as a partial file.
  /// It fails with `not_found`, `wrong_type`, `response_too_large`, `private_address`,
  /// `invalid_address`, `bad_redirect`, `io_error`, `disk_full` and the failures of a transfer.
  ///
  /// - Parameter address: The address as a catalogue gives it; not empty.
  func load(_ address: String) -> AnyFlow<AssetEvent, CatalogError>

  /// What is kept of an address, without a request; nil when nothing is.
  func cached(_ address: String) -> AssetEvent?
}
