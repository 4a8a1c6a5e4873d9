import Foundation
import FreshetCatalog
import FreshetStore
import Testing

@Suite("Guidance: students, reasons, records")
struct GuidanceTypesTests {
  private func object(_ text: String) throws -> JSONObject {
    try #require(try JSONValue(parsing: text).objectValue)
  }

  private func records(_ name: String) throws -> [Guidance] {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures"))
    let value = try JSONValue(parsing: Array(try Data(contentsOf: url)))
    let rows = try #require(value.objectValue?["result"]?.arrayValue)
    return try rows.map { try Guidance(joined: try #require($0.objectValue)) }
  }

  @Test("a student keeps what we do not know, and both spellings of the picture's key are read")
  func student() throws {
    for key in ["profileImageURL", "profileURLImage"] {
      let text =
        "{\"id\":202110101,\"grade\":1,\"classNumber\":2,\"number\":3,\"name\":\"가나다\","
        + "\"\(key)\":\"https://img.example/p.png\",\"status\":\"VALID\",\"age\":7.0}"
      let student = try Student(try object(text))
      #expect(student.profileImageURL == "https://img.example/p.png")
      #expect(student.line == "1학년 2반 3번 가나다")
      let back = try Student(student.object)
      #expect(back == student)
      #expect(back.extra["age"] == .number(try #require(JSONNumber(7.0))))
    }
  }

  @Test("numbers may be written as text; ids are strict")
  func numbers() throws {
    let student = try Student(
      try object(
        "{\"id\":\"202110101\",\"grade\":\"1\",\"classNumber\":1,\"number\":1,\"name\":\"a\"}"))
    #expect(student.id == 202_110_101)
    for text in ["", "0", "-1", "12abc", "abc", "1.5", " 1", "01", "1e3", "99999999999999999999"] {
      #expect(throws: GuidanceError.self) { try Guidance.id(text) }
      #expect(throws: GuidanceError.self) { try Student.id(text) }
    }
    #expect(try Guidance.id("12") == 12)
  }

  @Test(
    "a student that is none is refused, and the field is named",
    arguments: [
      ("{}", "id"), ("{\"id\":0}", "id"), ("{\"id\":1}", "grade"),
      ("{\"id\":1,\"grade\":1,\"classNumber\":1,\"number\":1}", "name"),
      ("{\"id\":1,\"grade\":1,\"classNumber\":1,\"number\":1,\"name\":7}", "name"),
    ])
  func badStudent(text: String, field: String) throws {
    let object = try object(text)
    let error = #expect(throws: GuidanceError.self) { try Student(object) }
    #expect(error?.message.contains(field) == true)
  }

  @Test("a list of a server: joined records, null and absent are the same")
  func list() throws {
    let list = try records("guidance-list")
    #expect(list.map(\.id) == [16, 17, 18])
    #expect(list[1].student.profileImageURL == nil)
    #expect(list[2].reason == .others(detail: "복도에서 🛹 \"질주\""))
    #expect(list[2].message == "1학년 1반 2번 사아자\n기타(복도에서 🛹 \"질주\")")
    #expect(list.map(\.status) == [.valid, .valid, .valid])
    for guidance in list { #expect(try Guidance(joined: guidance.joined) == guidance) }
  }

  @Test("a reason nobody knows is not one of ours; an empty detail is none; one of another reason")
  func odd() throws {
    let list = try records("guidance-unknown-reason")
    #expect(list.map(\.reason) == [.unlisted("지각"), .others(detail: nil), .wrongClothes])
    #expect(list.map(\.reason.line) == ["지각", "기타", "복장 불량"])
    // What is not shown is still there.
    #expect(list[2].joined["detail"] == "무시되어야 하는 상세")
    #expect(!GuidanceReason.allCases.contains(.unlisted("지각")))
  }

  @Test("what we do not know comes back as it was")
  func unknownFields() throws {
    let text =
      "{\"studentID\":1,\"grade\":1,\"classNumber\":1,\"number\":1,\"name\":\"a\","
      + "\"profileImageURL\":null,\"guidanceID\":5,\"reason\":\"기타\",\"detail\":\"d\","
      + "\"status\":\"PARKED\",\"date\":\"soon\",\"teacher\":{\"id\":9007199254740993}}"
    let guidance = try Guidance(joined: try object(text))
    #expect(guidance.status == .unlisted("PARKED"))
    #expect(guidance.date == nil)
    let back = guidance.joined
    #expect(back["date"] == "soon")
    #expect(back["teacher"]?.objectValue?["id"]?.numberValue?.text == "9007199254740993")
    #expect(back["status"] == "PARKED")
  }

  @Test("choosing a reason: by title or name; 기타 needs a detail and no other has one")
  func choose() throws {
    #expect(try GuidanceReason(chosen: "복장 불량", detail: nil) == .wrongClothes)
    #expect(try GuidanceReason(chosen: "shoes", detail: "") == .noShoes)
    #expect(try GuidanceReason(chosen: "other", detail: "x") == .others(detail: "x"))
    func code(_ text: String, _ detail: String?) -> String? {
      do {
        _ = try GuidanceReason(chosen: text, detail: detail)
        return nil
      } catch {
        return error.code.name
      }
    }
    #expect(code("기타", nil) == "detail_required")
    #expect(code("기타", " \n") == "detail_required")
    #expect(code("무단횡단", "x") == "detail_not_allowed")
    #expect(code("지각", nil) == "invalid_reason")
    let limit = GuidanceReason.detailLimitBytes
    #expect(code("기타", String(repeating: "x", count: limit)) == nil)
    #expect(code("기타", String(repeating: "뛰", count: limit / 3 + 1)) == "detail_too_long")
  }

  @Test("what is told of a guidance has an end, whatever a server sent; what is kept is whole")
  func told() throws {
    let long = String(repeating: "뛰", count: 700_000)
    let student = Student(
      id: 1, grade: 1, classNumber: 1, number: 1, name: long, profileImageURL: nil)
    let guidance = Guidance(
      id: 1, student: student, reason: .others(detail: long), extra: ["more": .string(long)])
    #expect(JSONValue.object(guidance.told).jsonBytes.count < 20_000)
    #expect(guidance.told["detail"]?.stringValue?.hasSuffix("뛰…") == true)
    #expect(guidance.toldMessage.utf8.count < 9_000)
    #expect(guidance.joined["detail"]?.stringValue == long)
    let short = Guidance(
      id: 1,
      student: Student(
        id: 1, grade: 1, classNumber: 1, number: 1, name: "가", profileImageURL: nil),
      reason: .others(detail: "x"), extra: ["more": [1, 2]])
    #expect(short.told == short.joined && short.toldMessage == short.message)
  }

  @Test("a file of books may begin with a byte order mark")
  func mark() throws {
    let text = "\u{FEFF}{\"data\":[{\"attributes\":{\"title\":\"T\"}}]}"
    #expect(try BookSeries(parsing: Array(text.utf8)).books.map(\.title) == ["T"])
  }

  @Test("days of the calendar, and what is none")
  func days() {
    for text in ["2026-03-05", "2024-02-29", "2000-02-29"] { #expect(CalendarDay(text) != nil) }
    for text in [
      "2026-02-30", "2025-13-45", "2023-02-29", "1900-02-29", "2026-3-5", "2026-03-00", "",
      "2026-03-05T00:00", "२०२६-०३-०५",
    ] { #expect(CalendarDay(text) == nil) }
  }
}

@Suite("Books: files of a series")
struct BookSeriesTests {
  private func series(_ name: String) throws -> BookSeries {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures"))
    return try BookSeries(parsing: Array(try Data(contentsOf: url)))
  }

  @Test("a file: its books in order, with what is absent absent")
  func basic() throws {
    let series = try series("books-basic")
    #expect(series.books.map(\.title) == ["Book One", "Book Two", "Book Three"])
    #expect(series.books.map(\.summary.count) == [449, 450, 451])
    #expect(series.books[0].chapters == ["1. One", "2. Two"])
    #expect(series.books[0].releaseLine == "June 26, 1997")
  }

  @Test("odd data: one title twice, a day of one digit, nulls, clusters")
  func edge() throws {
    let books = try series("books-edge").books
    #expect(books.map(\.key) == ["Book One", "Book One (2)", "No Wiki", "Emoji", "NFD"])
    #expect(books[0].releaseLine == "July 2, 2007")
    #expect(books[2].wiki == nil)
    #expect(books[2].dedication == nil)
    #expect(books[2].releaseLine == nil)
    #expect(books[3].summary.count == 455)
    #expect(books[4].summary.count == 450)
    #expect(try series("books-empty").books.isEmpty)
  }

  @Test(
    "a file that is none, and a book that is none, with its place",
    arguments: [
      ("[", "bad_json", nil), ("[]", "bad_json", nil), ("{\"data\":{}}", "bad_json", nil),
      ("{\"data\":[{\"attributes\":{\"title\":\"a\"}},7]}", "bad_record", 1),
      ("{\"data\":[{\"attributes\":{\"title\":\"\"}}]}", "bad_record", 0),
      ("{\"data\":[{\"attributes\":{\"title\":\"a\",\"pages\":\"x\"}}]}", "bad_record", 0),
      ("{\"data\":[{\"attributes\":{\"title\":\"a\",\"chapters\":[1]}}]}", "bad_record", 0),
    ] as [(String, String, Int?)])
  func bad(text: String, code: String, index: Int?) {
    let error = #expect(throws: BookFileError.self) { try BookSeries(parsing: Array(text.utf8)) }
    #expect(error?.code.name == code)
    #expect(error?.index == index)
  }

  @Test("the file's own ids are the keys; dates that are none stay as they are")
  func ids() throws {
    let text =
      "{\"data\":[{\"id\":\"x-1\",\"attributes\":{\"title\":\"a\",\"release_date\":\"2025-13-45\"}},"
      + "{\"id\":7,\"attributes\":{\"title\":\"a\",\"release_date\":\"18??\"}}]}"
    let books = try BookSeries(parsing: Array(text.utf8)).books
    #expect(books.map(\.key) == ["x-1", "7"])
    #expect(books.map(\.releaseLine) == ["2025-13-45", "18??"])
  }
}
