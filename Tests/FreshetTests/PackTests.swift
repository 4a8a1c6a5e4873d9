import Freshet
import Testing
@Suite struct PackTests {
  @Test func packs() {
    let a = Seen<String>()
    let t = combineLatest(Just(1).erased(), Just("x").erased(), (1...2).flow.erased()) { "\($0)\($1)\($2)" }.subscribe { a.add($0) }
    #expect(a.all == ["1x1", "1x2"])
    let z = zip(Just(1).erased(), Just("x").erased(), (1...2).flow.erased()) { "\($0)\($1)\($2)" }.subscribe { a.add($0) }
    let m = merge(Just(1), (2...3).flow, Just(4)).subscribe { a.add("\($0)") }
    #expect(a.all == ["1x1", "1x2", "1x1", "1", "2", "3", "4"])
    _ = (t, z, m)
  }
}
