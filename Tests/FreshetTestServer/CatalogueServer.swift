import Synchronization

/// Stand-ins of Kakao, Google Books and TMDB with their pictures on one loopback port, and the bad
/// days of such servers on demand.
///
/// The same requests get the same answers, so that runs can be compared.
public final class CatalogueServer: Sendable {
  /// What the server has, and what goes wrong.
  public struct Plan: Sendable {
    /// How many pages a search has.
    public var pages = 3
    /// Which page of a search is refused with 429, and how often.
    public var refusal: (page: Int, times: Int)?
    /// How many bytes a picture has.
    public var pictureBytes = 20_000
    /// Every so-manieth request for a picture is cut halfway; 0 for none.
    public var cutEvery = 0
    /// How long a picture's second half waits, in milliseconds.
    public var delayMilliseconds = 0

    /// A server on a good day.
    public init() {}
  }

  private let plan: Plan
  private let refused = Mutex(0)
  private let pictures = Mutex(0)
  private let holder = Mutex<TestServer?>(nil)

  /// Starts it.
  ///
  /// - Parameters:
  ///   - port: Where it listens; 0 for any port that is free.
  ///   - note: Told each request.
  public init(
    _ plan: Plan = Plan(), port: Int = 0, note: @escaping @Sendable (TestRequest) -> Void = { _ in }
  ) throws {
    self.plan = plan
    let server = try TestServer(port: port) { [weak self] request in
      note(request)
      return self?.answer(request) ?? .json("{}", status: 500)
    }
    holder.withLock { $0 = server }
  }

  /// The address of its root.
  public var url: String { holder.withLock { $0?.url ?? "" } }

  /// The requests so far.
  public var requests: [TestRequest] { holder.withLock { $0?.requests ?? [] } }

  /// The picture of a number.
  public static func picture(_ number: Int, bytes count: Int) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0]
      + (4..<max(count, 5)).map {
        UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761 &+ number) >> 8)
      }
  }

  private func answer(_ request: TestRequest) -> TestAnswer {
    let words = request.path.split(separator: "/").map(String.init)
    switch words.first {
    case "v3": return search(Int(request.query["page"] ?? ""), kakao)
    case "volumes": return google(Int(request.query["startIndex"] ?? "") ?? 0)
    case "search", "trending", "discover": return search(Int(request.query["page"] ?? ""), tmdb)
    case "movie", "tv":
      guard words.count == 2, let number = Int(words[1]) else { return Self.missing }
      return .json(film(number, kind: words[0]))
    default:
      guard let last = words.last, let number = Int(last.prefix { $0.isNumber }) else {
        return Self.missing
      }
      return picture(number, request)
    }
  }

  private static let missing = TestAnswer.json(
    "{\"status_code\":34,\"status_message\":\"not found\"}", status: 404)

  // MARK: Searches

  private func search(_ page: Int?, _ body: (Int) -> String) -> TestAnswer {
    let page = page ?? 1
    if let refusal = plan.refusal, refusal.page == page {
      let number = refused.withLock { number -> Int in
        number += 1
        return number
      }
      if number <= refusal.times {
        return .json(
          "{\"message\":\"too many requests\"}", status: 429, headers: [("Retry-After", "3600")])
      }
    }
    return .json(body(page))
  }

  /// Two books a page, the first of which was the last of the page before.
  private func kakao(_ page: Int) -> String {
    let books = [page, page + 1].map { number in
      """
      {"title":"해리 포터 \(number)","isbn":"\(9_791_190_000_000 + number)","authors":["A. 작가"],
      "publisher":"가람출판","price":\(number)000,"sale_price":-1,"contents":"",
      "thumbnail":"\(url)/p/\(number).jpg","datetime":"2024-03-05T00:00:00.000+09:00"}
      """
    }
    return """
      {"documents":[\(books.joined(separator: ","))],
      "meta":{"is_end":\(page >= plan.pages),"total_count":3750,"pageable_count":1000}}
      """
  }

  private func google(_ start: Int) -> TestAnswer {
    guard start < plan.pages * 2 else { return .json("{\"totalItems\":431}") }
    let books = [start, start + 1].map {
      "{\"id\":\"Vol\($0)\",\"volumeInfo\":{\"title\":\"Volume \($0)\"}}"
    }
    return .json("{\"totalItems\":878,\"items\":[\(books.joined(separator: ","))]}")
  }

  private func tmdb(_ page: Int) -> String {
    let rows = [2 * page - 1, 2 * page].map { film($0, kind: "movie") }
    return """
      {"page":\(page),"total_pages":\(plan.pages),"total_results":\(2 * plan.pages),
      "results":[\(rows.joined(separator: ","))]}
      """
  }

  private func film(_ number: Int, kind: String) -> String {
    """
    {"id":\(number),"media_type":"\(kind)","title":"Film \(number)","overview":"About \(number).",
    "release_date":"2020-01-02","poster_path":"/\(number).jpg"}
    """
  }

  // MARK: Pictures

  private func picture(_ number: Int, _ request: TestRequest) -> TestAnswer {
    let bytes = Self.picture(number, bytes: plan.pictureBytes)
    let place = pictures.withLock { place -> Int in
      place += 1
      return place
    }
    let isCut = plan.cutEvery > 0 && place.isMultiple(of: plan.cutEvery)
    var answer = TestAnswer.file(bytes, for: request, cutAfter: isCut ? bytes.count / 2 : nil)
    if plan.delayMilliseconds > 0, answer.steps.count > 1 {
      answer.steps.insert(.pause(milliseconds: plan.delayMilliseconds), at: 1)
    }
    return answer
  }
}
