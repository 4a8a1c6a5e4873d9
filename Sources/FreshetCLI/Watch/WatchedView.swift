import FreshetCatalog
import FreshetModels
import FreshetStore

/// A view that can be followed in the store.
struct WatchedView: Sendable {
  let view: View
  /// Which one, of a view of which there are several: an id, a class.
  let name: String?
  /// Whether it holds items, whose changes are told as `item.*`.
  let tellsItems: Bool
  /// The screen in its first state, with the pictures that are kept.
  let stepper: @Sendable (PosterFiles?) -> any ViewStepper

  /// What tells it from others in a cursor.
  var names: [String] { [view.rawValue] + (name.map { [$0] } ?? []) }

  static let downloads = WatchedView(
    view: .downloads, name: nil, tellsItems: true,
    stepper: { posters in
      ScreenStepper(follower: DownloadsModel.follower()) { followed in
        ViewStep(
          view: .downloads, list: followed.list,
          transitions: followed.transitions.map { ViewTransition(.downloads, $0) },
          tellsItems: true, poster: posters?.lookup)
      }
    })

  static let saved = WatchedView(
    view: .saved, name: nil, tellsItems: true,
    stepper: { posters in
      ScreenStepper(follower: SavedBooksModel.follower()) { followed in
        ViewStep(
          view: .saved, list: followed.list,
          transitions: followed.transitions.map { ViewTransition(.saved, $0) }, tellsItems: true,
          poster: posters?.lookup)
      }
    })

  static let books = WatchedView(
    view: .books, name: nil, tellsItems: false, stepper: { _ in BooksStepper() })

  static func guidance(_ filter: GuidanceFilter) -> WatchedView {
    WatchedView(
      view: .guidance, name: GuidanceText.name(of: filter), tellsItems: false,
      stepper: { _ in
        ScreenStepper(follower: GuidanceListModel.follower(filter: filter)) { followed in
          ViewStep(
            view: .guidance, list: followed.list,
            transitions: followed.transitions.map { ViewTransition(.guidance, $0) },
            tellsItems: false,
            rows: followed.list.isInitial
              ? GuidanceText.rows(followed.state.visible, revision: followed.list.token.revision)
              : nil)
        }
      })
  }

  static func detail(_ id: ItemID) -> WatchedView {
    WatchedView(
      view: .detail, name: id.text, tellsItems: false,
      stepper: { posters in
        let follower = DetailModel.follower(
          id: id, posters: posters?.kept, address: { posters?.address(of: $0) })
        return ScreenStepper(follower: follower) { followed in
          ViewStep(
            view: .detail, list: followed.list,
            transitions: followed.transitions.map { ViewTransition(.detail, $0) },
            tellsItems: false,
            rows: followed.list.isInitial
              ? followed.list.rows.filter { $0.id == id.text }.map { record in
                ViewStep.Row(
                  id: record.id, revision: record.revision, body: record.body,
                  text: ItemText.row(record.id, record.body))
              } : nil)
        }
      })
  }
}

/// A screen that goes from list to list, ready to be told.
protocol ViewStepper: Sendable {
  /// What the screen is made of.
  var query: Query { get }
  /// The screen's steps through the next list.
  mutating func take(_ list: LiveList) -> ViewStep
}

/// A screen of the models.
private struct ScreenStepper<S: Screen>: ViewStepper {
  var follower: ScreenFollower<S>
  let told: @Sendable (Followed<S>) -> ViewStep

  var query: Query { follower.query }

  mutating func take(_ list: LiveList) -> ViewStep { told(follower.take(list)) }
}

/// The books, and the summary of the one that is shown.
private struct BooksStepper: ViewStepper {
  private var follower = BooksModel.BooksFollower()

  var query: Query { follower.query }

  mutating func take(_ list: LiveList) -> ViewStep {
    let followed = follower.take(list)
    return ViewStep(
      view: .books, list: followed.list,
      transitions: followed.books.map { ViewTransition(.books, $0) }
        + followed.summary.map { ViewTransition(.summary, $0) },
      tellsItems: false,
      rows: followed.list.isInitial
        ? followed.state.books.rows.map { book in
          ViewStep.Row(
            id: BookText.id(book), revision: followed.list.token.revision,
            body: JSONValue.object(book.row).jsonBytes, text: BookText.row(book))
        } : nil)
  }
}

/// Guidances as they are told.
enum GuidanceText {
  static func row(_ guidance: Guidance) -> String {
    TextRow.line(
      [
        "\(guidance.id)", guidance.student.line, guidance.reason.line, guidance.date?.text ?? "",
      ], dim: [0])
  }

  static func rows(_ list: IdentifiedList<Guidance>, revision: Int64) -> [ViewStep.Row] {
    list.rows.map { guidance in
      ViewStep.Row(
        id: guidance.rowID, revision: revision,
        body: JSONValue.object(guidance.joined).jsonBytes, text: row(guidance))
    }
  }

  /// A filter with its grade and class, as one word.
  static func name(of filter: GuidanceFilter) -> String {
    switch filter {
    case .all: "all"
    case .grade(let grade): "grade-\(grade)"
    case .classNumber(let grade, let number): "class-\(grade)-\(number)"
    }
  }
}

/// Books of a series as they are told.
enum BookText {
  static func id(_ book: SeriesBook) -> String { "series:" + ItemID.encoded(book.key) }

  static func row(_ book: SeriesBook) -> String {
    TextRow.line([book.title, book.author ?? "", book.releaseLine ?? ""])
  }
}
