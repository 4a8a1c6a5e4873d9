import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

extension DrySimulation {
  /// What a fold would do to an item's text after the lines so far.
  func fold(
    _ id: ItemID, _ wish: FoldWish, _ result: CommandResult, _ session: Session
  ) throws(Stop) -> CommandResult {
    // What is no item of ours is none for the screen either.
    guard let body = try body(of: id.text, session), let item = try? ContentItem(parsing: body)
    else {
      return result.failed(
        Problem(code: "not_found", message: "no item \(id.text) is saved"))
    }
    let isFolded: Bool
    if let kept = folds[id.text] {
      isFolded = kept
    } else {
      isFolded = try session.wait(for: FoldStore(manager: manager).isFolded(id.text))
    }
    let before = TextFold(of: item.overview ?? "", isFolded: isFolded)
    let after: TextFold =
      switch (before, wish) {
      case (.short, _): .short
      case (.expanded, .fold), (.expanded, .toggle), (.folded, .fold): .folded
      case (.folded, .unfold), (.folded, .toggle), (.expanded, .unfold): .expanded
      }
    if before != after { folds[id.text] = after == .folded }
    return result.folded(before, after, before == .short ? ("nothingToFold", [:]) : nil)
  }

  /// What a download of an item would do: what is saved stays as it is.
  ///
  /// Nothing is asked of anybody, so that of another item nothing is known then but its id.
  func download(
    _ id: ItemID, _ access: CatalogAccess, _ session: Session
  ) throws(Stop) -> Result<Outcome, Problem> {
    if let body = try body(of: id.text, session), (try? ContentItem(parsing: body)) != nil {
      return .success(.unchanged)
    }
    if let refusal = access.refusal(of: id) { return .failure(Problem(refusal)) }
    return .success(
      try outcome(of: .save(id: id.text, body: ContentItem(id: id).jsonBytes), session))
  }
}
