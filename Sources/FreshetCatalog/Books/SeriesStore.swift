import Freshet
import FreshetStore

/// A series of books kept in a store, with the choice which one is shown.
public struct SeriesStore: Sendable {
  /// Where the books are kept, one record each, by place.
  static let bookPrefix = "series:"
  /// Where the choice is kept.
  static let selectionID = "setting:series"
  /// The records a series is made of.
  public static let query = Query.ids(startingWithAny: [bookPrefix, selectionID])

  private let manager: DatabaseManager

  /// Makes the access to a store's series; nothing is read or written yet.
  public init(manager: DatabaseManager) {
    self.manager = manager
  }

  /// The series at the moment of subscription.
  ///
  /// Fails with the store's errors, and with `bad_record`.
  public func series() -> Single<BookSeries, BookFileError> {
    manager.observe(Self.query, from: .snapshot)
      .mapFailure { BookFileError($0) }
      .tryMap { list throws(BookFileError) in try Self.series(of: list.rows) }
      .single
  }

  /// Reads a series from the records of a list.
  ///
  /// - Throws: ``BookFileError`` with code `bad_record`.
  /// - Complexity: O(n log n).
  public static func series(
    of records: some Sequence<Record>
  ) throws(BookFileError) -> BookSeries {
    var places: [(place: Int, book: SeriesBook)] = []
    var selected: String?
    for record in records {
      let object = (try? JSONValue(parsing: record.body))?.objectValue
      if record.id == selectionID {
        selected = object?["key"]?.stringValue
        continue
      }
      guard let place = Int(record.id.dropFirst(bookPrefix.count)), let object else {
        throw BookFileError(.badRecord, "the store's record \(record.id) is no book of a series")
      }
      do throws(BookFileError.Fault) {
        places.append(
          (place, try SeriesBook(.object(object), key: object["id"]?.stringValue)))
      } catch {
        throw BookFileError(
          .badRecord, "the store's record \(record.id) cannot be read: \(error.reason)",
          index: place)
      }
    }
    let books = places.sorted { $0.place < $1.place }.map(\.book)
    return BookSeries(books, selected: books.firstIndex { $0.key == selected } ?? 0)
  }

  /// Keeps a series in place of the one that was kept, as one commit.
  ///
  /// Fails with the store's errors.
  public func replace(with series: BookSeries) -> Single<Void, BookFileError> {
    manager.observe(Self.query, from: .snapshot)
      .single
      .flatMap { [manager] list in
        let saves = series.books.enumerated().map { place, book in
          Operation.save(
            id: "\(Self.bookPrefix)\(place)", body: JSONValue.object(book.row).jsonBytes)
        }
        let kept = Set(series.books.indices.map { "\(Self.bookPrefix)\($0)" })
        let deletes = list.rows.compactMap { record in
          kept.contains(record.id) || record.id == Self.selectionID
            ? nil : Operation.delete(id: record.id)
        }
        return manager.apply(saves + deletes + [Self.choice(of: series)])
      }
      .map { _ in }
      .mapFailure { BookFileError($0) }
      .single
  }

  /// Keeps which book is shown.
  ///
  /// Fails with the store's errors.
  public func select(_ key: String) -> Single<Void, BookFileError> {
    manager.apply([.save(id: Self.selectionID, body: Self.body(choosing: key))])
      .map { _ in }
      .mapFailure { BookFileError($0) }
      .single
  }

  private static func choice(of series: BookSeries) -> Operation {
    series.books.isEmpty
      ? .delete(id: selectionID)
      : .save(id: selectionID, body: body(choosing: series.books[series.selected].key))
  }

  private static func body(choosing key: String) -> [UInt8] {
    JSONValue.object(["key": .string(key)]).jsonBytes
  }
}
