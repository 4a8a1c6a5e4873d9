import FreshetCatalog
import FreshetStore

/// Turns documents into content items.
struct ItemImporter {
  /// Whose records the documents hold.
  enum Source: String, CaseIterable {
    /// Our own item records.
    case own
    /// TMDB's rows, arrays of rows or whole answers.
    case tmdb
    /// Kakao's documents, arrays of documents or whole answers.
    case kakao
    /// Google's volumes, arrays of volumes or whole lists.
    case google
  }

  /// One record of the input and what it is.
  struct Entry {
    enum Content {
      /// An item, and how it will be kept.
      case item(ContentItem, body: [UInt8])
      case skipped(reason: String)
      case refused(Problem)
    }

    let line: Int
    /// Its place in a document that holds several, from 1.
    let row: Int?
    let content: Content
  }

  let source: Source
  /// How many records the array that is being read had so far.
  private var rowCount = 0

  init(source: Source) { self.source = source }

  /// The records of one piece of the input.
  mutating func entries(of piece: DocumentSplitter.Piece) -> [Entry] {
    switch piece {
    case .tooLarge(let line):
      return [
        refusal(line, Problem(code: "too_large", message: "the line is longer than 1 MiB"))
      ]
    case .broken(let line, let reason, _):
      return [refusal(line, Problem(code: "invalid_json", message: reason))]
    case .document(let line, let place, _, let bytes):
      let found = entries(of: bytes, line: line)
      guard let place else { return found }
      // An element of an array may be a whole answer with rows of its own.
      if place == 1 { rowCount = 0 }
      return found.map { entry in
        rowCount += 1
        return Entry(line: entry.line, row: rowCount, content: entry.content)
      }
    }
  }

  private func entries(of bytes: [UInt8], line: Int) -> [Entry] {
    do {
      return try entries(of: try JSONValue(parsing: bytes), line: line)
    } catch let error as JSONError {
      return [refusal(line, Problem(error))]
    } catch {
      return [refusal(line, Problem(code: "catalogue_error", message: "\(error)"))]
    }
  }

  private func entries(of value: JSONValue, line: Int) throws -> [Entry] {
    switch source {
    case .own:
      do {
        return [Entry(line: line, row: nil, content: Self.content(try ContentItem(value)))]
      } catch {
        return [refusal(line, Problem(error))]
      }
    case .tmdb: return entries(of: try TMDBImport.rows(of: value), line: line)
    case .kakao: return entries(of: try KakaoImport.rows(of: value), line: line)
    case .google: return entries(of: try GoogleBooksImport.rows(of: value), line: line)
    }
  }

  private func entries(of rows: [CatalogRow], line: Int) -> [Entry] {
    rows.enumerated().map { index, row in
      let content: Entry.Content =
        switch row {
        case .item(let item): Self.content(item)
        case .skipped(let reason): .skipped(reason: reason)
        case .refused(let error): .refused(Problem(error))
        }
      return Entry(line: line, row: rows.count > 1 ? index + 1 : nil, content: content)
    }
  }

  private static func content(_ item: ContentItem) -> Entry.Content {
    let body = item.jsonBytes
    return RecordDepth.exceeds(body)
      ? .refused(RecordDepth.problem) : .item(item, body: body)
  }

  private func refusal(_ line: Int, _ problem: Problem) -> Entry {
    Entry(line: line, row: nil, content: .refused(problem))
  }

  /// The fault's place within its line; the line's own number is said elsewhere.
  static func words(_ error: JSONError) -> String {
    let place = error.line > 1 ? "line \(error.line) of it, column" : "column"
    return
      "broken JSON: \(error.reason.rawValue) at \(place) \(error.column) (byte \(error.offset))"
  }
}

extension Problem {
  /// A refused record as it stands in events.
  init(_ error: ContentItemError) {
    self.init(code: error.code.name, message: error.message)
  }
}
