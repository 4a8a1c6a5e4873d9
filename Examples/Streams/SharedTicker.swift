import Freshet
import FreshetTesting
import Testing

/// A price that many look at: one connection, the latest price for whoever comes, and some patience
/// before the connection is given up.
func shared<Prices: Flow>(
  _ prices: Prices, on scheduler: any TimeScheduler
) -> Share<Prices> {
  prices.share(replay: 1, keepingFor: .milliseconds(5), on: scheduler)
}

@Test("who comes late is told the latest price, and who comes back soon finds it running")
func sharedTicker() throws {
  let time = VirtualScheduler()
  let prices = try time.cold("-1-2-3-4-5-6-7-8-9-")
  let flow = shared(prices, on: time)
  let (early, late, back) = (
    Recorder<String, MarbleFailure>(scheduler: time),
    Recorder<String, MarbleFailure>(scheduler: time),
    Recorder<String, MarbleFailure>(scheduler: time)
  )
  early.subscribe(to: flow)
  time.advance(by: time.ticks(4))
  late.subscribe(to: flow)
  time.advance(by: time.ticks(2))
  early.dispose()
  late.dispose()
  time.advance(by: time.ticks(4))
  back.subscribe(to: flow)
  time.advance(by: time.ticks(2))
  back.dispose()
  time.advance(by: time.ticks(20))

  #expect(try early.difference(from: "-1-2-3") == nil)
  #expect(try late.difference(from: "----23") == nil)
  #expect(try back.difference(from: "----------56") == nil)
  #expect(try prices.subscriptionDifference(from: "^----------------!") == nil)
}
