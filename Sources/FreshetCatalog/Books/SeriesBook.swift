import FreshetStore

/// A book of a series, as a file of books tells it.
public struct SeriesBook: Sendable, Hashable {
  /// How many bytes a book's id may have, or the title that stands for it.
  public static let keyLimitBytes = ItemID.sizeLimitBytes

  /// What the book is known by in a list, and its fold in the store: the file's own id, else its
  /// title; the second book of one title has ` (2)` behind it, and so on.
  public let key: String
  /// The title; the only thing a book must have.
  public let title: String
  /// The author.
  public let author: String?
  /// How many pages it has.
  public let pages: Int64?
  /// The day it came out, as the file writes it.
  public let releaseDate: String?
  /// The dedication.
  public let dedication: String?
  /// The summary; empty when there is none.
  public let summary: String
  /// The page about it.
  public let wiki: String?
  /// The titles of its chapters.
  public let chapters: [String]
  /// The attributes as they were read, with those that we do not know.
  public let attributes: JSONObject

  /// Reads one book.
  ///
  /// - Parameters:
  ///   - row: `{id?, attributes: {title, …}}`.
  ///   - key: What it is known by; nil to take the row's id or the title.
  /// - Throws: What is wrong with it; also a key of more than ``keyLimitBytes``, and a row of more
  ///   than ``ContentItem/sizeLimitBytes``.
  init(_ row: JSONValue, key: String? = nil) throws(BookFileError.Fault) {
    guard let object = row.objectValue else {
      throw BookFileError.Fault("it must be an object, found \(row.kindName)")
    }
    guard let attributes = object["attributes"]?.objectValue else {
      throw BookFileError.Fault("it has no attributes")
    }
    let fields = Fields(object: attributes)
    guard let title = try fields.text("title"), !title.isEmpty else {
      throw BookFileError.Fault("it has no title")
    }
    self.title = title
    let id = object["id"]?.stringValue ?? object["id"]?.numberValue?.text
    self.key = key ?? id.flatMap { $0.isEmpty ? nil : $0 } ?? title
    author = try fields.text("author")
    pages = try fields.whole("pages")
    releaseDate = try fields.text("release_date").flatMap { $0.isEmpty ? nil : $0 }
    dedication = try fields.text("dedication")
    summary = try fields.text("summary") ?? ""
    wiki = try fields.text("wiki")
    chapters = try fields.titles("chapters")
    self.attributes = attributes
    try checkSize(hasID: id.map { !$0.isEmpty } ?? false)
  }

  /// Refuses a book that would not fit into an event.
  private func checkSize(hasID: Bool) throws(BookFileError.Fault) {
    let keyBytes = key.utf8.count
    if keyBytes > Self.keyLimitBytes {
      throw BookFileError.Fault(
        (hasID ? "its id has" : "it has no id, and its title, which stands for one, has")
          + " \(keyBytes) bytes; the limit is \(Self.keyLimitBytes)")
    }
    if let fault = ContentItem.sizeFault(of: "it", JSONValue.object(row).jsonBytes.count) {
      throw BookFileError.Fault(fault)
    }
  }

  private struct Fields {
    let object: JSONObject

    private func present(_ name: String) -> JSONValue? {
      // A literal nil in a closure here would be JSON's null.
      guard let value = object[name], !value.isNull else { return nil }
      return value
    }

    func text(_ name: String) throws(BookFileError.Fault) -> String? {
      guard let value = present(name) else { return nil }
      guard let text = value.stringValue else {
        throw BookFileError.Fault("\(name) must be a string, found \(value.kindName)")
      }
      return text
    }

    func whole(_ name: String) throws(BookFileError.Fault) -> Int64? {
      guard let value = present(name) else { return nil }
      guard let number = value.numberValue?.int64 else {
        throw BookFileError.Fault("\(name) must be a whole number, found \(value.kindName)")
      }
      return number
    }

    func titles(_ name: String) throws(BookFileError.Fault) -> [String] {
      guard let value = present(name) else { return [] }
      guard let rows = value.arrayValue else {
        throw BookFileError.Fault("\(name) must be a list, found \(value.kindName)")
      }
      var titles: [String] = []
      for row in rows {
        guard let title = row.objectValue?["title"]?.stringValue else {
          throw BookFileError.Fault("\(name)[\(titles.count)] has no title")
        }
        titles.append(title)
      }
      return titles
    }
  }

  /// The day it came out as a long English date, such as `June 26, 1997`; a text that is no day is
  /// given as it is.
  public var releaseLine: String? {
    guard let releaseDate else { return nil }
    let parts = releaseDate.split(separator: "-", omittingEmptySubsequences: false)
    // Files write a day of one digit now and then.
    let padded = parts.map { $0.utf8.count == 1 ? "0\($0)" : String($0) }.joined(separator: "-")
    guard let day = CalendarDay(padded) else { return releaseDate }
    let numbers = day.text.split(separator: "-").compactMap { Int($0) }
    return "\(Self.months[numbers[1] - 1]) \(numbers[2]), \(numbers[0])"
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// The row as a file writes it.
  public var row: JSONObject { ["id": .string(key), "attributes": .object(attributes)] }
}

/// Why a file of books could not be shown.
public struct BookFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, by a stable name; new ones are no breaking change.
  public struct Code: Sendable, Hashable {
    /// The name as it stands in events.
    public let name: String

    init(_ name: String) { self.name = name }

    /// There is no such file, or it cannot be read.
    public static let missingFile = Code("missing_file")
    /// The file is no JSON, or not of the expected shape.
    public static let badJSON = Code("bad_json")
    /// One of the books cannot be read; see `index`.
    public static let badRecord = Code("bad_record")
    /// The store could not be read or written; the name is the store's own.
    public static func store(_ error: StoreError) -> Code { Code(error.code.name) }
  }

  /// What is wrong with one book, before its place is known.
  struct Fault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// What went wrong.
  public let code: Code
  /// What went wrong, in a sentence without a full stop.
  public let message: String
  /// The place of the book at fault, from 0.
  public let index: Int?

  /// Makes an error.
  public init(_ code: Code, _ message: String, index: Int? = nil) {
    self.code = code
    self.message = message
    self.index = index
  }

  /// A store's error.
  public init(_ error: StoreError) { self.init(.store(error), error.message) }

  /// The message.
  public var description: String { message }
}

/// The books of a series, and which of them is shown.
public struct BookSeries: Sendable, Hashable {
  /// The books in order; their keys are unique.
  public let books: [SeriesBook]
  /// The place of the book that is shown, from 0; of an empty series 0.
  public let selected: Int

  /// Makes a series.
  ///
  /// - Parameters:
  ///   - books: In order; a key that came before gets ` (2)` behind it, and so on.
  ///   - selected: Which is shown; one that is not there is the first.
  public init(_ books: [SeriesBook], selected: Int = 0) {
    self.books = books
    self.selected = books.indices.contains(selected) ? selected : 0
  }

  /// Reads a file of books: `{"data": [{"id"?, "attributes": {"title", …}}]}`.
  ///
  /// Only the title must be there; what else is absent or null is not shown. A byte order mark of
  /// UTF-8 in front is passed over. O(bytes).
  ///
  /// - Throws: ``BookFileError`` with code `bad_json`, or `bad_record` and the book's place.
  public init(parsing bytes: [UInt8]) throws(BookFileError) {
    let value: JSONValue
    do {
      let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
      value = try JSONValue(parsing: hasMark ? Array(bytes.dropFirst(3)) : bytes)
    } catch {
      throw BookFileError(.badJSON, "the file of books is no JSON: \(error)")
    }
    guard let rows = value.objectValue?["data"]?.arrayValue else {
      throw BookFileError(.badJSON, "the file of books has no list under data")
    }
    var books: [SeriesBook] = []
    var taken: Set<String> = []
    for (index, row) in rows.enumerated() {
      do throws(BookFileError.Fault) {
        var book = try SeriesBook(row)
        var number = 2
        while taken.contains(book.key) {
          book = try SeriesBook(row, key: "\(try SeriesBook(row).key) (\(number))")
          number += 1
        }
        taken.insert(book.key)
        books.append(book)
      } catch {
        throw BookFileError(
          .badRecord, "book \(index + 1) of the file cannot be read: \(error.reason)", index: index)
      }
    }
    self.init(books)
  }
}
