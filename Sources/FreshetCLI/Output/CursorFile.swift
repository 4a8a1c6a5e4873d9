import FreshetStore

/// A file that remembers where a follower is: `{"cursor":"c1.…"}`.
struct CursorFile {
  let path: String

  /// The cursor in the file, nil when there is no file.
  /// - Throws: ``Stop/usage(_:)`` for a file that is empty, damaged or unreadable.
  func read() throws(Stop) -> Cursor? {
    if let kind = System.kindOtherThanFile(path) {
      throw .usage("bad_cursor_file", "cannot use the cursor file \(path): \(kind); name a file")
    }
    let bytes: [UInt8]?
    do {
      bytes = try System.contents(of: path, limit: 65_536)
    } catch {
      throw .usage("bad_cursor_file", "cannot read the cursor file \(path): \(error.words)")
    }
    guard let bytes else { return nil }
    if bytes.isEmpty {
      throw .usage(
        "bad_cursor_file",
        "the cursor file \(path) is empty; remove it to begin anew, or put a cursor into it")
    }
    guard let value = try? JSONValue(parsing: bytes),
      let text = value.objectValue?["cursor"]?.stringValue
    else {
      throw .usage(
        "bad_cursor_file",
        "the cursor file \(path) does not hold {\"cursor\":\"…\"}; remove it to begin anew")
    }
    do {
      return try Cursor(parsing: text)
    } catch {
      throw .usage(
        "bad_cursor_file",
        error == .damaged
          ? "the cursor in the file \(path) is damaged; remove the file to begin anew"
          : "the cursor file \(path) holds no cursor of ours; remove it to begin anew")
    }
  }

  /// Replaces the cursor so that a crash leaves the old or the new one.
  /// - Throws: ``Stop/input(_:)`` when it cannot be written.
  func write(_ cursor: Cursor) throws(Stop) {
    do {
      try System.replaceFile(path, with: Array("{\"cursor\":\"\(cursor.text)\"}\n".utf8))
    } catch {
      throw .input(
        Problem(
          code: "cursor_file_not_written",
          message: "cannot write the cursor file \(path): \(error.words)"))
    }
  }
}
