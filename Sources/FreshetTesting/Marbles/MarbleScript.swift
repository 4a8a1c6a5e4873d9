import Freshet

/// What a source made of marbles does, on which scheduler.
struct MarbleScript<Element: Sendable, Failure: Error>: Sendable {
  struct Step: Sendable {
    let offset: Duration
    let event: Event<Element, Failure>
  }

  let scheduler: VirtualScheduler
  let steps: [Step]

  init(
    _ text: String, on scheduler: VirtualScheduler, isHot: Bool, failure: Failure?,
    value: (MarbleReading, String) throws(MarbleError) -> Element
  ) throws(MarbleError) {
    self.scheduler = scheduler
    let diagram = try MarbleDiagram(text, tick: scheduler.tick)
    var steps: [Step] = []
    for event in try diagram.sourceEvents(mayBeSubscribed: isHot) {
      switch event.mark {
      case .value(let name):
        let value = try value(MarbleReading(diagram: diagram, event: event), name)
        steps.append(Step(offset: event.offset, event: .value(value)))
      case .failure:
        guard let failure else {
          throw diagram.error(at: event, "no failure is given for `#`; pass one as `failure:`")
        }
        steps.append(Step(offset: event.offset, event: .end(.failed(failure))))
      default:
        steps.append(Step(offset: event.offset, event: .end(.finished)))
      }
    }
    self.steps = steps
  }
}
