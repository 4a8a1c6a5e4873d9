import FreshetStore

extension ContentItem {
  /// The known fields after id, kind and source, in the order they are written.
  enum Field: String, CaseIterable {
    case mediaType = "media_type"
    case title
    case originalTitle = "original_title"
    case authors
    case overview
    case releaseDate = "release_date"
    case popularity
    case voteAverage = "vote_average"
    case voteCount = "vote_count"
    case adult
    case poster
    case thumbnail
    case publisher
    case isbn
    case price
    case salePrice = "sale_price"
    case link
  }

  /// The names of a record's fields, in the order they are written.
  public static let fieldNames =
    ["id", "kind", "source"] + Field.allCases.map(\.rawValue) + ["extra"]

  /// What a field may hold.
  private enum Shape: String {
    case text = "a string"
    case number = "a number"
    case flag = "true or false"
    case texts = "an array of strings"
    case isbn = "an object of strings"

    func accepts(_ value: JSONValue) -> Bool {
      switch self {
      case .text: value.stringValue != nil
      case .number: value.numberValue != nil
      case .flag: value.boolValue != nil
      case .texts: value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
      case .isbn:
        value.objectValue?.members.allSatisfy {
          $0.value.isNull || $0.value.stringValue != nil || !["isbn10", "isbn13"].contains($0.key)
        } ?? false
      }
    }
  }

  private static func shape(of field: Field) -> Shape {
    switch field {
    case .mediaType, .title, .originalTitle, .overview, .releaseDate, .poster, .thumbnail,
      .publisher, .link:
      .text
    case .popularity, .voteAverage, .voteCount, .price, .salePrice: .number
    case .adult: .flag
    case .authors: .texts
    case .isbn: .isbn
    }
  }

  /// Sets a known field, or clears it with null.
  /// - Throws: ``ContentItemError`` with code `wrong_type`; `name` is what the message calls it.
  mutating func set(
    _ field: Field, to value: JSONValue, calling name: String? = nil
  ) throws(ContentItemError) {
    if value.isNull {
      fields[field.rawValue] = nil
      return
    }
    let shape = Self.shape(of: field)
    guard shape.accepts(value) else {
      let name = name ?? field.rawValue
      let found =
        value.kindName == "array" || value.kindName == "object"
        ? "another \(value.kindName)" : value.kindName
      throw ContentItemError(
        .wrongType, field: name, "field \(name) must be \(shape.rawValue), found \(found)")
    }
    fields[field.rawValue] = field == .isbn ? Self.withoutNulls(value) : value
  }

  /// Both numbers absent is the whole absent; null is absent.
  private static func withoutNulls(_ value: JSONValue) -> JSONValue? {
    guard var object = value.objectValue else { return nil }
    for member in object.members where member.value.isNull {
      object.removeValue(forKey: member.key)
    }
    return object.isEmpty ? nil : .object(object)
  }

  // MARK: Typed accessors

  private func text(_ field: Field) -> String? { fields[field.rawValue]?.stringValue }
  private func number(_ field: Field) -> JSONNumber? { fields[field.rawValue]?.numberValue }

  /// `movie`, `tv` …, where the catalogue tells them apart.
  public var mediaType: String? { text(.mediaType) }
  /// The title; absent is no error.
  public var title: String? { text(.title) }
  /// The title in the work's own language.
  public var originalTitle: String? { text(.originalTitle) }
  /// The authors; empty when absent.
  public var authors: [String] {
    fields[Field.authors.rawValue]?.arrayValue?.compactMap(\.stringValue) ?? []
  }
  /// A short text about it.
  public var overview: String? { text(.overview) }
  /// The day of release, as the catalogue writes it.
  public var releaseDate: String? { text(.releaseDate) }
  /// The catalogue's popularity figure.
  public var popularity: JSONNumber? { number(.popularity) }
  /// The average vote.
  public var voteAverage: JSONNumber? { number(.voteAverage) }
  /// The number of votes.
  public var voteCount: JSONNumber? { number(.voteCount) }
  /// Whether it is for adults only.
  public var isAdult: Bool? { fields[Field.adult.rawValue]?.boolValue }
  /// The poster's path or address.
  public var poster: String? { text(.poster) }
  /// The thumbnail's address.
  public var thumbnail: String? { text(.thumbnail) }
  /// The publisher.
  public var publisher: String? { text(.publisher) }
  /// The ten-digit ISBN.
  public var isbn10: String? { isbn("isbn10") }
  /// The thirteen-digit ISBN.
  public var isbn13: String? { isbn("isbn13") }
  /// The price, in the catalogue's currency.
  public var price: JSONNumber? { number(.price) }
  /// The price it is sold for.
  public var salePrice: JSONNumber? { number(.salePrice) }
  /// The page about it.
  public var link: String? { text(.link) }

  private func isbn(_ key: String) -> String? {
    fields[Field.isbn.rawValue]?.objectValue?[key]?.stringValue
  }
}
