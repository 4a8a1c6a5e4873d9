import Freshet
import FreshetStore

/// A web page that was found where a link leads.
public struct WebPage: Sendable, Hashable {
  /// The link.
  public let link: String
  /// What the page calls itself; nil when it does not.
  public let title: String?
  /// How many bytes it has.
  public let bytes: Int

  /// Makes one of its parts.
  public init(link: String, title: String?, bytes: Int) {
    self.link = link
    self.title = title
    self.bytes = bytes
  }
}

/// Loads the web page of a link: a browser's part, behind a seam.
public protocol PageLoading: Sendable {
  /// Loads a page.
  ///
  /// The single loads once per subscription; disposing stops it. It fails with `invalid_address`,
  /// `not_found`, `wrong_type` for what is no page, and the failures of a transfer.
  func page(_ link: String) -> Single<WebPage, CatalogError>
}

/// Loads pages over HTTP, as far as is needed to say that they are there and what they are called.
public struct PageLoader: PageLoading {
  private let http: any HTTPService

  /// Makes a loader.
  public init(http: any HTTPService) { self.http = http }

  /// Loads a page, as ``PageLoading`` says.
  public func page(_ link: String) -> Single<WebPage, CatalogError> {
    let address: WebAddress
    do throws(CatalogError) {
      address = try WebAddress(parsing: link)
    } catch {
      return .fail(error)
    }
    let request = HTTPRequest(
      .get, address,
      headers: [HTTPRequest.Header("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1")])
    return http.ask(request, refusal: Self.refusal) { response throws(CatalogError) in
      let type = response.head.header("Content-Type")?.lowercased() ?? "text/html"
      guard type.hasPrefix("text/") || type.contains("xhtml") else {
        throw CatalogError(.wrongType, "\(address) is no page but \(type.prefix(60))")
      }
      return WebPage(link: link, title: Self.title(response.body), bytes: response.body.count)
    }
  }

  private static func refusal(_ response: HTTPResponse) -> CatalogError? {
    if response.isSuccess { return nil }
    if response.status == 404 || response.status == 410 {
      return CatalogError(.notFound, "there is no such page", status: response.status)
    }
    return CatalogError.passingFault(response)
      ?? CatalogError(
        .unexpectedStatus, "the page's server answered with \(response.status)",
        status: response.status)
  }

  /// What stands in the first `title` of the first 64 KiB; O(1).
  private static func title(_ body: [UInt8]) -> String? {
    // Bytes that are no text become signs of that; a title is for showing.
    let text = String(decoding: body.prefix(65_536), as: UTF8.self)
    let lower = text.lowercased()
    guard lower.utf8.count == text.utf8.count, let start = lower.firstRange(of: "<title"),
      let open = lower[start.upperBound...].firstIndex(of: ">"),
      let end = lower[open...].firstRange(of: "</title")
    else { return nil }
    // The two texts have the same bytes in the same places, but for the case of letters.
    let from = text.utf8.index(
      text.startIndex, offsetBy: lower.utf8.distance(from: lower.startIndex, to: open) + 1)
    let to = text.utf8.index(
      text.startIndex, offsetBy: lower.utf8.distance(from: lower.startIndex, to: end.lowerBound))
    guard from <= to else { return nil }
    let words = HTMLText.decodingReferences(String(text[from..<to])).split(
      whereSeparator: \.isWhitespace)
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
