import Freshet
import FreshetStore

/// Writes the parts of an answer into a picture's growing file.
///
///     source   head---body---body--|
///     result   --progress-progress-(done|)
///
/// The file is whole and has its name before `done` is sent. A failure, and a dispose, leave what
/// has come for the next attempt, unless it cannot be used.
struct SaveParts: Flow {
  typealias Element = AssetEvent
  typealias Failure = CatalogError

  let source: AnyFlow<HTTPPart, CatalogError>
  let growth: GrowingFile

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(SavingObserver(downstream: observer, growth: growth))
  }
}

struct SavingObserver<Downstream: Observer>: Observer
where Downstream.Element == AssetEvent, Downstream.Failure == CatalogError {
  typealias Element = HTTPPart
  typealias Failure = CatalogError

  var downstream: Downstream
  var growth: GrowingFile
  private var subscription: Subscription?

  init(downstream: Downstream, growth: GrowingFile) {
    self.downstream = downstream
    self.growth = growth
  }

  static var mayPause: Bool { Downstream.mayPause }

  mutating func start(_ subscription: Subscription) {
    self.subscription = subscription
    downstream.start(subscription)
  }

  mutating func receive(_ part: HTTPPart) -> Answer {
    guard let subscription else { return .stop }
    do throws(CatalogError) {
      return downstream.receive(try growth.take(part))
    } catch {
      self.subscription = nil
      growth.letGo()
      if subscription.endEarly() { downstream.end(.failed(error)) }
      return .stop
    }
  }

  mutating func end(_ end: End<CatalogError>) {
    guard subscription != nil else { return }
    subscription = nil
    guard case .finished = end else {
      growth.letGo()
      return downstream.end(end)
    }
    do throws(CatalogError) {
      let event = try growth.finish()
      growth.letGo()
      _ = downstream.receive(event)
      downstream.end(.finished)
    } catch {
      growth.letGo()
      downstream.end(.failed(error))
    }
  }
}
