import Foundation
import Freshet
import FreshetCatalog
import FreshetStore
import FreshetTesting
import Synchronization

@testable import FreshetModels

/// Values for tests.
enum Make {
  static func book(_ native: String, _ title: String = "t", overview: String? = nil) -> ContentItem
  {
    var object: JSONObject = ["id": .string("book:local:\(native)"), "title": .string(title)]
    if let overview { object["overview"] = .string(overview) }
    do {
      return try ContentItem(.object(object))
    } catch {
      preconditionFailure("a test's book is no item: \(error)")
    }
  }

  static func picturedBook(_ native: String, _ thumbnail: String) -> ContentItem {
    do {
      return try ContentItem(
        ["id": .string("book:local:\(native)"), "thumbnail": .string(thumbnail)])
    } catch {
      preconditionFailure("a test's book is no item: \(error)")
    }
  }

  static func record(
    _ id: String, created: Int64 = 1, body: [UInt8]? = nil
  ) -> Record {
    Record(
      id: id, revision: created, created: created, createdIndex: 0, isDeleted: false,
      body: body ?? Array("{\"id\":\"\(id)\"}".utf8))
  }

  static func list(_ revision: Int64, _ records: [Record], isInitial: Bool = false) -> LiveList {
    LiveList(
      token: Token(storeID: "s", epoch: 1, revision: revision), records: records,
      diff: ListDiff(), changes: nil, isInitial: isInitial)
  }

  static func student(_ id: Int64, _ grade: Int = 1, _ classNumber: Int = 1) -> Student {
    Student(id: id, grade: grade, classNumber: classNumber, number: 1, name: "가나다")
  }

  static func guidance(
    _ id: Int64, _ grade: Int = 1, _ classNumber: Int = 1, _ reason: GuidanceReason = .noShoes
  ) -> Guidance {
    Guidance(id: id, student: student(id + 100, grade, classNumber), reason: reason)
  }
}

/// A store in a folder of a test's own.
struct StoreFolder {
  let url: URL
  let manager: DatabaseManager

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "freshet-models-\(UUID().uuidString)")
    manager = try DatabaseManager.open(at: url.path)
  }

  /// Closes the store and opens it again, as after a restart.
  func restarted() throws -> DatabaseManager {
    manager.close()
    return try DatabaseManager.open(at: url.path)
  }

  func remove() throws {
    manager.close()
    try FileManager.default.removeItem(at: url)
  }
}

/// A catalogue whose answers a test gives by hand, in whatever order it likes.
final class HandedCatalog: CatalogSearching {
  struct Asked: Sendable {
    let request: SearchRequest
    let resolver: Single<SearchPage, CatalogError>.Resolver
  }

  private let state = Mutex<(asked: [Asked], stopped: Int)>(([], 0))
  let refusal: CatalogError?

  init(refusal: CatalogError? = nil) { self.refusal = refusal }

  func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
    Single { [self] resolver in
      state.withLock { $0.asked.append(Asked(request: request, resolver: resolver)) }
      return Disposable { [self] in state.withLock { $0.stopped += 1 } }
    }
  }

  /// What was asked, in order.
  var requests: [SearchRequest] { state.withLock { $0.asked.map(\.request) } }
  /// How many requests have ended, by an answer or because nobody wanted one any more.
  var ended: Int { state.withLock { $0.stopped } }

  func answer(_ place: Int, _ page: SearchPage) {
    state.withLock { $0.asked[place].resolver }.succeed(page)
  }

  func fail(_ place: Int, _ error: CatalogError) {
    state.withLock { $0.asked[place].resolver }.fail(error)
  }
}

extension SearchPage {
  /// A page of books with these names.
  static func of(_ names: [String], next: Int? = nil, total: Int? = nil) -> SearchPage {
    SearchPage(items: names.map { Make.book($0) }, next: next.map { .next($0) }, total: total)
  }
}
