import FreshetStore

/// A picture's file while it grows: checks what comes, and writes it.
struct GrowingFile: Sendable {
  private let key: String
  private let address: WebAddress
  private let folder: AssetFolder
  private let held: HeldPart
  private let limit: Int
  private let judge: @Sendable (CatalogError, HTTPHead) -> CatalogError
  private let bootID: String?

  /// How many bytes are there.
  private(set) var done: Int
  private var total: Int?
  private var hasHead = false
  /// What the bytes that are there are part of; nil when they are not asked to go on.
  private let resumes: AssetFolder.Note?

  init(
    _ key: String, at address: WebAddress, in folder: AssetFolder, _ held: HeldPart, limit: Int,
    judge: @escaping @Sendable (CatalogError, HTTPHead) -> CatalogError
  ) throws(CatalogError) {
    self.key = key
    self.address = address
    self.folder = folder
    self.held = held
    self.limit = limit
    self.judge = judge
    bootID = FileUse.bootID()
    let size: Int64
    do throws(SystemError) {
      size = try held.file.status().size
    } catch {
      throw .disk(error, doing: "look at", folder.partFile(key))
    }
    let note = folder.note(key)
    let mayGoOn = size > 0 && size <= Int64(limit) && note?.bootID == bootID
    resumes = mayGoOn ? note : nil
    done = resumes == nil ? 0 : Int(size)
  }

  /// The request for what is missing.
  var request: HTTPRequest {
    var request = HTTPRequest(
      .get, address,
      headers: [
        HTTPRequest.Header("Accept", "image/*"),
        // Packed bytes could neither be counted nor gone on with.
        HTTPRequest.Header("Accept-Encoding", "identity"),
      ], bodyLimitBytes: limit)
    if let resumes {
      request.headers.append(HTTPRequest.Header("Range", "bytes=\(done)-"))
      request.headers.append(HTTPRequest.Header("If-Range", resumes.validator))
    }
    return request
  }

  mutating func take(_ piece: HTTPPart) throws(CatalogError) -> AssetEvent {
    switch piece {
    case .head(let head):
      try begin(head)
      hasHead = true
    case .body(let bytes): try write(bytes)
    }
    return .progress(doneBytes: done, totalBytes: total)
  }

  /// Lets others have the file; one that nothing has come for is removed.
  func letGo() { held.letGo() }

  private var part: any File { held.file }

  // MARK: The head

  private mutating func begin(_ head: HTTPHead) throws(CatalogError) {
    switch head.status {
    case 200: try beginAnew(head)
    case 206: try goOn(head)
    case 416:
      // What we have is as long as the picture, or longer: it has become another one.
      folder.discardPart(key)
      throw CatalogError(
        .connectionLost, "\(address) has changed while it was fetched", isRetryable: true,
        status: 416)
    case 404, 410:
      throw CatalogError(.notFound, "there is no picture at \(address)", status: head.status)
    case 401, 403:
      throw CatalogError(
        .forbidden, "\(address.authority) refuses the picture", status: head.status)
    default:
      let error =
        CatalogError.passingFault(HTTPResponse(head: head))
        ?? CatalogError(
          .unexpectedStatus, "\(address.authority) answered with \(head.status)",
          status: head.status)
      throw judge(error, head)
    }
    guard PictureType.mayBe(head.header("Content-Type")) else {
      folder.discardPart(key)
      throw CatalogError(
        .wrongType,
        "\(address) is no picture but \(head.header("Content-Type")?.prefix(60) ?? "nothing")")
    }
    if let total, total > limit { throw tooLarge }
  }

  private mutating func beginAnew(_ head: HTTPHead) throws(CatalogError) {
    done = 0
    total = head.header("Content-Encoding") == nil ? head.contentLength : nil
    do throws(SystemError) {
      try part.truncate(to: 0)
    } catch {
      throw .disk(error, doing: "empty", folder.partFile(key))
    }
    try folder.write(
      Self.validator(head).map { AssetFolder.Note(validator: $0, bootID: bootID, total: total) },
      key)
  }

  /// A strong ETag, else the time of the last change; a weak ETag says nothing about bytes.
  private static func validator(_ head: HTTPHead) -> String? {
    if let tag = head.header("ETag"), tag.hasPrefix("\"") { return tag }
    return head.header("Last-Modified")
  }

  private mutating func goOn(_ head: HTTPHead) throws(CatalogError) {
    // bytes 100-199/200
    let words = (head.header("Content-Range") ?? "").split { " -/".contains($0) }
    guard resumes != nil, words.count == 4, words[0] == "bytes", Int(words[1]) == done,
      let last = Int(words[2]), last >= done
    else {
      folder.discardPart(key)
      throw CatalogError(
        .badResponse, "\(address.authority) sent another part than was asked for",
        isRetryable: true, status: head.status)
    }
    total = Int(words[3]) ?? (last + 1)
  }

  // MARK: The body

  private mutating func write(_ bytes: [UInt8]) throws(CatalogError) {
    guard done + bytes.count <= limit else {
      folder.discardPart(key)
      throw tooLarge
    }
    if let total, done + bytes.count > total {
      folder.discardPart(key)
      throw CatalogError(
        .badResponse, "\(address.authority) sent more than the \(total) bytes it had announced",
        isRetryable: true)
    }
    if done == 0, bytes.count >= 16, PictureType(bytes) == nil {
      folder.discardPart(key)
      throw notAPicture
    }
    do throws(SystemError) {
      try part.writeFully(bytes, at: Int64(done))
    } catch {
      throw .disk(error, doing: "write", folder.partFile(key))
    }
    done += bytes.count
  }

  private var tooLarge: CatalogError {
    CatalogError(.responseTooLarge, "the picture at \(address) has more than \(limit) bytes")
  }

  private var notAPicture: CatalogError {
    CatalogError(.wrongType, "what came from \(address) is no picture")
  }

  // MARK: The end

  mutating func finish() throws(CatalogError) -> AssetEvent {
    guard hasHead, total.map({ done >= $0 }) ?? true else {
      throw CatalogError(
        .connectionLost,
        "the connection to \(address.authority) broke before the picture was whole",
        isRetryable: true)
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      try part.truncate(to: Int64(done))
      bytes = try part.bytes(at: 0, count: done)
    } catch {
      throw .disk(error, doing: "read", folder.partFile(key))
    }
    guard PictureType(bytes) != nil else {
      folder.discardPart(key)
      throw notAPicture
    }
    try folder.finish(part, key)
    return .done(path: folder.file(key), bytes: bytes)
  }
}
