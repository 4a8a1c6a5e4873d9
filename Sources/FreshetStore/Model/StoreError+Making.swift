extension StoreError {
  /// What to do about damage, for the end of a message.
  static let damageAdvice =
    "nothing was changed; restore the folder from a backup, or let `freshet store salvage NEW` "
    + "write what can be read to a new store (`freshet store verify` tells all that is wrong)"

  /// The message without what to do when something is lost.
  var messageWithoutAdvice: String { message.replacing("; " + StoreError.damageAdvice, with: "") }

  /// A file could not be read; never taken for damage.
  static func reading(_ file: String, at offset: Int64, _ cause: SystemError) -> StoreError {
    if let found = cause.found { return .noFile(file, found, cause) }
    return StoreError(
      cause.isForbidden ? .notReadable : .ioError,
      "cannot read \(file) at byte \(offset): \(cause)", path: file, cause: cause)
  }

  /// A system call on a path failed: the code follows from the reason, `fallback` for the rest.
  ///
  /// Whoever was only reading says so with `notReadable` as the fallback.
  static func system(
    _ cause: SystemError, doing what: String, path: String, fallback: Code = .ioError
  ) -> StoreError {
    if let found = cause.found { return .noFile(path, found, cause) }
    let code: Code =
      if cause.isOutOfSpace {
        .diskFull
      } else if cause.isNoDirectory {
        .notADirectory
      } else if cause.isForbidden {
        fallback == .notReadable ? .notReadable : .notWritable
      } else {
        fallback
      }
    return StoreError(code, "cannot \(what) \(path): \(cause)", path: path, cause: cause)
  }

  /// Something else has the name of one of the store's files.
  private static func noFile(_ path: String, _ found: String, _ cause: SystemError) -> StoreError {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let isMadeAgain =
      [FileNames.lock, FileNames.head, FileNames.compact].contains(name)
      || name.hasSuffix(FileNames.unfinished)
    let advice =
      if isMadeAgain {
        "move it away, and the next command that writes makes the file again"
      } else if cause.isLink {
        "a store's files are not links: put the file itself in its place"
      } else {
        damageAdvice
      }
    return StoreError(
      .damaged, "\(path) is \(found), not a file; " + advice, path: path, cause: cause)
  }

  /// A file could not be opened for reading and writing: a refusal is one to read when reading
  /// alone is refused as well.
  static func opening(
    _ path: String, _ cause: SystemError, fallback: Code, on fileSystem: any FileSystem
  ) -> StoreError {
    guard cause.isForbidden else {
      return .system(cause, doing: "open", path: path, fallback: fallback)
    }
    do throws(SystemError) {
      _ = try fileSystem.open(path, .read)
    } catch {
      if error.isForbidden {
        return .system(error, doing: "read", path: path, fallback: .notReadable)
      }
    }
    return .system(cause, doing: "open", path: path, fallback: .notWritable)
  }

  static func closed(_ path: String) -> StoreError {
    StoreError(.closed, "the store \(path) has been closed", path: path)
  }
}
