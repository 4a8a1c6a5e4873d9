import Freshet
import FreshetTestServer
import Synchronization
import Testing

@testable import FreshetCatalog

@Suite("Pictures: which servers are asked, and by which number")
struct AssetAdmissionTests {
  private static let inside = NetworkAddress(bytes: [10, 0, 0, 1])
  private static let outside = [
    NetworkAddress(bytes: [93, 184, 216, 34]), NetworkAddress(bytes: [1, 1, 1, 1]),
  ]

  @Test("servers in a private network are asked only when a setting names them")
  func privateAddress() throws {
    let rig = try AssetRig { request in
      request.path == "/away"
        ? .redirect(to: "http://169.254.169.254/secret")
        : .file(AssetRig.picture(10), for: request)
    }
    let code = try Loading(rig.loader(isNamed: false).load(rig.server.url + "/p")).code()
    #expect(code == "private_address")
    #expect(rig.server.requests.isEmpty)
    // A redirect does not lead there either, nor does a name.
    #expect(try Loading(rig.loader().load(rig.server.url + "/away")).code() == "private_address")
    let named = rig.loader { _ in [NetworkAddress(bytes: [10, 0, 0, 1])] }
    #expect(try Loading(named.load("http://pictures.test/p")).code() == "private_address")
    #expect(try Loading(rig.loader().load("file:///etc/passwd")).code() == "invalid_address")
  }

  @Test("over http the number that was looked at is connected to; a name's numbers take turns")
  func pinned() throws {
    let admission = AssetAdmission(named: [], usesProxy: false) { _ in Self.outside }
    let address = WebAddress.of("http://pictures.test/p")
    let numbers = try (0..<4).map { _ in try admission.number(of: address) }
    #expect(numbers == Self.outside + Self.outside)
  }

  @Test("what the connection may look up itself: https, numbers, named servers, behind a proxy")
  func unpinned() throws {
    let admission = AssetAdmission(
      named: [.of("http://10.0.0.1:8080")], usesProxy: false
    ) { _ in Self.outside }
    for text in [
      "https://pictures.test/p", "http://93.184.216.34/p", "http://[2606:4700::1]/p",
      "http://10.0.0.1:8080/p",
    ] {
      #expect(try admission.number(of: .of(text)) == nil, "\(text)")
    }
    let proxied = AssetAdmission(named: [], usesProxy: true) { _ in Self.outside }
    #expect(try proxied.number(of: .of("http://pictures.test/p")) == nil)
  }

  @Test("one private number among a name's is enough to refuse it, https or not")
  func mixed() {
    let admission = AssetAdmission(named: [], usesProxy: false) { _ in
      Self.outside + [Self.inside]
    }
    for text in ["http://pictures.test/p", "https://pictures.test/p"] {
      #expect(throws: CatalogError.self) { try admission.number(of: .of(text)) }
    }
  }

  @Test("a name that nobody knows is not left to a second look, which might find it inside")
  func unknown() {
    let admission = AssetAdmission(named: [], usesProxy: false) { _ in [] }
    let error = #expect(throws: CatalogError.self) {
      try admission.number(of: .of("http://pictures.test/p"))
    }
    #expect(error?.code == .unreachable)
    #expect(error?.isRetryable == true)
  }

  @Test("a name that turns to the inside between our look and the connection gets no connection")
  func rebinding() throws {
    let looks = Mutex(0)
    let admission = AssetAdmission(named: [], usesProxy: false) { _ in
      let look = looks.withLock { looks in
        looks += 1
        return looks
      }
      return look == 1 ? [Self.outside[0]] : [Self.inside]
    }
    let rig = Rig(
      .answer(302, [.init("Location", "http://pictures.test/again")]), .answer(200, [], [1]))
    let request = HTTPRequest(.get, .of("http://pictures.test/p"))
    let flow = rig.client.parts(of: request, admit: admission.number)
    #expect(try rig.failure(of: flow.ignoreValues()).code == .privateAddress)
    // One look per connection: the first is made to what was seen, the second is not made.
    #expect(rig.transport.requests.map(\.pinned) == [Self.outside[0]])
  }
}
